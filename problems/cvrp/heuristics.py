"""The seeds of a search, and the classical heuristics for whole routes.

The parallel savings heuristic (G. Clarke and J. W. Wright, 1964) and the sweep (B. E. Gillett and
L. R. Miller, 1974), which clusters customers by angle and then routes each cluster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from problems.base import Rule
from problems.cvrp.instances import DEPOT, Instance, Matrix, build_arrays
from problems.cvrp.walk import as_actions
from problems.shared.programs import score_each
from problems.shared.routing import nearest_neighbour, two_opt


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


HEAD = (
    "def select_next_node(current_node, depot, unvisited_nodes, rest_capacity, demands, "
    """distance_matrix):
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
"""
)
BEST = """\
        if score < best_score:
            best_node, best_score = node, score
"""
TAIL = f"{BEST}    return best_node\n"
LOW = f"""\
{BEST}\
    is_low = rest_capacity < 2 * demands.mean()
    if is_low and current_node != depot and distance_matrix[current_node, depot] < best_score:
        return depot
    return best_node
"""
DETOUR = f"""\
{BEST}\
    is_detour = distance_matrix[best_node, depot] < distance_matrix[current_node, best_node]
    if is_detour and current_node != depot:
        return depot
    return best_node
"""
STEP = "step = distance_matrix[current_node, node]"
WAY_HOME = "way_home = distance_matrix[node, depot]"

_rule = score_each(HEAD, TAIL)

SEEDS = (
    _rule(
        "nearest-neighbour",
        "Nearest neighbour: go to the customer that is closest.",
        "score = distance_matrix[current_node, node]",
    ),
    _rule(
        "most-saved",
        "Savings: go where coming from here, not from the depot, saves most.",
        STEP,
        WAY_HOME,
        "score = step - way_home",
    ),
    _rule(
        "relatively-near",
        "Near from here for a customer that is far from the depot: the smallest ratio.",
        STEP,
        WAY_HOME,
        "score = step / (way_home + 1e-9)",
    ),
    _rule(
        "least-way-per-unit",
        "Least way per unit delivered: distance over demand.",
        STEP,
        "score = step / max(1.0, demands[node])",
    ),
    _rule(
        "outskirts-first",
        "Weigh the step against the mean distance to all nodes, so that the rim goes first.",
        STEP,
        "remoteness = distance_matrix[node].mean()",
        "score = step - 0.7 * remoteness",
    ),
    _rule(
        "turn-home",
        "Away from the depot while many customers fit, less so as they get fewer.",
        STEP,
        WAY_HOME,
        "fitting = len(unvisited_nodes) / len(demands)",
        "score = step - way_home * fitting",
    ),
    score_each(HEAD, LOW)(
        "low-tank",
        "Nearest neighbour, but with little left return when the depot is closer.",
        "score = distance_matrix[current_node, node]",
    ),
    score_each(HEAD, DETOUR)(
        "no-detour",
        "Savings by half, but return when the next customer is closer to the depot than to here.",
        STEP,
        WAY_HOME,
        "score = step - 0.5 * way_home",
    ),
)


def _solver(name: str, idea: str, build: Callable[[Instance], list[list[int]]]) -> Rule:
    """A rule that builds whole routes."""

    def solve(instance: Instance) -> list[int]:
        return as_actions(instance, build(instance))

    return Rule(name, idea, solve=solve)


SOLVERS = (
    _solver("savings", "Join routes end to end where that saves most (Clarke-Wright).", savings),
    _solver("sweep", "Cluster customers by angle, and route each cluster by 2-opt.", sweep),
)
RULES = (*SEEDS, *SOLVERS)
