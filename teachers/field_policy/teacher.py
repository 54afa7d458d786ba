"""The policy as a network with weights in a file, and how it is asked about a problem's states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from problems.base import Decision, Problem
from problems.errors import TeacherUnavailable
from teachers.base import Teacher
from teachers.family import Family
from teachers.field_policy.policy import Fields, Weights, score
from teachers.weights import Header


class FieldNetwork(nn.Module):
    """The weights (`policy.Weights`), and the fields that they are for."""

    def __init__(self, fields: Fields, hidden: int) -> None:
        """No action is preferred yet; hidden units read at random what they are to learn from."""
        super().__init__()
        self.fields = fields
        count, states = len(fields.actions), len(fields.states)
        self.linear = nn.Parameter(torch.zeros(count, 1 + states, dtype=torch.float64))
        enter = torch.randn(hidden, count + states, dtype=torch.float64)
        self.enter = nn.Parameter(enter / (count + states) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(hidden, dtype=torch.float64))
        self.leave = nn.Parameter(torch.zeros(hidden, dtype=torch.float64))

    def weights(self) -> Weights:
        """The weights as arrays."""
        return Weights(*(one.detach().cpu().numpy() for one in self.parameters()))


def describe(network: FieldNetwork) -> dict[str, Any]:
    """The network without its weights, for a header; `make` reads it."""
    fields = {name: list(getattr(network.fields, name)) for name in Fields.__slots__}
    return {"hidden": len(network.leave), **fields}


def make(header: Header) -> FieldNetwork:
    """The network of a header. Raises KeyError where it describes none."""
    fields = Fields(*(tuple(header.architecture[name]) for name in Fields.__slots__))
    return FieldNetwork(fields, header.architecture["hidden"])


def family(task: Problem) -> Family:
    """How policies for a problem are made and asked."""
    return Family(
        make=make,
        freeze=lambda network: network.eval().requires_grad_(False),
        split=lambda decisions: [range(len(decisions))],
        score=partial(_score, task),
    )


def build_for(
    task: Problem,
) -> Callable[[Header, Mapping[str, np.ndarray], torch.device], Teacher]:
    """What makes the teacher of a problem out of a header and its weights."""
    return family(task).build


def _score(
    task: Problem, network: FieldNetwork, _problem: str, batch: Sequence[Decision]
) -> list[dict[int, float]]:
    """The scores of the feasible actions of each state. Raises TeacherUnavailable."""
    weights = network.weights()
    found = []
    for decision in batch:
        table = task.table(decision.state, decision.actions)
        try:
            scores = score(network.fields, weights, table)
        except KeyError as error:
            told = f"{task.name} has no field {error} any more; train its teacher again"
            raise TeacherUnavailable(told) from error
        found.append(dict(zip(decision.actions, scores.tolist(), strict=True)))
    return found
