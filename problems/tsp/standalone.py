"""The rules of the travelling salesman problem: build a tour with a program, node by node.

An instance is a pair: the points, and whether distances are rounded to the nearest integer.
The tour starts at node 0; at every step the program chooses among the nodes not visited yet,
which it is given nearest first. The last node is appended, and the tour returns to node 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Points = tuple[tuple[float, float], ...]
Instance = tuple[Points, bool]


def solve(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The nodes that the program chooses, in order, and the length of the closed tour."""
    matrix = distances(*instance)
    left = list(range(1, len(matrix)))
    tour = [0]
    while len(left) > 1:
        nearest_first = sorted(left, key=lambda node: matrix[tour[-1], node])
        node = int(choose(tour[-1], 0, np.array(nearest_first), matrix))
        left.remove(node)
        tour.append(node)
    chosen = tour[1:]
    tour += left
    return chosen, math.fsum(matrix[tour[i - 1], tour[i]] for i in range(len(tour)))


def distances(points: Points, rounded: bool) -> np.ndarray:
    """The Euclidean distances of all pairs of points, read-only."""
    x, y = np.array(points).T
    across = x[:, None] - x
    along = y[:, None] - y
    matrix: np.ndarray = np.sqrt(across * across + along * along)
    matrix = np.floor(matrix + 0.5) if rounded else matrix
    matrix.flags.writeable = False
    return matrix
