"""A teacher's greedy rollouts on instance sets, reported as they are measured."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from problems.errors import TeacherUnavailable, UserError
from teachers.rollout import mean_cost
from teachers.training.progress import TrainingProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from problems.base import Problem
    from teachers.base import Teacher


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
    figures = dict[str, float]()
    started = time.monotonic()
    for count, key in enumerate(sets, start=1):
        figures[key] = mean_cost(teacher, problem, problem.load(key))
        if math.isinf(figures[key]):
            raise TeacherUnavailable(f"{teacher.name} gave scores that are not finite on {key}")
        left = (time.monotonic() - started) * (len(sets) / count - 1)
        report(TrainingProgress(f"measuring {key}", count / len(sets), left))
    return figures
