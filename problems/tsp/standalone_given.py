"""The rules of the travelling salesman problem: build a tour with a program, node by node.

An instance is a table: the distances of every node to the nodes before it.
The tour starts at node 0; at every step the program chooses among the nodes not visited yet,
which it is given nearest first. The last node is appended, and the tour returns to node 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Instance = tuple[tuple[float, ...], ...]


def solve(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The nodes that the program chooses, in order, and the length of the closed tour."""
    matrix = distances(instance)
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


def distances(rows: Instance) -> np.ndarray:
    """The distances of all pairs of nodes, read-only."""
    matrix = np.zeros((len(rows), len(rows)))
    for node, row in enumerate(rows):
        matrix[node, :node] = matrix[:node, node] = row
    matrix.flags.writeable = False
    return matrix
