"""What routes leave to gain is what the moves really save."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from problems.cvrp.leftover import leftover, list_routes, traits
from problems.cvrp.vehicle import as_actions
from tests.problems.fleets import fleet, fleets

if TYPE_CHECKING:
    from problems.cvrp.sets.data import Instance

LINE = fleet(4, (0, 0, 0), (1, 0, 2), (2, 0, 2), (-1, 0, 2), (-2, 0, 2))
"""Two customers east of the depot and two west of it, two to a route."""

MOVE, EXCHANGE = 1, 2


def test_customers_of_the_wrong_routes_are_found() -> None:
    mixed = list(leftover(LINE, as_actions(LINE, [[1, 3], [2, 4]])).values())
    assert mixed[EXCHANGE] == pytest.approx(100 * (12 - 8) / 12)
    assert mixed[MOVE] == 0  # no route has room
    assert set(leftover(LINE, as_actions(LINE, [[1, 2], [3, 4]])).values()) == {0.0}


def test_a_route_too_many_is_counted_and_its_customer_moved() -> None:
    apart = list(leftover(LINE, as_actions(LINE, [[1], [2], [3, 4]])).values())
    assert apart[MOVE] == pytest.approx(100 * (10 - 8) / 10)
    assert apart[-1] == 1


def test_traits_tell_how_many_customers_fill_a_route() -> None:
    assert traits(LINE) == {"customers a full route": 2.0, "depot from the middle": 0.0}


@given(fleets())
def test_of_any_routes_no_share_is_out_of_range(instance: Instance) -> None:
    actions = as_actions(instance, [[node] for node in range(1, instance.size)])
    assert sorted(chain(*list_routes(instance, actions))) == list(range(1, instance.size))
    *shares, routes = leftover(instance, actions).values()
    assert all(0 <= share <= 100 for share in shares)
    assert routes >= 0
