"""The classical heuristics build routes by their rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from problems.cvrp.heuristics import savings, sweep
from problems.cvrp.instances import Instance
from problems.cvrp.problem import Cvrp
from problems.cvrp.references import hgs
from problems.cvrp.walk import as_actions
from problems.errors import InvalidAction
from tests.problems.fleets import fleet, fleets

PROBLEM = Cvrp()
TWO_SIDES = fleet(10, (0, 0, 0), (5, 1, 4), (5, -1, 5), (-5, 1, 5), (-5, -1, 4), (6, 0, 1))


@pytest.mark.parametrize("build", [savings, sweep], ids=lambda build: build.__name__)
@settings(max_examples=60, derandomize=True)
@given(instance=fleets())
def test_every_construction_serves_every_customer_once_within_capacity(
    build: Callable[[Instance], list[list[int]]], instance: Instance
) -> None:
    routes = build(instance)
    assert sorted(node for route in routes for node in route) == list(range(1, instance.size))
    assert all(sum(instance.demands[n] for n in route) <= instance.capacity for route in routes)
    way = [0, *(node for route in routes for node in (*route, 0))]
    assert PROBLEM.replay(instance, as_actions(instance, routes)) == pytest.approx(
        instance.length(way), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("build", [savings, sweep], ids=lambda build: build.__name__)
def test_neighbours_share_a_route(build: Callable[[Instance], list[list[int]]]) -> None:
    routes = sorted(map(sorted, build(TWO_SIDES)))
    assert routes == [[1, 2, 5], [3, 4]]


def test_savings_joins_the_pair_that_saves_most_first() -> None:
    instance = fleet(2, (0, 0, 0), (9, 0, 1), (9, 1, 1), (9, 2, 1), (1, 0, 1))
    assert sorted(map(sorted, savings(instance))) == [[1, 4], [2, 3]]


def test_savings_joins_nothing_that_saves_nothing() -> None:
    opposite = fleet(9, (0, 0, 0), (1, 0, 1), (-1, 0, 1))
    assert savings(opposite) == [[1], [2]]


def test_a_sweep_begins_where_the_routes_get_shortest() -> None:
    instance = fleet(2, (0, 0, 0), (9, 1, 1), (1, 9, 1), (-1, 9, 1), (9, -1, 1))
    assert sorted(map(sorted, sweep(instance))) == [[1, 4], [2, 3]]


def test_pyvrp_finds_the_shortest_routes() -> None:
    pytest.importorskip("pyvrp")
    actions = hgs.solve(TWO_SIDES, iterations=20)
    assert PROBLEM.replay(TWO_SIDES, actions) == pytest.approx(2 * 26**0.5 * 2 + 2 * 2**0.5 + 2)


def test_returns_that_happen_anyway_are_no_actions() -> None:
    full = fleet(4, (0, 0, 0), (1, 0, 4), (2, 0, 3), (3, 0, 1))
    assert as_actions(full, [[1], [2, 3]]) == [1, 2, 3]
    assert as_actions(full, [[3], [2], [1]]) == [3, 0, 2, 1]


def test_routes_that_overload_the_vehicle_are_refused() -> None:
    with pytest.raises(InvalidAction, match="does not fit any more"):
        as_actions(TWO_SIDES, [[1, 2, 3], [4, 5]])
