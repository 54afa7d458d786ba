"""A teacher's recorded figures, measured again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import problems
from problems.errors import UnknownName
from teachers import load, problem_of
from teachers.training.measure import TrainingProgress, at_hand, measure
from teachers.weights import header_files, read_header


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
    from teachers.device import use_one_thread  # imports torch

    use_one_thread()
    header = read_header(header_files()[name])
    ref = problem_of(header)
    teacher = load(name, ref, device)
    problem = problems.load(ref)
    found = measure(teacher, problem, at_hand(problem, header.measured), report)
    return tuple(Figure(key, value, found.get(key)) for key, value in header.measured.items())
