"""The revision modes as data: a name, how parents are drawn, a prompt file.

Paper, Table "Teacher-aware revision modes" (s, p, m); the generic operators e1, e2, m1, m2, m3
follow EoH's descriptions in our own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.select import alignment_ranked, any_ranked, objective_ranked
from problems.errors import UnknownName

if TYPE_CHECKING:
    from engine.select import Sampler


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to make a child; its prompt is `prompts/NAME.md`.

    `aligned` operators show costs and the teacher's diagnostics; the generic ones show programs.
    """

    name: str
    title: str
    parents: tuple[Sampler, ...]
    aligned: bool = False


OPERATORS = {
    operator.name: operator
    for operator in (
        Operator("s", "structural rewrite", (objective_ranked,), aligned=True),
        Operator("p", "parameter calibration", (objective_ranked,), aligned=True),
        Operator("m", "mechanism fusion", (objective_ranked, alignment_ranked), aligned=True),
        Operator("e1", "a different form", (any_ranked, any_ranked)),
        Operator("e2", "a shared idea", (any_ranked, any_ranked)),
        Operator("m1", "a modified form", (any_ranked,)),
        Operator("m2", "other parameters", (any_ranked,)),
        Operator("m3", "a simpler form", (any_ranked,)),
    )
}


def find(name: str) -> Operator:
    """The operator of that name. Raises UnknownName."""
    if name not in OPERATORS:
        raise UnknownName("operator", name, OPERATORS)
    return OPERATORS[name]
