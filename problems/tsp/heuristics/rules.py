"""The seeds of a search and the classical heuristics of benchmarks, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Rule
from problems.shared.seeds import as_rules
from problems.shared.tours import nearest_neighbour, two_opt
from problems.tsp.heuristics import programs
from problems.tsp.heuristics.construct import (
    best_nearest_neighbour,
    cheapest_insertion,
    farthest_insertion,
    greedy_edge,
)
from problems.tsp.sets.data import build_matrix
from problems.tsp.state import START

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.tsp.sets.data import Instance

SEEDS = as_rules(programs, "select_next_node")


def as_actions(tour: Sequence[int]) -> list[int]:
    """A tour from node 0 on as the actions that lead along it; the last node needs none."""
    first = tour.index(START)
    return [*tour[first + 1 :], *tour[:first]][:-1]


def _solver(name: str, idea: str, build: Callable[[NDArray[np.float64]], list[int]]) -> Rule:
    """A rule that builds whole tours from the distances."""

    def solve(instance: Instance) -> list[int]:
        return as_actions(build(build_matrix(instance)))

    return Rule(name, idea, solve=solve)


def _improved(matrix: NDArray[np.float64]) -> list[int]:
    return two_opt(matrix, nearest_neighbour(matrix))


SOLVERS = (
    _solver(
        "nearest-neighbour-best-start",
        "The shortest nearest neighbour tour over all nodes to start from.",
        best_nearest_neighbour,
    ),
    _solver("greedy-edge", "The shortest edges that fit into one tour, first.", greedy_edge),
    _solver(
        "cheapest-insertion",
        "Grow a cycle by the node that lengthens it least.",
        cheapest_insertion,
    ),
    _solver(
        "farthest-insertion",
        "Grow a cycle by the node farthest from it, at its best place.",
        farthest_insertion,
    ),
    _solver("nn-2opt", "The nearest neighbour tour, improved by 2-opt.", _improved),
)
RULES = (*SEEDS, *SOLVERS)
