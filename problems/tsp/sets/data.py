"""Travelling salesman instances: the value, its distances, the recipe of the generated sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from problems.shared import routing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Instance:
    """Nodes in the plane, numbered from 0 in the order of `points`, pairs of x and y.

    Distances are Euclidean; `rounded` ones are rounded to the nearest integer (TSPLIB's `nint`).
    `reference` is the length of the best known tour, None where nothing is known.
    """

    name: str
    points: routing.Points
    rounded: bool = False
    reference: float | None = None

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.points)

    def distance(self, node: int, other: int) -> float:
        """The distance of two nodes, bit for bit that of the matrix."""
        return routing.distance(self.points, node, other, self.rounded)

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
