"""What the networks see of a state, worked out by hand and by the compiled copy of the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import problems
from problems.jssp.instances import Instance, random_instances
from problems.jssp.state import State, dispatch, empty
from teachers.offline_l2d.episodes import states_at
from teachers.offline_l2d.graphs import ShopGraphs, graphs

SHOP = Instance("two", ((3, 2), (4, 5)), ((0, 1), (1, 0)))
"""Job 0: 3 on machine 0, 2 on machine 1. Job 1: 4 on machine 1, 5 on machine 0."""


def after(instance: Instance, *jobs: int) -> State:
    """The state after dispatching jobs."""
    state = empty(instance)
    for job in jobs:
        state = dispatch(state, job)
    return state


def bounds(found: ShopGraphs) -> list[float]:
    """End-time bounds of the first state, in units of time."""
    return [round(1000 * float(bound), 9) for bound in found.features[0, :, 0]]


def test_an_empty_schedule_is_bounded_by_the_work_of_each_job() -> None:
    found = graphs([after(SHOP)])
    assert bounds(found) == [3, 5, 4, 9]
    assert found.features[0, :, 1].tolist() == [0, 0, 0, 0]
    assert found.before.tolist() == [[4, 0, 4, 2], [4, 4, 4, 4]]
    assert found.candidates.tolist() == [[0, 2]]


def test_scheduled_operations_stand_at_their_ends_behind_their_machine_predecessors() -> None:
    found = graphs([after(SHOP, 0, 1, 1)])
    assert bounds(found) == [3, 5, 4, 9]
    assert found.features[0, :, 1].tolist() == [1, 0, 1, 1]
    assert found.before[1].tolist() == [4, 4, 4, 0]
    assert found.candidates.tolist() == [[1, 3]], "a finished job keeps its last operation"


def test_an_operation_moved_into_a_gap_comes_before_the_one_behind_the_gap() -> None:
    shop = Instance("gap", ((9, 1), (2, 1)), ((0, 1), (1, 0)))
    found = graphs([after(shop, 0, 0, 1)])
    assert bounds(found) == [9, 10, 2, 3]
    assert found.before[1].tolist() == [4, 2, 4, 4]


def test_durations_above_99_are_scaled_down_to_99() -> None:
    long = replace(SHOP, durations=((30, 20), (40, 198)))
    halved = replace(SHOP, durations=((15, 10), (20, 99)))
    assert bounds(graphs([after(long, 0)])) == bounds(graphs([after(halved, 0)]))


def test_each_state_of_a_batch_is_as_it_is_alone() -> None:
    states = [after(SHOP), after(SHOP, 0, 1), after(replace(SHOP, name="other"), 1, 1, 0)]
    together = graphs(states)
    for index, state in enumerate(states):
        alone, mine = graphs([state]), slice(4 * index, 4 * index + 4)
        assert np.array_equal(together.features[index], alone.features[0])
        assert np.array_equal(together.candidates[index] - 4 * index, alone.candidates[0])
        row = together.before[:, mine]
        assert np.array_equal(np.where(row == 12, 4, row - 4 * index), alone.before)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.data())
def test_the_compiled_rules_give_the_same_graphs(
    seed: int, jobs: int, machines: int, data: st.DataObject
) -> None:
    (instance,) = random_instances("any", seed, 1, jobs, machines)
    actions = data.draw(st.permutations([j for j in range(jobs) for _ in range(machines)]))
    step = data.draw(st.integers(0, len(actions)))
    found = states_at(
        np.array([instance.durations]),
        np.array([instance.machines]),
        np.array([actions]),
        np.array([step]),
    )
    state = after(instance, *actions[:step])
    plain = graphs([state])
    assert np.array_equal(found.graphs.features, plain.features)
    assert np.array_equal(found.graphs.before, plain.before)
    assert np.array_equal(found.graphs.candidates, plain.candidates)
    assert np.flatnonzero(found.feasible[0]).tolist() == list(problems.load("jssp").actions(state))
