"""Travelling salesman instances: the value, its distances, as a record, drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from problems.sets.records import Record
from problems.shared import routing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Instance(routing.PlaneInstance):
    """Nodes to be visited; `reference` is the length of the best known tour, if any is known."""

    name: str
    points: routing.Points
    rounded: bool = False
    reference: float | None = None

    def length(self, tour: Sequence[int]) -> float:
        """The length of a closed tour, correctly rounded: where it starts makes no difference."""
        return routing.length(self.points, [*tour, tour[0]], self.rounded)


def build_matrix(instance: Instance) -> NDArray[np.float64]:
    """All distances, read-only for good: the array lies in a bytes object."""
    return routing.build_matrix(instance.points, instance.rounded)


@lru_cache(maxsize=1)
def matrix(instance: Instance) -> NDArray[np.float64]:
    """The distances of the instance that was asked for last."""
    return build_matrix(instance)


def random_points(seed: int, size: int, nodes: int) -> list[routing.Points]:
    """`size` times `nodes` points, uniform in the unit square, from NumPy's legacy generator."""
    from numpy.random import RandomState

    drawn = RandomState(seed).random_sample((size, nodes, 2)).tolist()
    return [tuple((x, y) for x, y in points) for points in drawn]


def as_record(instance: Instance) -> Record:
    """An instance as the library keeps it: the table `coords[node, 2]`."""
    import numpy as np

    return Record({"coords": np.array(instance.points)}, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """An instance that the library kept."""
    points = tuple((x, y) for x, y in record.tables["coords"].tolist())
    return Instance(record.name, points, reference=record.reference)
