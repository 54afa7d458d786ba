"""Points in the plane: their distances, tours through them, and how they are drawn."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from problems.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

Points = tuple[tuple[float, float], ...]
"""Coordinates x and y of the nodes 0, 1, ..."""

BLOCK = 1 << 14
"""Distances computed at a time: they fit a processor's cache, and memory is needed once only."""


def distance(points: Points, node: int, other: int, rounded: bool) -> float:
    """The Euclidean distance of two nodes, bit for bit that of the matrix.

    `rounded` distances are rounded to the nearest integer (TSPLIB's `nint`).
    """
    x, y = points[node]
    u, v = points[other]
    length = math.sqrt((x - u) * (x - u) + (y - v) * (y - v))
    return math.floor(length + 0.5) * 1.0 if rounded else length


def length(points: Points, way: Sequence[int], rounded: bool) -> float:
    """The length of a way, correctly rounded: the order of its parts makes no difference."""
    return math.fsum(distance(points, *leg, rounded) for leg in pairwise(way))


def build_matrix(points: Points, rounded: bool) -> NDArray[np.float64]:
    """All distances, read-only for good: the array lies in a bytes object."""
    import numpy as np

    x, y = np.array(points).T.copy()

    def build(rows: slice) -> NDArray[np.float64]:
        across: NDArray[np.float64] = np.subtract.outer(x[rows], x)
        along = np.subtract.outer(y[rows], y)
        across *= across
        along *= along
        across += along
        np.sqrt(across, out=across)
        if rounded:
            np.floor(across + 0.5, out=across)
        return across

    return stack(len(points), build)


def stack(size: int, build: Callable[[slice], NDArray[np.float64]]) -> NDArray[np.float64]:
    """A matrix of as many rows as columns, built some rows at a time, read-only for good.

    It needs its memory once: the bytes written are the bytes kept.
    """
    import numpy as np

    rows = max(1, BLOCK // size)
    kept = io.BytesIO()
    for first in range(0, size, rows):
        kept.write(build(slice(first, first + rows)).data)
    return np.frombuffer(kept.getvalue()).reshape(size, size)


def is_roundable(points: Points) -> bool:
    """Whether rounded distances mean anything: not where all nodes lie in a unit square."""
    return any(max(values) - min(values) >= 10 for values in zip(*points, strict=True))


def as_coordinates(points: Any, file: str) -> NDArray[np.float64]:
    """Pairs of numbers, read from a file, as an array. Raises UserError for anything else."""
    import numpy as np

    try:
        coords = np.array(points, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise UserError(f"{file}: its coordinates are not numbers") from error
    if coords.ndim != 2 or coords.shape[1] != 2 or not np.isfinite(coords).all():
        raise UserError(f"{file}: its coordinates are not points in the plane")
    return coords


class PlaneInstance:
    """Nodes in the plane, numbered from 0 in the order of `points`, pairs of x and y.

    Distances are Euclidean; `rounded` ones are rounded to the nearest integer (TSPLIB's `nint`).
    """

    __slots__ = ()

    points: Points
    rounded: bool

    @property
    def size(self) -> int:
        """Number of nodes, a depot included."""
        return len(self.points)

    @property
    def is_roundable(self) -> bool:
        """Whether distances in whole numbers mean anything."""
        return is_roundable(self.points)

    def distance(self, node: int, other: int) -> float:
        """The distance of two nodes, bit for bit that of the matrix."""
        return distance(self.points, node, other, self.rounded)


WIDTH = 48
"""With 22 lines of cells twice as high as wide, a square is drawn as one."""

HEIGHT = 22


def sketch(
    points: Points, layers: Iterable[tuple[str, Iterable[int]]], path: Sequence[int] = ()
) -> list[str]:
    """The nodes where they lie, as 22 lines of at most 48 columns, and lines along a path of some.

    A layer is a sign and the nodes that it stands for; where several lie in one place, the last
    layer shows. North is up, both axes fill the picture.
    """
    xs, ys = zip(*points, strict=True)
    columns = _scale(xs, WIDTH)
    heights = _scale(ys, HEIGHT)
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for node, following in pairwise(path):
        places = [(columns[k], HEIGHT - 1 - heights[k]) for k in (node, following)]
        for column, row, sign in _line(*places):
            rows[row][column] = sign
    for sign, nodes in layers:
        for node in nodes:
            rows[HEIGHT - 1 - heights[node]][columns[node]] = sign
    return ["".join(row).rstrip() for row in rows]


def _line(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
    """The cells between two, by column and row, each with a stroke of the line's direction."""
    wide, high = end[0] - start[0], end[1] - start[1]
    steps = max(abs(wide), abs(high))
    last = start
    for step in range(1, steps):
        here = (start[0] + round(wide * step / steps), start[1] + round(high * step / steps))
        right, down = here[0] - last[0], here[1] - last[1]
        yield *here, "-" if down == 0 else "|" if right == 0 else "\\" if right == down else "/"
        last = here


def _scale(values: Sequence[float], size: int) -> list[int]:
    low = min(values)
    span = (max(values) - low) or 1
    return [round((value - low) / span * (size - 1)) for value in values]


LEAST = 1e-9
"""The smallest gain that counts, as a share of the mean edge: rounding errors are no gain."""


def two_opt(matrix: Matrix, tour: Sequence[int]) -> list[int]:
    """A tour that no reversal of a stretch shortens (2-opt, G. A. Croes, 1958).

    Every edge takes its best exchange first.
    """
    import numpy as np

    nodes = np.array(tour)
    least = LEAST * matrix[nodes, np.roll(nodes, -1)].mean()
    improved = True
    while improved:
        improved = False
        for first in range(len(nodes) - 2):
            last, gain = _best_exchange(matrix, nodes, first)
            if gain > least:
                nodes[first + 1 : last + 1] = nodes[first + 1 : last + 1][::-1].copy()
                improved = True
    return list(map(int, nodes))


def _best_exchange(matrix: Matrix, nodes: NDArray[np.int64], first: int) -> tuple[int, float]:
    """The best second edge to exchange with the one after place `first`: its place, the gain."""
    import numpy as np

    node = nodes[first]
    following = nodes[first + 1]
    others = nodes[first + 2 :]
    behind = np.append(others[1:], nodes[0])
    gains = matrix[others, behind] - matrix[node, others] - matrix[following, behind]
    best = int(gains.argmax())
    return first + 2 + best, float(gains[best] + matrix[node, following])


def nearest_neighbour(matrix: Matrix, start: int = 0) -> list[int]:
    """From the start always to the closest node left; ties go to the lowest."""
    import numpy as np

    tour = [start]
    passed = np.zeros(len(matrix))
    for _ in range(len(matrix) - 1):
        passed[tour[-1]] = np.inf
        tour.append(int((matrix[tour[-1]] + passed).argmin()))
    return tour
