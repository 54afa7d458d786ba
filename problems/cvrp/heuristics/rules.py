"""The seeds of a search and the classical heuristics of benchmarks, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Rule
from problems.cvrp.heuristics import programs
from problems.cvrp.heuristics.savings import savings
from problems.cvrp.heuristics.sweep import sweep
from problems.cvrp.walk import as_actions
from problems.shared.seeds import as_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.cvrp.sets.data import Instance

SEEDS = as_rules(programs, "select_next_node")


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
