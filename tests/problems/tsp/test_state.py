"""The rules of the tour: where it starts, who may be visited, how it ends."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from problems.base import Problem, rollout
from problems.errors import InvalidAction
from problems.tsp.instances import Instance
from problems.tsp.problem import Tsp
from tests.problems.programs import decisions_of
from tests.problems.tours import order, plane, planes

PROBLEM = Tsp()
SQUARE = plane((0, 0), (0, 3), (4, 3), (4, 0))
LINE = plane((0, 0), (1, 0), (-1, 0), (2, 0), (2, 0), (9, 0))


def seen(instance: Instance, *nodes: int) -> list[tuple[Any, ...]]:
    """What a program is given at every step when it names these nodes."""
    calls: list[tuple[Any, ...]] = []
    following = iter(nodes)

    def program(*arguments: Any) -> int:
        calls.append(arguments)
        return next(following)

    rollout(PROBLEM, program, instance)
    return calls


def test_a_tour_starts_and_ends_at_node_0() -> None:
    solved = rollout(PROBLEM, order(2, 1), SQUARE)
    assert solved.actions == (2, 1)
    assert solved.cost == 5 + 4 + 5 + 4


def test_the_last_node_is_appended_without_a_call() -> None:
    assert [call[0] for call in seen(SQUARE, 1, 2)] == [0, 1]
    state = PROBLEM.step(PROBLEM.step(PROBLEM.start(SQUARE), 1), 2)
    assert state.tour == (0, 1, 2, 3)
    assert PROBLEM.actions(state) == ()
    assert PROBLEM.cost(state) == PROBLEM.objective(14.0) == 14.0


def test_the_destination_is_always_node_0() -> None:
    assert {call[1] for call in seen(LINE, 5, 4, 3, 2)} == {0}


def test_unvisited_nodes_come_nearest_first_and_ties_lowest_first() -> None:
    assert [call[2].tolist() for call in seen(LINE, 3, 4, 5, 1)] == [
        [1, 2, 3, 4, 5],
        [4, 1, 2, 5],
        [1, 2, 5],
        [1, 2],
    ]


def test_a_node_in_the_same_place_as_the_current_one_is_still_to_be_visited() -> None:
    assert seen(LINE, 4, 3, 5, 1)[1][2].tolist() == [3, 1, 2, 5]


def test_node_lists_are_fresh_arrays_of_int64() -> None:
    def program(current: int, end: int, unvisited: Any, distances: Any) -> Any:
        assert type(current) is int and type(end) is int
        assert (unvisited.dtype, unvisited.ndim) == (np.int64, 1)
        chosen = unvisited[-1]
        unvisited[:] = -1
        return chosen

    for actions in (rollout(PROBLEM, program, LINE).actions, PROBLEM.rollout(program, LINE, None)):
        assert list(actions) == [5, 2, 4, 1]


def test_distances_cannot_be_made_writable() -> None:
    def program(_: int, __: int, unvisited: Any, distances: Any) -> Any:
        base = distances
        while isinstance(base, np.ndarray):
            with pytest.raises(ValueError):
                base.setflags(write=True)
            base = base.base
        assert isinstance(base, bytes) and distances.dtype == np.float64
        return unvisited[0]

    rollout(PROBLEM, program, SQUARE)
    PROBLEM.rollout(program, SQUARE, None)


@pytest.mark.parametrize("action", [0, 1, 4, -1, True, 2.0, np.float64(2), "2", None])
def test_an_action_that_is_no_unvisited_node_is_refused(action: object) -> None:
    state = PROBLEM.step(PROBLEM.start(SQUARE), 1)
    with pytest.raises(InvalidAction, match=r"step 1: .* is no unvisited node"):
        PROBLEM.step(state, action)
    with pytest.raises(InvalidAction, match=r"step 1: .* is no unvisited node"):
        PROBLEM.decide(lambda *_: action, state)


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8])
def test_numpy_integers_are_actions_and_leave_plain_ints_behind(kind: type) -> None:
    state = PROBLEM.step(PROBLEM.start(SQUARE), kind(2))
    assert state.tour == (0, 2) and type(state.tour[1]) is int
    assert type(PROBLEM.decide(lambda *_: kind(1), state)) is int


def test_states_are_values_that_travel() -> None:
    state = PROBLEM.step(PROBLEM.start(LINE), 3)
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state and hash(copy) == hash(state)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.tour = ()  # type: ignore[misc]


def test_fields_tell_of_the_node_from_here_from_the_end_and_from_the_rest() -> None:
    state = PROBLEM.step(PROBLEM.start(LINE), 3)
    assert PROBLEM.fields(state, 2) == {
        "distance": 3,
        "rank": 2,
        "distance_to_destination": 1,
        "nearest_other": 2,
        "mean_to_others": 5,
        "unvisited": 4,
        "step": 1,
    }


def test_a_picture_shows_the_nodes_where_they_lie() -> None:
    lines = PROBLEM.draw(PROBLEM.step(PROBLEM.start(SQUARE), 2)).splitlines()
    assert lines[0] == "2 of 4 visited, length 5"
    assert lines[2] == "o" + " " * 45 + "/@"
    assert lines[12].strip() == "/-"
    assert lines[-1] == "#-" + " " * 45 + "o"
    finished = PROBLEM.draw(PROBLEM.step(PROBLEM.step(PROBLEM.start(SQUARE), 1), 2))
    assert finished.startswith("4 of 4 visited, length 14\n")


@settings(max_examples=60, derandomize=True)
@given(planes())
def test_every_order_of_the_nodes_is_a_tour(instance: Instance) -> None:
    backwards = list(range(instance.size))[:1:-1]
    state = PROBLEM.start(instance)
    for node in backwards:
        assert node in PROBLEM.actions(state)
        state = PROBLEM.step(state, node)
    assert sorted(state.tour) == list(range(instance.size))
    assert Problem.replay(PROBLEM, instance, backwards) == PROBLEM.replay(instance, backwards)


@pytest.mark.parametrize("actions", [[1], [1, 2, 3], [1, 1], [0, 1], [1, True], [4, 1], [], [-1]])
def test_the_fast_replay_refuses_what_the_plain_one_refuses(actions: list[int]) -> None:
    with pytest.raises(InvalidAction) as plain:
        Problem.replay(PROBLEM, SQUARE, actions)
    with pytest.raises(InvalidAction) as fast:
        PROBLEM.replay(SQUARE, actions)
    assert str(fast.value) == str(plain.value)


def test_at_the_start_the_last_node_of_the_tour_would_do_as_well() -> None:
    decisions = decisions_of(PROBLEM, SQUARE, [1, 2])
    assert PROBLEM.same_later(SQUARE, [1, 2], decisions) == [{3}, set()]
    assert PROBLEM.replay(SQUARE, [3, 2]) == PROBLEM.replay(SQUARE, [1, 2])
