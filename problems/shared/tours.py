"""Tours from a matrix of distances: nearest neighbour and 2-opt (G. A. Croes, 1958)."""

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
