"""What a training reports, and a teacher's greedy rollouts on instance sets."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from problems.base import Problem
from problems.errors import TeacherUnavailable, UserError
from teachers.base import Teacher
from teachers.rollout import mean_cost


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """One word on a training.

    `done` is a share of the stage, `left` the seconds until its end. `loss` is the mean since the
    last word, `cost` the mean minimised cost of greedy rollouts on the validation set and `best`
    the lowest so far; None in stages without them.
    """

    stage: str
    done: float
    left: float
    loss: float | None = None
    cost: float | None = None
    best: float | None = None

    def __str__(self) -> str:
        """One line for a terminal."""
        figures = {"loss": self.loss, "validation": self.cost, "best": self.best}
        words = [f"{name} {value:.2f}" for name, value in figures.items() if value is not None]
        minutes = f"{self.left / 60:.1f} min left"
        return ", ".join([f"{self.stage} {self.done:.0%}", *words, minutes])


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
