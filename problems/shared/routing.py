"""What routing problems share: points in the plane, their distances, and nodes as answers."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

from problems.base import Argument
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.base import InstanceSet

Points = tuple[tuple[float, float], ...]
"""Coordinates x and y of the nodes 0, 1, ..."""

BLOCK = 1 << 14
"""Distances computed at a time: they fit a processor's cache, and memory is needed once only."""


def distance(points: Points, node: int, other: int, rounded: bool) -> float:
    """The Euclidean distance of two nodes, bit for bit that of the matrix.

    `rounded` distances are rounded to the nearest integer (TSPLIB's `nint`).
    """
    (x, y), (u, v) = points[node], points[other]
    length = math.sqrt((x - u) * (x - u) + (y - v) * (y - v))
    return math.floor(length + 0.5) * 1.0 if rounded else length


def length(points: Points, way: Sequence[int], rounded: bool) -> float:
    """The length of a way, correctly rounded: the order of its parts makes no difference."""
    return math.fsum(distance(points, *leg, rounded) for leg in pairwise(way))


def build_matrix(points: Points, rounded: bool) -> NDArray[np.float64]:
    """All distances, read-only for good: the array lies in a bytes object."""
    import numpy as np

    x, y = np.array(points).T.copy()
    rows = max(1, BLOCK // len(points))
    blocks = []
    for first in range(0, len(points), rows):
        across = np.subtract.outer(x[first : first + rows], x)
        along = np.subtract.outer(y[first : first + rows], y)
        across *= across
        along *= along
        across += along
        np.sqrt(across, out=across)
        if rounded:
            np.floor(across + 0.5, out=across)
        blocks.append(across.tobytes())
    return np.frombuffer(b"".join(blocks)).reshape(len(points), len(points))


def matrix_argument(nodes: str, rounded: bool) -> Argument:
    """The distances as programs get them, between `nodes` in words."""
    kind = "Euclidean, rounded to the nearest integer" if rounded else "Euclidean"
    return Argument(
        "distance_matrix",
        f"distance_matrix[i, j] is the distance between {nodes}, {kind}, "
        "a 2-D NumPy array of float64, read-only",
    )


def read_nint(problem: str, word: str) -> bool:
    """The option `nint`, whether distances are rounded. Raises UserError."""
    if word not in ("false", "true"):
        raise UserError(f"{problem}: nint is 'true' or 'false', not {word!r}")
    return word == "true"


def is_roundable(points: Points) -> bool:
    """Whether rounded distances mean anything: not where all nodes lie in a unit square."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(max(xs) - min(xs), max(ys) - min(ys)) >= 10


def describe(sets: Iterable[InstanceSet], rounded: bool) -> tuple[InstanceSet, ...]:
    """The sets as a problem lists them: rounded costs are told, unrounded ones are the rule."""
    told = "; costs of rounded distances" if rounded else ""
    return tuple(replace(one, about=one.about + told) for one in sets)


def as_node(action: Any) -> int:
    """An action as a plain int: NumPy's integers too, -1 for bool, float and all else."""
    if isinstance(action, bool) or not isinstance(action, Integral):
        return -1
    return int(action)
