"""Travelling salesman instances: the value, its distances, the recipe of the generated sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1 << 14
"""Distances computed at a time: they fit a processor's cache, and memory is needed once only."""


@dataclass(frozen=True, slots=True)
class Instance:
    """Nodes in the plane, numbered from 0 in the order of `points`, pairs of x and y.

    Distances are Euclidean; `rounded` ones are rounded to the nearest integer (TSPLIB's `nint`).
    `reference` is the length of the best known tour, None where nothing is known.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    rounded: bool = False
    reference: float | None = None

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.points)

    def distance(self, node: int, other: int) -> float:
        """The distance of two nodes, bit for bit that of the matrix."""
        (x, y), (u, v) = self.points[node], self.points[other]
        length = math.sqrt((x - u) * (x - u) + (y - v) * (y - v))
        return math.floor(length + 0.5) * 1.0 if self.rounded else length

    def length(self, tour: Sequence[int]) -> float:
        """The length of a closed tour, correctly rounded: where it starts makes no difference."""
        following = (*tour[1:], *tour[:1])
        return math.fsum(map(self.distance, tour, following))


def build_matrix(instance: Instance) -> NDArray[np.float64]:
    """All distances, read-only for good: the array lies in a bytes object."""
    import numpy as np

    x, y = np.array(instance.points).T.copy()
    rows = max(1, BLOCK // instance.size)
    blocks = []
    for first in range(0, instance.size, rows):
        across = np.subtract.outer(x[first : first + rows], x)
        along = np.subtract.outer(y[first : first + rows], y)
        across *= across
        along *= along
        across += along
        np.sqrt(across, out=across)
        if instance.rounded:
            np.floor(across + 0.5, out=across)
        blocks.append(across.tobytes())
    return np.frombuffer(b"".join(blocks)).reshape(instance.size, instance.size)


@lru_cache(maxsize=1)
def matrix(instance: Instance) -> NDArray[np.float64]:
    """The distances of the instance that was asked for last."""
    return build_matrix(instance)


def random_points(seed: int, size: int, nodes: int) -> list[tuple[tuple[float, float], ...]]:
    """`size` times `nodes` points, uniform in the unit square, from NumPy's legacy generator."""
    from numpy.random import RandomState

    drawn = RandomState(seed).random_sample((size, nodes, 2)).tolist()
    return [tuple((x, y) for x, y in points) for points in drawn]
