"""The seeds of a search and the classical heuristics of benchmarks, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Rule
from problems.cvrp.heuristics import look_ahead, programs
from problems.cvrp.heuristics.savings import savings
from problems.cvrp.heuristics.sweep import sweep
from problems.cvrp.vehicle import as_actions
from problems.shared.seeds import as_rule, as_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.cvrp.sets.data import Instance

SEEDS = as_rules(programs, "select_next_node")

WIDE_PARAMETERS = (
    "current_node, depot, unvisited_nodes, customers_left, rest_capacity, capacity, demands, "
    "distance_matrix"
)


def _wide(function: Callable[..., object], *helpers: Callable[..., object]) -> Rule:
    return as_rule(function, "select_next_node", *helpers, parameters=WIDE_PARAMETERS)


WIDE_SEEDS = (
    _wide(programs.nearest_neighbour),
    _wide(programs.most_saved),
    _wide(programs.relatively_near),
    _wide(programs.least_way_per_unit),
    _wide(look_ahead.outskirts_first),
    _wide(programs.turn_home),
    _wide(programs.low_tank),
    _wide(programs.no_detour),
    _wide(look_ahead.shortest_completion, look_ahead.complete),
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
WIDE_RULES = (*WIDE_SEEDS, *SOLVERS)
