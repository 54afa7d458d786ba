"""How a policy over fields is asked, and written down as a rule of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from problems.errors import UserError
from teachers.family import Family
from teachers.field_policy.network import FieldNetwork, read_fields

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from problems.base import Contract, Decision, Problem
    from teachers.weights import Header

CHUNK = 256
"""States in one forward."""

DIGITS = 6
"""Significant digits of a weight in a rule."""


def score(network: FieldNetwork, task: Problem, batch: Sequence[Decision]) -> list[Any]:
    """The scores of the feasible actions, by action."""
    values = torch.from_numpy(read_fields(task, network.names, batch))
    sizes = [len(decision.actions) for decision in batch]
    scores = network(values.to(network.center.device), sizes).cpu()
    parts = torch.split(scores, sizes)
    return [
        dict(zip(decision.actions, part.tolist(), strict=True))
        for decision, part in zip(batch, parts, strict=True)
    ]


FAMILY = Family(
    make=lambda header: FieldNetwork(header.architecture["fields"], header.architecture["hidden"]),
    freeze=lambda network: network.eval().double().requires_grad_(False),
    split=lambda ds: [range(at, min(at + CHUNK, len(ds))) for at in range(0, len(ds), CHUNK)],
    score=score,
    reads_fields=True,
)
build = FAMILY.build


def write_rule(header: Header, arrays: Mapping[str, np.ndarray], contract: Contract) -> str:
    """A linear policy as a program under the contract of its problem.

    Fields that a contract does not list by their name are the same for all actions, or have no
    place in a rule. Raises UserError for a policy with a hidden layer, and for a contract whose
    programs do not score.
    """
    if header.family != "field_policy" or header.architecture["hidden"]:
        raise UserError(f"{header.name} is not linear: train one with --linear")
    if contract.answer != "score":
        raise UserError(f"programs of {header.problem} do not score actions one by one")
    weights = arrays["straight.weight"][0] / arrays["scale"]
    places = {
        field.name: f"{argument.name}.{field.name}"
        for argument in contract.arguments
        for field in argument.fields
    }
    known = zip(header.architecture["fields"], weights, strict=True)
    terms = [f"{float(w):.{DIGITS}g} * {places[name]}" for name, w in known if name in places]
    if not terms:
        raise UserError(f"the contract of {header.problem} lists no field of {header.name}")
    total = "\n        + ".join(terms)
    return f"def {contract.signature()}:\n    return (\n        {total}\n    )\n"
