"""The methods as data for one loop: ours, and the paper's ablations of it.

A method is steps, a retention, a winner, and whether the teacher is asked. Adding one is one
expression here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.reflect import ASK_ANALYZER, SILENT
from engine.select import cost_retain, highest_alignment, lowest_cost, pareto_retain
from problems.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.config import Settings
    from engine.reflect import Reflection
    from engine.types import Candidate

    Retain = Callable[[Sequence[Candidate], Settings], tuple[Candidate, ...]]
    Winner = Callable[[Sequence[Candidate], Settings], Candidate]


@dataclass(frozen=True, slots=True)
class Step:
    """One round of children inside a generation: operators cycle until `children` are asked for.

    `children` None means the setting of that name.
    """

    operators: tuple[str, ...]
    reflect: Reflection = SILENT
    children: int | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A search method, complete."""

    name: str
    about: str
    steps: tuple[Step, ...]
    retain: Retain
    winner: Winner = lowest_cost
    teacher: bool = True


GUIDED = ("s", "p", "m")
GENERIC = ("e1", "e2", "m1", "m2")

OURS = Method(
    "ours",
    "teacher-aware evolution, the paper's method",
    (Step(GUIDED, ASK_ANALYZER),),
    pareto_retain,
)


def _without(operator: str) -> Method:
    rest = tuple(name for name in GUIDED if name != operator)
    return replace(
        OURS,
        name=f"no-{operator}",
        about=f"ours without operator {operator}",
        steps=(Step(rest, ASK_ANALYZER),),
    )


METHODS = {
    method.name: method
    for method in (
        OURS,
        Method(
            "performance-only",
            "no teacher: generic operators, survival by cost",
            (Step(GENERIC),),
            cost_retain,
            teacher=False,
        ),
        replace(
            OURS,
            name="no-analyzer",
            about="ours with the parents' diagnostics but no briefs",
            steps=(Step(GUIDED),),
        ),
        replace(
            OURS,
            name="no-guided-operators",
            about="ours with generic operators; teacher and Pareto retention kept",
            steps=(Step(GENERIC),),
        ),
        replace(OURS, name="no-pareto", about="ours with survival by cost", retain=cost_retain),
        replace(
            OURS,
            name="max-align",
            about="ours, but the returned program is the one of highest alignment",
            winner=highest_alignment,
        ),
        *(_without(operator) for operator in GUIDED),
    )
}


def find(name: str) -> Method:
    """The method of that name. Raises UnknownName."""
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[name]


def planned_generations(method: Method, settings: Settings) -> int:
    """How many generations a run opens if no reply needs a repair."""
    sizes = [step.children or settings.children for step in method.steps]
    thoughts = [step.reflect.calls(n) for step, n in zip(method.steps, sizes, strict=True)]
    ends = ((settings.calls, sum(sizes) + sum(thoughts)), (settings.total_children, sum(sizes)))
    return min((math.ceil(end / each) for end, each in ends if end), default=settings.generations)
