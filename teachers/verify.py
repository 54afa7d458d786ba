"""A teacher's recorded figures, measured again."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import problems
from problems.errors import TeacherUnavailable, UnknownName, UserError
from teachers import load
from teachers.rollout import mean_cost
from teachers.training.progress import TrainingProgress
from teachers.weights import header_files, read_header

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from problems.base import Problem
    from teachers.base import Teacher


@dataclass(frozen=True, slots=True)
class Figure:
    """Mean minimised cost of greedy rollouts on a set: as recorded, and as found now.

    `found` is None for a published set that is not imported.
    """

    instances: str
    recorded: float
    found: float | None

    @property
    def equal(self) -> bool | None:
        """Whether they agree to the second digit; None where nothing was found."""
        return None if self.found is None else abs(self.recorded - self.found) < 0.005


def verify(
    name: str, report: Callable[[TrainingProgress], None], device: str = "auto"
) -> tuple[Figure, ...]:
    """Measure the figures of a header again, where the sets are at hand.

    Raises UnknownName for a teacher without header, TeacherUnavailable as `load` does.
    """
    if name not in header_files():
        raise UnknownName("teacher with recorded figures", name, header_files())
    from teachers.training.device import use_one_thread  # imports torch

    use_one_thread()
    header = read_header(header_files()[name])
    ref = problems.ProblemRef(header.problem)
    teacher, problem = load(name, ref, device), problems.load(ref)
    found = measure(teacher, problem, at_hand(problem, header.measured), report)
    return tuple(Figure(key, value, found.get(key)) for key, value in header.measured.items())


def at_hand(problem: Problem, sets: Iterable[str]) -> list[str]:
    """Those of the sets that load: published ones may not be imported."""
    return [name for name in sets if _loads(problem, name)]


def _loads(problem: Problem, name: str) -> bool:
    try:
        problem.load(name)
    except UserError:
        return False
    return True


def measure(
    teacher: Teacher,
    problem: Problem,
    sets: Collection[str],
    report: Callable[[TrainingProgress], None],
) -> dict[str, float]:
    """Mean cost of greedy rollouts on each set. Raises TeacherUnavailable without preference."""
    figures, started = {}, time.monotonic()
    for count, key in enumerate(sets, start=1):
        figures[key] = mean_cost(teacher, problem, problem.load(key))
        if math.isinf(figures[key]):
            raise TeacherUnavailable(f"{teacher.name} gave scores that are not finite on {key}")
        left = (time.monotonic() - started) * (len(sets) / count - 1)
        report(TrainingProgress(f"measuring {key}", count / len(sets), left))
    return figures
