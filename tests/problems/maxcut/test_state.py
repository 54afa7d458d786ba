"""The rules of the walk: where it starts, what a flip does, what counts at the end."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import Problem, rollout, visited
from problems.errors import InvalidAction, UserError
from problems.maxcut.instances import Instance, as_spins, build_adjacency
from problems.maxcut.problem import Maxcut, build
from tests.problems.partitions import graph, graphs, order
from tests.problems.programs import decisions_of

EQUAL: Maxcut = build(start="equal", steps="4")
SQUARE = graph(4, (0, 1, 1), (1, 2, 2), (2, 3, 1), (0, 3, -3))


def seen(problem: Maxcut, instance: Instance, *vertices: int) -> list[tuple[Any, ...]]:
    """What a program is given at every step when it names these vertices."""
    calls: list[tuple[Any, ...]] = []
    following = iter(vertices)

    def program(*arguments: Any) -> int:
        calls.append(arguments)
        return next(following)

    rollout(problem, program, instance)
    return calls


def test_a_flip_moves_a_vertex_to_the_other_side() -> None:
    calls = seen(EQUAL, SQUARE, 1, 2, 1, 3)
    assert [call[0].tolist() for call in calls] == [
        [1, 1, 1, 1],
        [1, -1, 1, 1],
        [1, -1, -1, 1],
        [1, 1, -1, 1],
    ]
    assert [call[2] for call in calls] == [0, 3, 2, 3]


def test_the_best_cut_on_the_way_counts() -> None:
    assert [call[3] for call in seen(EQUAL, SQUARE, 1, 2, 3, 3)] == [0, 3, 3, 3]
    solved = rollout(EQUAL, order(1, 2, 3, 3), SQUARE)
    assert (solved.cost, EQUAL.objective(solved.cost)) == (-3, 3)


def test_the_start_counts_too() -> None:
    solved = rollout(EQUAL, order(0, 0, 0, 0), graph(2, (0, 1, -1)))
    assert EQUAL.objective(solved.cost) == 0
    assert str(EQUAL.objective(solved.cost)) == "0.0"


def test_steps_and_flips_are_told() -> None:
    calls = seen(EQUAL, SQUARE, 3, 1, 3, 0)
    assert [call[4:] for call in calls] == [
        (0, 4, ()),
        (1, 4, (3,)),
        (2, 4, (3, 1)),
        (3, 4, (3, 1, 3)),
    ]
    assert all(type(value) is int for call in calls for value in (*call[4:6], *call[6]))


def test_a_walk_has_twice_as_many_steps_as_vertices_or_a_number_of_its_own() -> None:
    assert Maxcut().start(SQUARE).max_steps == 8
    assert build(steps="3n").start(SQUARE).max_steps == 12
    assert build(steps="400").start(SQUARE).max_steps == 400


def test_a_random_start_is_the_same_for_the_same_graph_whatever_its_name() -> None:
    problem, (first, second) = Maxcut(), Maxcut().load("ba200w")[:2]
    renamed = dataclasses.replace(first, name="other")
    assert problem.start(first).sides == problem.start(renamed).sides
    assert problem.start(first).sides != problem.start(second).sides
    assert 60 < sum(problem.start(first).sides) < 140


def test_every_attempt_starts_anew_and_the_best_of_all_counts() -> None:
    problem = build(steps="2", attempts="3")
    calls = seen(problem, SQUARE, 0, 1, 2, 3, 0, 0)
    starts = [problem.profile.start(SQUARE, attempt) for attempt in range(3)]
    assert [call[0].tolist() for call in calls[::2]] == [as_spins(s).tolist() for s in starts]
    assert [call[4:] for call in calls] == [
        (0, 2, ()), (1, 2, (0,)), (0, 2, ()), (1, 2, (2,)), (0, 2, ()), (1, 2, (0,)),
    ]  # fmt: skip
    actions = (0, 1, 2, 3, 0, 0)
    best = max(state.best_cut for state in visited(problem, SQUARE, actions))
    assert -Problem.replay(problem, SQUARE, actions) >= best


@settings(max_examples=80, derandomize=True)
@given(graphs(), st.integers(1, 3), st.data())
def test_cuts_are_what_the_definition_says(
    instance: Instance, attempts: int, data: st.DataObject
) -> None:
    problem = build(steps="5", attempts=str(attempts))
    vertices = st.integers(0, instance.size - 1)
    actions = data.draw(st.lists(vertices, min_size=5 * attempts, max_size=5 * attempts))
    matrix, cuts, state = build_adjacency(instance), [], problem.start(instance)
    for action in [*actions, None]:
        spins = as_spins(state.sides)
        cuts.append((matrix * (np.subtract.outer(spins, spins) != 0)).sum() / 2)
        assert state.cut == cuts[-1]
        assert instance.cut(state.best_sides) == state.best_cut == max(cuts[-1 - state.step :])
        if action is not None:
            state = problem.step(state, action)
            if state.step == 0:  # the last cut of an attempt is not seen at any state
                cuts.append(cuts[-1] + instance.gain(_sides(spins), action))
    assert problem.cost(state) == -max(cuts)
    assert problem.replay(instance, actions) == Problem.replay(problem, instance, actions)


def _sides(spins: Any) -> bytes:
    return bytes(int(spin < 0) for spin in spins)


def test_a_flip_gains_what_the_cut_then_has_more() -> None:
    for sides in map(bytes, product((0, 1), repeat=4)):
        for vertex in range(4):
            flipped = bytearray(sides)
            flipped[vertex] ^= 1
            gain = SQUARE.cut(flipped) - SQUARE.cut(sides)
            assert SQUARE.gain(sides, vertex) == gain


def test_spins_are_fresh_and_adjacency_cannot_be_made_writable() -> None:
    def program(spins: Any, adjacency: Any, *rest: Any) -> int:
        assert (spins.dtype, spins.ndim) == (np.float64, 1) and set(spins.tolist()) == {1.0}
        assert isinstance(rest[0], float) and isinstance(rest[1], float)
        spins[:] = 7
        base = adjacency
        while isinstance(base, np.ndarray):
            with pytest.raises(ValueError):
                base.setflags(write=True)
            base = base.base
        assert isinstance(base, bytes) and adjacency.dtype == np.float64
        assert adjacency.tolist() == [[0, 1, 0, -3], [1, 0, 2, 0], [0, 2, 0, 1], [-3, 0, 1, 0]]
        return 0

    problem = build(start="equal", steps="1")
    assert rollout(problem, program, SQUARE).actions == (0,)
    assert problem.rollout(program, SQUARE, None) == [0]


@pytest.mark.parametrize(
    "action", [4, -1, True, np.True_, 2.0, np.float64(2), "2", None, [1], 2**80]
)
def test_an_action_that_is_no_vertex_is_refused_with_instance_and_step(action: object) -> None:
    state = EQUAL.step(EQUAL.start(SQUARE), 1)
    complaint = r"^small, step 1: .* is no vertex to flip \(0 to 3\)"
    with pytest.raises(InvalidAction, match=complaint):
        EQUAL.step(state, action)
    with pytest.raises(InvalidAction, match=complaint):
        EQUAL.decide(lambda *_: action, state)


def test_a_walk_that_is_over_takes_no_flip() -> None:
    state = build(steps="1").step(build(steps="1").start(SQUARE), 0)
    with pytest.raises(InvalidAction, match="the walk is over after 1 flips"):
        build(steps="1").step(state, 0)


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint8])
def test_numpy_integers_are_actions_and_leave_plain_ints_behind(kind: type) -> None:
    state = EQUAL.step(EQUAL.start(SQUARE), kind(2))
    assert state.flips == (2,) and type(state.flips[0]) is int
    assert type(EQUAL.decide(lambda *_: kind(1), state)) is int


def test_states_are_values_that_travel_and_tell_what_a_teacher_asks() -> None:
    state = EQUAL.start(SQUARE)
    for vertex in (1, 2, 1):
        state = EQUAL.step(state, vertex)
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state and hash(copy) == hash(state)
    assert (state.step, state.max_steps, state.last_flips) == (3, 4, (None, 2, 1, None))
    assert (state.best_cut, state.best_sides) == (3, b"\0\1\0\0")
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.flips = ()  # type: ignore[misc]


def test_fields_tell_of_the_flip_and_of_the_walk() -> None:
    state = EQUAL.start(SQUARE)
    for vertex in (1, 2, 1):
        state = EQUAL.step(state, vertex)
    told = {"current_cut": 3, "best_cut": 3, "step": 3, "max_steps": 4, "degree": 2}
    assert EQUAL.fields(state, 1) == {"gain": -1, "rank": 0, "age": 1, "count": 2, **told}
    assert EQUAL.fields(state, 3) == {"gain": -4, "rank": 3, "age": 4, "count": 0, **told}


def test_a_picture_shows_the_sides_and_what_gains() -> None:
    lines = EQUAL.draw(EQUAL.step(EQUAL.start(SQUARE), 1)).splitlines()
    assert lines[0].startswith("step 1 of 4, cut 3, best 3;")
    assert lines[1:] == ["abaa"]
    assert EQUAL.draw(EQUAL.start(SQUARE)).splitlines()[1] == "aAAa"


def test_a_picture_of_a_large_graph_says_what_it_hides() -> None:
    lines = Maxcut().draw(Maxcut().start(graph(2000))).splitlines()
    assert len(lines) == 24 and max(map(len, lines)) <= 80
    assert lines[-1] == f"and {2000 - 22 * 80} vertices more"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"steps": "2m"}, "steps must be a number such as 400 or 2n, not '2m'"),
        ({"steps": "0"}, "not '0'"),
        ({"start": "zero"}, "'random' or 'equal', not 'zero'"),
        ({"attempts": "no"}, "attempts must be a number of at least 1"),
        ({"start": "equal", "attempts": "2"}, "every attempt is the same"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(options: dict[str, str], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        build(**options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "2n flips from random spins"),
        ({"steps": "400", "start": "equal"}, "400 flips from all spins equal"),
        ({"attempts": "50"}, "2n flips from random spins, best of 50 attempts"),
    ],
)
def test_the_profile_stands_in_every_set_that_a_table_names(
    options: dict[str, str], text: str
) -> None:
    assert all(described.about.endswith(f"; {text}") for described in build(**options).sets())


def test_the_contract_tells_the_profile() -> None:
    def told(problem: Maxcut) -> str:
        return " ".join(problem.contract.task.split())

    assert "the spins are random" in told(Maxcut())
    assert "ends after 2n flips, n the number of vertices." in told(Maxcut())
    other = told(build(steps="400", start="equal"))
    assert "all spins are +1" in other and "ends after 400 flips." in other
    assert "the best cut on any of 9 walks" in told(build(attempts="9"))


def test_a_flip_may_come_later_where_no_neighbour_flips_before() -> None:
    flips = [0, 2, 1, 3]
    decisions = decisions_of(EQUAL, SQUARE, flips)
    assert EQUAL.same_later(SQUARE, flips, decisions) == [{2}, set(), {3}, set()]


@settings(max_examples=60, derandomize=True)
@given(graphs(), st.integers(1, 2), st.data())
def test_a_flip_that_may_come_later_gains_as_much(
    instance: Instance, attempts: int, data: st.DataObject
) -> None:
    problem = build(steps="5", attempts=str(attempts))
    vertices = st.integers(0, instance.size - 1)
    flips = data.draw(st.lists(vertices, min_size=5 * attempts, max_size=5 * attempts))
    decisions = decisions_of(problem, instance, flips)
    later = problem.same_later(instance, flips, decisions)
    for decision, found in zip(decisions, later, strict=True):
        for vertex in found:
            left = decisions[decision.step + 1 : 5 * (decision.state.attempt + 1)]
            then = next(other.state for other in left if other.chosen == vertex)
            gain = instance.gain(decision.state.sides, vertex)
            assert instance.gain(then.sides, vertex) == gain


@settings(max_examples=40, derandomize=True)
@given(graphs(), st.integers(1, 3), st.data())
def test_states_sought_are_those_that_the_walk_passes(
    instance: Instance, attempts: int, data: st.DataObject
) -> None:
    problem = build(steps="5", attempts=str(attempts))
    vertices = st.integers(0, instance.size - 1)
    flips = data.draw(st.lists(vertices, min_size=5 * attempts, max_size=5 * attempts))
    steps = sorted(data.draw(st.sets(st.integers(0, len(flips) - 1))))
    passed = list(visited(problem, instance, flips))
    assert problem.seek(instance, flips, steps) == [passed[step] for step in steps]


@settings(max_examples=40, derandomize=True)
@given(graphs(), st.data())
def test_fields_of_a_flip_are_what_their_names_say(
    instance: Instance, data: st.DataObject
) -> None:
    problem = build(steps="5")
    vertices = st.integers(0, instance.size - 1)
    flips = data.draw(st.lists(vertices, min_size=5, max_size=5))
    state = list(visited(problem, instance, flips))[-1]
    gains = [instance.gain(state.sides, vertex) for vertex in range(instance.size)]
    for vertex, last in enumerate(state.last_flips):
        fields = problem.fields(state, vertex)
        assert fields["rank"] == sum(gain > gains[vertex] for gain in gains)
        assert fields["age"] == (state.max_steps if last is None else state.step - last)
        assert fields["count"] == state.flips.count(vertex)
