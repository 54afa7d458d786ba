"""The rules of the travelling salesman problem: a program orders all nodes at once.

An instance is a pair, the points and whether distances are rounded to the nearest integer,
or a table, the distances of every node to the nodes before it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def solve(program: Callable[..., Any], instance: Any) -> tuple[list[int], float]:
    """The nodes in the order of the program, and the length of the closed tour."""
    matrix = distances(instance)
    matrix.flags.writeable = False
    tour = [int(node) for node in program(matrix)]
    if sorted(tour) != list(range(len(matrix))):
        raise ValueError("not a tour of all nodes")
    return tour, math.fsum(matrix[tour[i - 1], tour[i]] for i in range(len(tour)))


def distances(instance: Any) -> np.ndarray:
    """The distances of all pairs of nodes."""
    if isinstance(instance[-1], bool):
        points, rounded = instance
        x, y = np.array(points).T
        across = x[:, None] - x
        along = y[:, None] - y
        plane: np.ndarray = np.sqrt(across * across + along * along)
        return np.floor(plane + 0.5) if rounded else plane
    matrix = np.zeros((len(instance), len(instance)))
    for node, row in enumerate(instance):
        matrix[node, :node] = matrix[:node, node] = row
    return matrix
