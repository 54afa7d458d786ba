"""The rules of capacitated vehicle routing: build routes with a program, node by node.

An instance holds the points, the depot first, the demands, the capacity, and whether distances
are rounded to the nearest integer. At every step the program chooses among the customers that
are not visited yet and fit what the vehicle has left, ascending, or returns to the depot, node
0, which refills the vehicle. When nothing fits, and at the end, the vehicle returns by itself.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Points = tuple[tuple[float, float], ...]
Instance = tuple[Points, tuple[int, ...], int, bool]


def solve(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The nodes that the program chooses, in order, and the length of all routes."""
    points, demands, capacity, rounded = instance
    matrix = distances(points, rounded)
    needs = np.array(demands, dtype=float)
    needs.flags.writeable = False
    left = set(range(1, len(points)))
    way = [0]
    chosen: list[int] = []
    rest = capacity
    while left:
        fitting = sorted(node for node in left if demands[node] <= rest)
        if fitting:
            node = int(choose(way[-1], 0, np.array(fitting), float(rest), needs, matrix))
            chosen.append(node)
        else:
            node = 0
        rest = rest - demands[node] if node else capacity
        left -= {node}
        way.append(node)
    way.append(0)
    return chosen, math.fsum(matrix[way[i - 1], way[i]] for i in range(1, len(way)))


def distances(points: Points, rounded: bool) -> np.ndarray:
    """The Euclidean distances of all pairs of points, read-only."""
    x, y = np.array(points).T
    across = x[:, None] - x
    along = y[:, None] - y
    matrix: np.ndarray = np.sqrt(across * across + along * along)
    matrix = np.floor(matrix + 0.5) if rounded else matrix
    matrix.flags.writeable = False
    return matrix
