"""The sweep (B. E. Gillett and L. R. Miller, 1974): cluster by angle, then route each cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT, build_arrays
from problems.shared.tours import nearest_neighbour, two_opt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.cvrp.sets.data import Instance, Matrix

STARTS = 8
"""Rays to begin at, spread evenly over the customers in order of angle."""


def sweep(instance: Instance) -> list[list[int]]:
    """The shortest routes over some rays to begin at, the first such ray.

    The ray turns around the depot and takes up customers until the next one does not fit; each
    cluster gets the nearest neighbour tour from the depot, improved by 2-opt.
    """
    matrix, _ = build_arrays(instance)
    customers = sorted(range(1, instance.size), key=lambda node: _angle(instance, node))
    starts = sorted({ray * len(customers) // STARTS for ray in range(STARTS)})
    solutions = [
        [_route(matrix, cluster) for cluster in _clusters(instance, customers, start)]
        for start in starts
    ]
    return min(solutions, key=lambda routes: _length(instance, routes))


def _angle(instance: Instance, node: int) -> float:
    x, y = instance.points[node]
    home_x, home_y = instance.points[DEPOT]
    return math.atan2(y - home_y, x - home_x)


def _clusters(instance: Instance, customers: Sequence[int], start: int) -> list[list[int]]:
    clusters: list[list[int]] = [[]]
    load = 0
    for node in (*customers[start:], *customers[:start]):
        load += instance.demands[node]
        if load > instance.capacity:
            clusters.append([])
            load = instance.demands[node]
        clusters[-1].append(node)
    return clusters


def _route(matrix: Matrix, cluster: list[int]) -> list[int]:
    """The customers of a cluster in the order of a short tour from the depot."""
    import numpy as np

    nodes = np.array([DEPOT, *cluster])
    own = matrix[np.ix_(nodes, nodes)]
    tour = two_opt(own, nearest_neighbour(own))
    return [int(nodes[place]) for place in tour[1:]]


def _length(instance: Instance, routes: list[list[int]]) -> float:
    return instance.length([DEPOT, *(node for route in routes for node in (*route, DEPOT))])
