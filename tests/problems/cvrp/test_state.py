"""The rules of the routes: who may be visited, when the vehicle returns, how it ends."""

from __future__ import annotations

import dataclasses
import pickle
import random
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import Problem, rollout, visited
from problems.cvrp.instances import Instance
from problems.cvrp.problem import Cvrp
from problems.cvrp.state import State
from problems.cvrp.walk import as_actions
from problems.errors import InvalidAction
from tests.problems.fleets import answers, fleet, fleets
from tests.problems.programs import decisions_of

PROBLEM = Cvrp()
CROSS = fleet(10, (0, 0, 0), (3, 0, 4), (0, 4, 6), (-3, 0, 5), (0, -4, 3))


def after(instance: Instance, *actions: int) -> State:
    """The state after these actions."""
    return reduce(PROBLEM.step, actions, PROBLEM.start(instance))


def seen(instance: Instance, *nodes: int) -> list[tuple[Any, ...]]:
    """What a program is given at every step when it names these nodes."""
    calls: list[tuple[Any, ...]] = []
    following = iter(nodes)

    def program(*arguments: Any) -> int:
        calls.append(arguments)
        return next(following)

    rollout(PROBLEM, program, instance)
    return calls


def test_every_route_starts_and_ends_at_the_depot() -> None:
    solved = rollout(PROBLEM, answers(1, 0, 2, 0, 4, 3), CROSS)
    assert solved.actions == (1, 0, 2, 0, 4, 3)
    assert solved.cost == (3 + 3) + (4 + 4) + (4 + 5 + 3)


def test_returning_refills_the_vehicle() -> None:
    assert after(CROSS, 1).rest == 6
    returned = after(CROSS, 1, 0)
    assert (returned.current, returned.rest) == (0, 10)
    assert PROBLEM.actions(returned) == (2, 3, 4)


def test_the_vehicle_returns_without_a_call_when_nothing_fits() -> None:
    calls = seen(CROSS, 1, 2, 3, 4)
    assert [call[0] for call in calls] == [0, 1, 0, 3]
    state = after(CROSS, 1, 2)
    assert state.way == (0, 1, 2, 0) and state.step == 2
    assert PROBLEM.actions(state) == (3, 4)


def test_the_vehicle_returns_without_a_call_after_the_last_customer() -> None:
    state = after(CROSS, 1, 2, 3, 4)
    assert state.way == (0, 1, 2, 0, 3, 4, 0)
    assert PROBLEM.actions(state) == ()
    assert PROBLEM.cost(state) == PROBLEM.objective(24.0) == 24.0


def test_customers_that_fit_are_shown_ascending_and_the_others_not_at_all() -> None:
    calls = seen(CROSS, 2, 4, 1, 3)
    assert [call[2].tolist() for call in calls] == [[1, 2, 3, 4], [1, 4], [1, 3], [3]]
    assert [call[3] for call in calls] == [10.0, 4.0, 10.0, 6.0]


def test_returning_is_an_action_away_from_the_depot_only() -> None:
    assert PROBLEM.actions(PROBLEM.start(CROSS)) == (1, 2, 3, 4)
    assert PROBLEM.actions(after(CROSS, 1)) == (0, 2, 3, 4)


def test_customers_without_demand_fit_an_empty_vehicle() -> None:
    instance = fleet(5, (0, 0, 0), (1, 0, 5), (2, 0, 0), (3, 0, 5))
    assert PROBLEM.actions(after(instance, 1)) == (0, 2)
    assert after(instance, 1, 2).way == (0, 1, 2, 0)


def test_after_a_return_the_state_tells_of_the_customer_and_the_capacity_before() -> None:
    asked, unasked = after(CROSS, 1, 0), after(CROSS, 1, 4)
    assert (asked.current, asked.last_customer, asked.unused) == (0, 1, 6)
    assert (unasked.current, unasked.last_customer, unasked.unused) == (0, 4, 3)
    on_the_way = PROBLEM.step(asked, 4)
    assert (on_the_way.last_customer, on_the_way.rest) == (4, 7)
    begun = PROBLEM.start(CROSS)
    assert (begun.last_customer, begun.unused) == (0, 10)


def test_arguments_have_the_types_of_the_contract() -> None:
    def program(
        current: int, depot: int, unvisited: Any, rest: float, demands: Any, distances: Any
    ) -> Any:
        assert (type(current), type(depot), type(rest)) == (int, int, float)
        assert (unvisited.dtype, unvisited.ndim) == (np.int64, 1)
        assert (demands.dtype, demands.tolist()) == (np.float64, [0, 4, 6, 5, 3])
        assert distances.dtype == np.float64 and distances.shape == (5, 5)
        chosen = unvisited[-1]
        unvisited[:] = -1
        return chosen

    for actions in (
        rollout(PROBLEM, program, CROSS).actions,
        PROBLEM.rollout(program, CROSS, None),
    ):
        assert list(actions) == [4, 3, 2, 1]


def test_demands_and_distances_cannot_be_made_writable() -> None:
    def program(_: int, __: int, unvisited: Any, ___: float, *arrays: Any) -> Any:
        for base in arrays:
            while isinstance(base, np.ndarray):
                with pytest.raises(ValueError):
                    base.setflags(write=True)
                base = base.base
            assert isinstance(base, bytes)
        return unvisited[0]

    rollout(PROBLEM, program, CROSS)
    PROBLEM.rollout(program, CROSS, None)


@pytest.mark.parametrize(
    ("actions", "wrong", "complaint"),
    [
        ((), 0, "step 0: 0 is the depot, and the vehicle is there already"),
        ((1, 2), 0, "step 2: 0 is the depot, and the vehicle is there already"),
        ((1,), 1, "step 1: 1 has been visited already"),
        ((1, 0), 1, "step 2: 1 has been visited already"),
        ((2,), 3, "step 1: 3 has a demand of 5, which does not fit any more"),
        ((1,), 5, "step 1: 5 is no node"),
        ((1,), -1, "step 1: -1 is no node"),
        ((1,), True, "step 1: True is no node"),
        ((1,), 2.0, "step 1: 2.0 is no node"),
        ((1,), None, "step 1: None is no node"),
    ],
)
def test_an_action_that_is_not_feasible_is_refused_with_step_node_and_reason(
    actions: tuple[int, ...], wrong: Any, complaint: str
) -> None:
    state = after(CROSS, *actions)
    for walk in (
        lambda: PROBLEM.step(state, wrong),
        lambda: PROBLEM.decide(lambda *_: wrong, state),
        lambda: PROBLEM.replay(CROSS, [*actions, wrong]),
        lambda: PROBLEM.rollout(answers(*actions, wrong), CROSS, None),
    ):
        with pytest.raises(InvalidAction) as caught:
            walk()
        assert str(caught.value) == complaint


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8])
def test_numpy_integers_are_actions_and_leave_plain_ints_behind(kind: type) -> None:
    state = PROBLEM.step(PROBLEM.start(CROSS), kind(2))
    assert state.way == (0, 2) and type(state.way[1]) is int
    assert type(PROBLEM.decide(lambda *_: kind(1), state)) is int
    taken = PROBLEM.rollout(answers(kind(1), kind(0), 2, 4, 3), CROSS, None)
    assert taken == [1, 0, 2, 4, 3] and {type(node) for node in taken} == {int}


def test_states_are_values_that_travel() -> None:
    state = after(CROSS, 1, 0, 3)
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state and hash(copy) == hash(state)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.rest = 10  # type: ignore[misc]


def test_fields_tell_of_the_way_there_the_way_on_and_what_is_left() -> None:
    assert PROBLEM.fields(after(CROSS, 1), 2) == {
        "distance": 5,
        "rank": 0,
        "distance_to_depot": 4,
        "saving": 2,
        "nearest_after": 5,
        "demand": 6,
        "capacity_after": 0,
        "is_return": 0,
        "rest_capacity": 6,
        "fitting": 3,
        "unvisited": 3,
        "step": 1,
    }


def test_fields_of_a_return_are_those_of_the_depot() -> None:
    fields = PROBLEM.fields(after(CROSS, 1), 0)
    shown = ("distance", "distance_to_depot", "saving", "nearest_after", "capacity_after")
    assert [fields[name] for name in shown] == [3, 0, 0, 3, 10]
    assert (fields["is_return"], fields["demand"]) == (1, 0)


def test_the_way_on_from_the_last_customer_leads_home() -> None:
    assert PROBLEM.fields(after(CROSS, 1, 2, 3), 4)["nearest_after"] == 4


def test_a_picture_shows_who_is_served_who_fits_and_who_does_not() -> None:
    lines = PROBLEM.draw(after(CROSS, 2)).splitlines()
    assert lines[0] == "1/4 served, length 4, room 4/10"
    assert lines[2].strip() == "@"
    assert " ".join(lines[3:]).split() == [*"|" * 10, "x", "#", "o", "o"]


def wander(instance: Instance, data: st.DataObject) -> tuple[State, list[int]]:
    """The end of a walk of drawn actions, and the actions."""
    state, actions = PROBLEM.start(instance), list[int]()
    while feasible := PROBLEM.actions(state):
        actions.append(data.draw(st.sampled_from(feasible)))
        state = PROBLEM.step(state, actions[-1])
    return state, actions


@settings(max_examples=100, derandomize=True)
@given(fleets(), st.data())
def test_whatever_is_chosen_the_routes_serve_everybody_within_capacity(
    instance: Instance, data: st.DataObject
) -> None:
    state, actions = wander(instance, data)
    routes = "".join(map(chr, state.way)).strip("\0").split("\0")
    assert sorted(map(ord, "".join(routes))) == list(range(1, instance.size))
    loads = [sum(instance.demands[ord(node)] for node in route) for route in routes]
    assert all(routes) and max(loads) <= instance.capacity
    assert Problem.replay(PROBLEM, instance, actions) == PROBLEM.replay(instance, actions)


@pytest.mark.parametrize(
    "actions", [[], [1], [1, 2, 3], [1, 2, 3, 4, 0], [1, 2, 3, 4, 1], [1, 0, 0], [1, 1]]
)
def test_the_fast_replay_refuses_what_the_plain_one_refuses(actions: list[int]) -> None:
    with pytest.raises(InvalidAction) as plain:
        Problem.replay(PROBLEM, CROSS, actions)
    with pytest.raises(InvalidAction) as fast:
        PROBLEM.replay(CROSS, actions)
    assert str(fast.value) == str(plain.value)


def test_at_the_depot_routes_may_come_in_any_order_and_either_way_round() -> None:
    actions = [1, 0, 2, 0, 4, 3]
    decisions = decisions_of(PROBLEM, CROSS, actions)
    later = PROBLEM.same_later(CROSS, actions, decisions)
    assert later == [{2, 3, 4}, set(), {3, 4}, set(), {3}, set()]


@settings(max_examples=60, derandomize=True)
@given(fleets(), st.data())
def test_what_may_come_later_leads_to_the_same_routes(
    instance: Instance, data: st.DataObject
) -> None:
    state, actions = wander(instance, data)
    decisions = decisions_of(PROBLEM, instance, actions)
    later = PROBLEM.same_later(instance, actions, decisions)
    step = data.draw(st.integers(0, len(actions) - 1))
    for customer in later[step]:
        left = state.way[len(decisions[step].state.way) :]
        routes = [
            [ord(sign) for sign in route]
            for route in "".join(map(chr, left)).strip("\0").split("\0")
        ]
        (first,) = (route for route in routes if customer in (route[0], route[-1]))
        turned = first if first[0] == customer else first[::-1]
        before = [*state.way[: len(decisions[step].state.way)]]
        driven = [
            [ord(sign) for sign in route]
            for route in "".join(map(chr, before)).strip("\0").split("\0")
            if route
        ]
        others = [route for route in routes if route is not first]
        again = as_actions(instance, [*driven, turned, *others])
        assert PROBLEM.replay(instance, again) == PROBLEM.replay(instance, actions)


@settings(max_examples=40, derandomize=True)
@given(fleets(), st.randoms(use_true_random=False))
def test_states_sought_are_those_that_the_walk_passes(
    instance: Instance, dice: random.Random
) -> None:
    solved = rollout(PROBLEM, lambda *seen: dice.choice(seen[2].tolist()), instance)
    passed = list(visited(PROBLEM, instance, solved.actions))
    steps = sorted(dice.sample(range(len(passed)), dice.randint(0, len(passed))))
    assert PROBLEM.seek(instance, solved.actions, steps) == [passed[step] for step in steps]
