"""The classical heuristics build tours by their rules."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from problems.shared.routing import nearest_neighbour, two_opt
from problems.tsp import heuristics
from problems.tsp.heuristics import as_actions
from problems.tsp.instances import Instance, build_matrix
from problems.tsp.problem import Tsp
from tests.problems.tours import plane, planes

PROBLEM = Tsp()
BUILDERS = [
    nearest_neighbour,
    heuristics.best_nearest_neighbour,
    heuristics.greedy_edge,
    heuristics.cheapest_insertion,
    heuristics.farthest_insertion,
]
CROSSED = plane((0, 0), (4, 3), (4, 0), (0, 3))


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
@settings(max_examples=40, derandomize=True)
@given(instance=planes())
def test_every_construction_visits_every_node_once(
    build: Callable[..., list[int]], instance: Instance
) -> None:
    tour = build(build_matrix(instance))
    assert sorted(tour) == list(range(instance.size))
    assert PROBLEM.replay(instance, as_actions(tour)) == instance.length(tour)


@settings(max_examples=40, derandomize=True)
@given(planes())
def test_the_best_start_is_the_best_of_all(instance: Instance) -> None:
    matrix = build_matrix(instance)
    all_starts = [nearest_neighbour(matrix, node) for node in range(instance.size)]
    best = min(map(instance.length, all_starts))
    assert instance.length(heuristics.best_nearest_neighbour(matrix)) == pytest.approx(best)


def test_side_by_side_tours_are_the_single_ones_where_nodes_coincide() -> None:
    coords = np.random.RandomState(5).randint(0, 6, (60, 2))
    matrix = build_matrix(plane(*map(tuple, coords.tolist())))
    closest = matrix.argsort(axis=1, kind="stable")[:, : heuristics.CLOSEST]
    tours = heuristics.nearest_neighbours(matrix, closest, np.arange(60))
    assert tours.tolist() == [nearest_neighbour(matrix, node) for node in range(60)]


@settings(max_examples=40, derandomize=True)
@given(planes())
def test_no_reversal_shortens_what_2_opt_returns(instance: Instance) -> None:
    tour = two_opt(build_matrix(instance), range(instance.size))
    length = instance.length(tour)
    for first, last in combinations(range(instance.size + 1), 2):
        other = [*tour[:first], *tour[first:last][::-1], *tour[last:]]
        assert instance.length(other) > length - 1e-6


def test_2_opt_uncrosses_a_tour() -> None:
    assert CROSSED.length(range(4)) == 16.0
    assert CROSSED.length(two_opt(build_matrix(CROSSED), range(4))) == 14.0


def test_greedy_edge_takes_the_shortest_edges_that_fit() -> None:
    line = plane((0, 0), (10, 0), (1, 0), (11, 0), (5, 0))
    tour = heuristics.greedy_edge(build_matrix(line))
    pairs = set(map(frozenset, pairwise(tour)))
    assert {frozenset((0, 2)), frozenset((1, 3)), frozenset((2, 4)), frozenset((4, 1))} == pairs


def test_insertion_puts_each_node_at_its_best_place() -> None:
    square = plane((0, 0), (2, 2), (0, 2), (2, 0), (1, 2.1))
    matrix = build_matrix(square)
    for build in (heuristics.cheapest_insertion, heuristics.farthest_insertion):
        tour = build(matrix)
        best = 2 + 2 + 2 + 2 * np.hypot(1, 0.1)
        assert square.length(tour) == pytest.approx(best)
