"""The rules of the travelling salesman problem, which need NumPy and nothing else.

An instance is a pair, the points and whether distances are rounded to the nearest integer,
or a table, the distances of every node to the nodes before it. A tour starts at node 0; at
every step a program chooses among the nodes not visited yet, which it is given nearest
first. The last node is appended, and the tour returns to node 0. Or a program returns all
nodes in order at once.
"""

import math
from collections.abc import Callable
from typing import Any


class Tour:
    """A tour under construction, changed in place; `left[i]` is 1 for the nodes left."""

    def __init__(self, size: int) -> None:
        self.nodes = [0]
        self.left = bytearray(b"\1" * size)
        self.left[0] = False

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to choose: one node is left, or none."""
        return len(self.nodes) >= len(self.left) - 1

    def go(self, node: int) -> bool:
        """Visit a node; returns whether it may be visited."""
        if not 0 <= node < len(self.left) or not self.left[node] or self.is_done:
            return False
        self.left[node] = False
        self.nodes.append(node)
        return True

    def close(self) -> list[int]:
        """All nodes in order of visit, the last one appended."""
        return [*self.nodes, *(node for node, is_left in enumerate(self.left) if is_left)]


def sort_nearest(nodes: Any, row: Any, kind: Any = "stable") -> Any:
    """Ascending nodes as a new array, nearest first by their distances `row`, else as before.

    Every node is the current one once: sorting what is left of its row, when its turn comes,
    costs less than all rows in advance, and needs no second matrix.
    """
    return nodes[row[nodes].argsort(kind=kind)]


def solve(choose: Callable[..., Any], instance: Any) -> tuple[list[int], float]:
    """The nodes that the program chooses, in order, and the length of the closed tour."""
    import numpy as np

    matrix = find_distances(instance)
    tour = Tour(len(matrix))
    left = np.frombuffer(tour.left, dtype=np.bool_)
    while not tour.is_done:
        here = tour.nodes[-1]
        unvisited = sort_nearest(left.nonzero()[0], matrix[here])
        if not tour.go(int(choose(here, 0, unvisited, matrix))):
            raise ValueError("no unvisited node")
    return tour.nodes[1:], measure(tour.close(), matrix)


def solve_whole(program: Callable[..., Any], instance: Any) -> tuple[list[int], float]:
    """The nodes in the order of the program, and the length of the closed tour."""
    matrix = find_distances(instance)
    tour = [int(node) for node in program(matrix)]
    if sorted(tour) != list(range(len(matrix))):
        raise ValueError("not a tour of all nodes")
    return tour, measure(tour, matrix)


def measure(tour: list[int], matrix: Any) -> float:
    """The length of a closed tour, correctly rounded."""
    return math.fsum(matrix[tour[i - 1], tour[i]] for i in range(len(tour)))


def find_distances(instance: Any) -> Any:
    """The distances of all pairs of nodes, read-only."""
    import numpy as np

    if isinstance(instance[-1], bool):
        points, rounded = instance
        x, y = np.array(points).T
        across = x[:, None] - x
        along = y[:, None] - y
        matrix = np.sqrt(across * across + along * along)
        matrix = np.floor(matrix + 0.5) if rounded else matrix
    else:
        matrix = np.zeros((len(instance), len(instance)))
        for node, row in enumerate(instance):
            matrix[node, :node] = matrix[:node, node] = row
    matrix.flags.writeable = False
    return matrix
