"""The rules of capacitated vehicle routing, which need NumPy and nothing else.

An instance holds the points, the depot first, the demands, the capacity, and whether
distances are rounded to the nearest integer. At every step a program chooses among the
customers that are not visited yet and fit what the vehicle has left, ascending, or returns
to the depot, node 0, which refills the vehicle. When nothing fits, and at the end, the
vehicle returns by itself. Or a program returns the customers of all routes at once, in order
of visit, with a 0 between two routes; a vehicle carries no more than the capacity on a
route.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

Points = tuple[tuple[float, float], ...]
Instance = tuple[Points, tuple[int, ...], int, bool]


class Vehicle:
    """A vehicle on its way, changed in place.

    `way` lists the nodes in order of visit from the depot on, `rest` is what the vehicle has
    left, `unused` what it had left when it returned last. `left[i]` is true for the
    customers not visited yet; `_smallest` lists them with the smallest demand last, visited
    ones at its end taken off when it is looked at.
    """

    def __init__(self, demands: Sequence[int], capacity: int) -> None:
        self.demands = demands
        self.capacity = self.rest = self.unused = capacity
        self.way = [0]
        self.steps = 0
        self.left = [node > 0 for node in range(len(demands))]
        self._smallest = sorted(range(1, len(demands)), key=demands.__getitem__, reverse=True)

    @property
    def is_done(self) -> bool:
        """Whether all customers have been visited."""
        return not self._smallest

    def go(self, node: int) -> bool:
        """Visit a customer, or return to the depot, 0; returns whether that may be done."""
        if 0 < node < len(self.left) and self.left[node] and self.demands[node] <= self.rest:
            self.left[node] = False
            self.rest -= self.demands[node]
            self.way.append(node)
            smallest = self._smallest
            while smallest and not self.left[smallest[-1]]:
                smallest.pop()
            if not smallest or self.demands[smallest[-1]] > self.rest:
                self._return()
        elif node == 0 != self.way[-1]:
            self._return()
        else:
            return False
        self.steps += 1
        return True

    def _return(self) -> None:
        self.unused = self.rest
        self.rest = self.capacity
        self.way.append(0)


def solve(choose: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """The nodes that the program chooses, in order, and the length of all routes."""
    import numpy as np

    matrix, demands = find_arrays(instance)
    vehicle = Vehicle(*instance[1:3])
    chosen: list[int] = []
    while not vehicle.is_done:
        fitting = np.flatnonzero(np.array(vehicle.left) & (demands <= vehicle.rest))
        state = (vehicle.way[-1], 0, fitting, float(vehicle.rest))
        chosen.append(int(choose(*state, demands, matrix)))
        if not vehicle.go(chosen[-1]):
            raise ValueError("no feasible node")
    return chosen, measure(vehicle.way, matrix)


def solve_whole(program: Callable[..., Any], instance: Instance) -> tuple[list[int], float]:
    """What the program returns, and the length of all routes."""
    matrix, needs = find_arrays(instance)
    points, demands, capacity, _ = instance
    solution = [int(node) for node in program(matrix, needs, float(capacity))]
    if sorted(node for node in solution if node) != list(range(1, len(points))):
        raise ValueError("not every customer is visited once")
    load = 0
    for node in solution:
        load = load + demands[node] if node else 0
        if load > capacity:
            raise ValueError(f"a route delivers more than {capacity}")
    return solution, measure([0, *solution, 0], matrix)


def measure(way: list[int], matrix: Any) -> float:
    """The length of a way, correctly rounded."""
    return math.fsum(matrix[way[i - 1], way[i]] for i in range(1, len(way)))


def find_arrays(instance: Instance) -> tuple[Any, Any]:
    """The distances of all pairs of points, and the demands, read-only."""
    import numpy as np

    points, demands, _, rounded = instance
    x, y = np.array(points).T
    across = x[:, None] - x
    along = y[:, None] - y
    matrix = np.sqrt(across * across + along * along)
    matrix = np.floor(matrix + 0.5) if rounded else matrix
    needs = np.array(demands, dtype=float)
    matrix.flags.writeable = needs.flags.writeable = False
    return matrix, needs
