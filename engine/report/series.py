"""What can be plotted of some runs of one method: how they went, and where they ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.report.curves import CLOCKS, envelope, trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.domain.values import Candidate
    from engine.report.curves import Clock, Moment
    from engine.store.reader import Reader

Points = tuple[tuple[float, float], ...]
"""Costs with agreements."""


@dataclass(frozen=True, slots=True)
class Series:
    """Runs under one name. `points` are all their programs, `fronts` what no other dominates.

    `fronts` are those of the final populations, one a run, by cost; both are empty for runs
    without a teacher.
    """

    name: str
    dynamics: Mapping[Clock, tuple[Moment, ...]]
    points: Points
    fronts: tuple[Points, ...]


def read_series(reader: Reader, name: str, runs: Sequence[int]) -> Series:
    """The series of some runs. Raises UnknownName for no such run."""
    return Series(
        name,
        {clock: envelope([trace(reader, run, clock) for run in runs]) for clock in CLOCKS},
        tuple(point for run in runs for point in _points(reader.candidates(run))),
        tuple(nondominated(_points(reader.population(run))) for run in runs),
    )


def _points(candidates: Iterable[Candidate]) -> Points:
    return tuple(
        (c.cost, c.agreement) for c in candidates if c.cost is not None and c.agreement is not None
    )


def nondominated(points: Points) -> Points:
    """The points of which none is better in one respect and no worse in the other, by cost."""
    front: list[tuple[float, float]] = []
    for cost, agreement in sorted(set(points), key=lambda point: (point[0], -point[1])):
        if not front or agreement > front[-1][1]:
            front.append((cost, agreement))
    return tuple(front)
