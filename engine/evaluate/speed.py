"""Whether a program is compiled on a set, and if not, why: a sentence for writers and screens.

By its text and the sizes of the instances alone, as `compiled` decides it.
"""

from __future__ import annotations

from bisect import bisect_left
from statistics import median
from typing import TYPE_CHECKING, Any

from engine.domain.values import Failure
from engine.evaluate.compiled.work import SHARE
from engine.evaluate.gate.inspect import inspect
from problems.base import Compilable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.evaluate.compiled.work import Walk, Work
    from engine.evaluate.gate.inspect import Inspection
    from problems.base import Problem

LARGEST = 10_000
"""Size of the largest instance for which it is said that compiling pays from there on."""

LONGEST = 90
"""Characters of a reason; a program may give its functions names of any length."""


def choose_pilots(
    problem: Problem, inspection: Inspection, instances: Sequence[Any], seconds: float
) -> str | None:
    """The set to try compiled code on; None where compiling does not pay on `instances`.

    The program may use `seconds` of CPU time.
    """
    if inspection.work is None or not isinstance(problem, Compilable):
        return None
    walks = [problem.walk_length(instance) for instance in instances]
    return problem.example if inspection.work.pays(walks, seconds) else None


def explain_speed(problem: Problem, code: str, instances: Sequence[Any], seconds: float) -> str:
    """`compiled`, with the helpers where it is no more than those, or `not compiled` and why.

    That is the line and what it uses, or too little to do.
    Empty for a program that does not pass the gate, and where nothing is ever compiled. `seconds`
    of CPU time as in `choose_pilots`.
    """
    inspection = inspect(code, problem.contract)
    if isinstance(inspection, Failure):
        return ""
    return explain_inspection(problem, inspection, instances, seconds)


def explain_inspection(
    problem: Problem, inspection: Inspection, instances: Sequence[Any], seconds: float
) -> str:
    """The same of a program that has passed the gate."""
    if not isinstance(problem, Compilable) or not instances:
        return ""
    if inspection.work is None:
        return f"not compiled: {inspection.obstacle[:LONGEST]}"
    walks = [problem.walk_length(one) for one in instances]
    if inspection.work.pays(walks, seconds):
        helpers = ", ".join(inspection.helpers)[:LONGEST]
        return f"compiled: {helpers}, with what it calls" if helpers else "compiled"
    return _explain_python(inspection.work, walks, seconds)


def _explain_python(work: Work, walks: Sequence[Walk], seconds: float) -> str:
    """Why a program that could be compiled is not on these walks."""
    if work.compiling > SHARE * seconds:
        most = f"{SHARE * seconds:.2g} s that it may take"
        return f"not compiled: so long that to compile it takes {work.compiling:.2g} s of {most}"
    size = int(median(size for _, size in walks))
    enough = bisect_left(
        range(LARGEST), True, lo=size, key=lambda wanted: work.pays(_sized(walks, wanted), seconds)
    )
    later = f"; compiled from size {enough} on" if enough < LARGEST else ""
    return f"not compiled: too little to do at size {size}{later}"


def _sized(walks: Sequence[Walk], wanted: int) -> list[Walk]:
    """The walks of as many instances of one size; calls grow with it."""
    return [(round(calls * wanted / max(1, size)), wanted) for calls, size in walks]
