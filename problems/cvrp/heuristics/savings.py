"""The parallel savings heuristic (G. Clarke and J. W. Wright, 1964)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT, build_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable

    from problems.cvrp.sets.data import Instance, Matrix


def savings(instance: Instance) -> list[list[int]]:
    """Routes: one a customer at first, joined end to end where that saves most and still fits.

    Equal savings are taken in the order of customer numbers.
    """
    routes = {node: [node] for node in range(1, instance.size)}
    route_of = {node: node for node in routes}
    loads = dict(enumerate(instance.demands))
    matrix, _ = build_arrays(instance)
    for node, other in _pairs(matrix):
        one = route_of[node]
        two = route_of[other]
        if one == two or loads[one] + loads[two] > instance.capacity:
            continue
        first = routes[one]
        second = routes[two]
        if node not in (first[0], first[-1]) or other not in (second[0], second[-1]):
            continue
        if first[-1] != node:
            first.reverse()
        first += second if second[0] == other else second[::-1]
        loads[one] += loads[two]
        route_of.update(dict.fromkeys(second, one))
        del routes[two]
    return list(routes.values())


def _pairs(matrix: Matrix) -> Iterable[tuple[int, int]]:
    """The pairs of customers that save anything, the greatest saving first."""
    import numpy as np

    home = matrix[DEPOT]
    nodes, others = np.triu_indices(len(matrix), 1)
    nodes, others = nodes[nodes > DEPOT], others[nodes > DEPOT]
    saved = home[nodes] + home[others] - matrix[nodes, others]
    order = (-saved).argsort(kind="stable")[: int((saved > 0).sum())]
    return zip(nodes[order].tolist(), others[order].tolist(), strict=True)
