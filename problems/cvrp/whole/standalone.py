"""The rules of capacitated vehicle routing: a program plans all routes at once.

An instance holds the points, the depot first, the demands, the capacity, and whether distances
are rounded to the nearest integer. The program returns the customers of all routes in order of
visit, with a 0 between two routes; a vehicle carries no more than the capacity on a route.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Points = tuple[tuple[float, float], ...]


def solve(
    program: Callable[..., Any], instance: tuple[Points, tuple[int, ...], int, bool]
) -> tuple[list[int], float]:
    """What the program returns, and the length of all routes."""
    points, demands, capacity, rounded = instance
    matrix = distances(points, rounded)
    needs = np.array(demands, dtype=float)
    matrix.flags.writeable = needs.flags.writeable = False
    solution = [int(node) for node in program(matrix, needs, float(capacity))]
    if sorted(node for node in solution if node) != list(range(1, len(points))):
        raise ValueError("not every customer is visited once")
    load = 0
    way = [0]
    for node in [*solution, 0]:
        load = load + demands[node] if node else 0
        if load > capacity:
            raise ValueError(f"a route delivers more than {capacity}")
        way.append(node)
    return solution, math.fsum(matrix[way[i - 1], way[i]] for i in range(1, len(way)))


def distances(points: Points, rounded: bool) -> np.ndarray:
    """The Euclidean distances of all pairs of points."""
    x, y = np.array(points).T
    across = x[:, None] - x
    along = y[:, None] - y
    matrix: np.ndarray = np.sqrt(across * across + along * along)
    return np.floor(matrix + 0.5) if rounded else matrix
