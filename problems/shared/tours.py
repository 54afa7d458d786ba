"""Tours from a matrix of distances: nearest neighbour, 2-opt (G. A. Croes, 1958), and Or-opt.

Or-opt moves short stretches (I. Or, 1976).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

LEAST = 1e-9
"""The smallest gain that counts, as a share of the mean edge: rounding errors are no gain."""


def two_opt(matrix: Matrix, tour: Sequence[int]) -> list[int]:
    """A tour that no reversal of a stretch shortens; every edge takes its best exchange first."""
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


STRETCH = 3
"""Nodes of a stretch that Or-opt moves, at most."""


def or_opt(matrix: Matrix, tour: Sequence[int]) -> list[int]:
    """A tour in which every stretch of up to three nodes was moved once, where that shortens it.

    A stretch is moved to the place where it saves most, either way round.
    """
    import numpy as np

    nodes = np.array(tour)
    least = LEAST * matrix[nodes, np.roll(nodes, -1)].mean()
    for count in range(1, min(STRETCH, len(nodes) - 3) + 1):
        for first in tour:
            nodes = np.roll(nodes, -int((nodes == first).argmax()))
            nodes = _move_stretch(matrix, nodes[:count], nodes[count:], least)
    return list(map(int, nodes))


def _move_stretch(
    matrix: Matrix, stretch: NDArray[np.int64], rest: NDArray[np.int64], least: float
) -> NDArray[np.int64]:
    """The tour of a stretch and then the rest, with the stretch where it costs least."""
    import numpy as np

    head = stretch[0]
    tail = stretch[-1]
    ahead = np.roll(rest, -1)
    added = matrix[[head, tail]][:, rest] + matrix[[tail, head]][:, ahead] - matrix[rest, ahead]
    way, place = divmod(int(added.argmin()), len(rest))
    if added[0, -1] - added[way, place] <= least:
        return np.concatenate([stretch, rest])
    turned = stretch[::-1] if way else stretch
    return np.concatenate([rest[: place + 1], turned, rest[place + 1 :]])


def share_saved(before: float, after: float) -> float:
    """The share of a length that is saved, in per cent; 0 for rounding errors."""
    return 100 * (before - after) / before if before - after > LEAST * before else 0.0
