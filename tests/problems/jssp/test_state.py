"""The rules of the job shop: where an operation goes, who may be placed, what a state is."""

from __future__ import annotations

import dataclasses
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import Decision, Problem, visited
from problems.errors import InvalidAction
from problems.jssp.instances import Instance
from problems.jssp.problem import Jssp
from problems.jssp.state import Placed, State, left_shift
from tests.problems.programs import decisions_of
from tests.problems.shops import shop, shops

PROBLEM = Jssp()
LINE = (Placed(4, 6, 0, 0), Placed(9, 12, 1, 0))


def after(instance: Instance, *jobs: int) -> State:
    """The state after dispatching jobs in this order."""
    state = PROBLEM.start(instance)
    for job in jobs:
        state = PROBLEM.step(state, job)
    return state


@pytest.mark.parametrize(
    ("ready", "duration", "start", "place"),
    [
        (0, 3, 0, 0),
        (0, 4, 0, 0),
        (1, 3, 1, 0),
        (1, 4, 12, 2),
        (2, 3, 6, 1),
        (7, 2, 7, 1),
        (7, 3, 12, 2),
        (0, 5, 12, 2),
        (20, 1, 20, 2),
        (6, 0, 6, 1),
        (12, 0, 12, 2),
    ],
)
def test_an_operation_goes_into_the_earliest_gap_that_holds_it(
    ready: int, duration: int, start: int, place: int
) -> None:
    assert left_shift(LINE, ready, duration) == (start, place)


def test_an_empty_machine_starts_an_operation_when_its_job_is_ready() -> None:
    assert left_shift((), 5, 2) == (5, 0)


def test_an_operation_can_go_before_the_first_one_of_its_machine() -> None:
    state = after(shop("1:4 0:3", "0:4"), 0, 0, 1)
    assert state.machines[0] == (Placed(0, 4, 1, 0), Placed(4, 7, 0, 1))
    assert state.makespan == 7


def test_placed_operations_never_move() -> None:
    state = after(shop("1:4 0:3", "0:5"), 0, 0, 1)
    assert state.machines[0] == (Placed(4, 7, 0, 1), Placed(7, 12, 1, 0))


def test_every_unfinished_job_is_a_candidate_however_late_it_could_start() -> None:
    state = after(shop("0:9 1:1", "0:1 1:1", "1:1"), 0, 2)
    assert PROBLEM.actions(state) == (0, 1)


def test_equal_scores_go_to_the_lowest_job() -> None:
    state = after(shop("0:1", "0:1", "0:1"), 0)
    assert PROBLEM.decide(lambda feature, state: 7, state) == 1


def test_a_final_state_has_no_actions_and_costs_its_makespan() -> None:
    state = after(shop("0:2 1:3", "1:4"), 0, 1, 0)
    assert PROBLEM.actions(state) == ()
    assert PROBLEM.cost(state) == PROBLEM.objective(7.0) == 7.0


def test_a_state_knows_step_makespan_and_end_times() -> None:
    state = after(shop("0:2 1:3", "1:4"), 0, 1)
    assert (state.step, state.makespan, state.next_op, state.job_ready) == (2, 4, (1, 1), (2, 4))
    assert state.ends() == ((2,), (4,))
    assert [state.machine_ready(machine) for machine in (0, 1)] == [2, 4]


@pytest.mark.parametrize("action", [1, 2, -1, True, 0.0, "0", None])
def test_an_action_that_is_no_unfinished_job_is_refused(action: object) -> None:
    state = after(shop("0:2 1:3", "1:4"), 1)
    with pytest.raises(InvalidAction, match=r"step 1: .* is no unfinished job"):
        PROBLEM.step(state, action)  # type: ignore[arg-type]


def test_numpy_integers_are_actions_and_leave_plain_ints_behind() -> None:
    instance = shop("0:2 1:3", "1:4")
    state = PROBLEM.step(PROBLEM.start(instance), np.int64(1))  # type: ignore[arg-type]
    assert state == after(instance, 1)
    assert type(state.machines[1][0].job) is int


def test_states_are_values() -> None:
    state = after(shop("0:2 1:3", "1:4"), 0)
    copy = dataclasses.replace(state)
    PROBLEM.step(state, 1)
    assert state == copy and hash(state) == hash(copy)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.next_op = ()  # type: ignore[misc]


@settings(max_examples=60, derandomize=True)
@given(shops(), st.randoms(use_true_random=False))
def test_schedules_are_feasible_whatever_the_order(
    instance: Instance, dice: random.Random
) -> None:
    order = [job for job, row in enumerate(instance.durations) for _ in row]
    dice.shuffle(order)
    *_, last = visited(PROBLEM, instance, order)
    state = PROBLEM.step(last, order[-1])
    for line in state.machines:
        assert all(a.end <= b.start for a, b in pairwise(line))
    for job, ends in enumerate(state.ends()):
        gaps = zip((0, *ends), ends, instance.durations[job], strict=False)
        assert all(before + duration <= end for before, end, duration in gaps)
    assert Problem.replay(PROBLEM, instance, order) == PROBLEM.replay(instance, order)
    passed = list(visited(PROBLEM, instance, order))
    steps = sorted(dice.sample(range(len(order)), dice.randint(0, len(order))))
    assert PROBLEM.seek(instance, order, steps) == [passed[step] for step in steps]


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 0, 1], [0, 0, 2], [0, True, 0], [0, -1], []])
def test_the_fast_replay_refuses_what_the_plain_one_refuses(order: list[int]) -> None:
    instance = shop("0:2 1:3", "1:4")
    with pytest.raises(InvalidAction) as plain:
        Problem.replay(PROBLEM, instance, order)
    with pytest.raises(InvalidAction) as fast:
        PROBLEM.replay(instance, order)
    assert str(fast.value) == str(plain.value)


def test_a_picture_fits_a_terminal_and_shows_jobs_where_they_run() -> None:
    picture = PROBLEM.draw(after(shop("0:2 1:3", "1:4"), 0, 1))
    assert picture.splitlines() == [
        "step 2 of 3   makespan 4",
        "m0    " + "0" * 36 + "·" * 36,
        "m1    " + "1" * 72,
    ]
    large = PROBLEM.draw(after(PROBLEM.load("random-70x30")[0], *range(70)))
    assert len(large.splitlines()) <= 24 and max(map(len, large.splitlines())) <= 80
    assert large.splitlines()[-1] == "and 9 machines more"


def test_an_operation_that_nothing_comes_in_the_way_of_may_come_later() -> None:
    instance = shop("0:3 1:2", "1:4 0:1", "0:5")
    decisions = decisions_of(PROBLEM, instance, [0, 1, 2, 0, 1])
    later = PROBLEM.same_later(instance, [0, 1, 2, 0, 1], decisions)
    # Job 2 would take machine 0 first, and comes after job 0; job 1 has machine 1 for itself.
    assert later[0] == {1}
    # Job 0 would take machine 1 first; job 2 comes second on machine 0 either way.
    assert later[1] == {2}


@settings(max_examples=60, derandomize=True)
@given(shops(), st.randoms(use_true_random=False))
def test_what_may_come_later_is_placed_in_the_same_place(
    instance: Instance, dice: random.Random
) -> None:
    order = [job for job, row in enumerate(instance.durations) for _ in row]
    dice.shuffle(order)
    decisions = decisions_of(PROBLEM, instance, order)
    finished = PROBLEM.step(decisions[-1].state, order[-1])
    placed = {one for line in finished.machines for one in line}
    for decision, later in zip(
        decisions, PROBLEM.same_later(instance, order, decisions), strict=True
    ):
        before = {one for line in decision.state.machines for one in line}
        for job in set(decision.actions) - {decision.chosen}:
            now = PROBLEM.step(decision.state, job)
            (one,) = {one for line in now.machines for one in line} - before
            assert (job in later) == (one in placed)


@settings(max_examples=60, derandomize=True)
@given(shops(), st.randoms(use_true_random=False))
def test_states_sought_are_those_that_the_walk_passes(
    instance: Instance, dice: random.Random
) -> None:
    order = [job for job, row in enumerate(instance.durations) for _ in row]
    dice.shuffle(order)
    passed = list(visited(PROBLEM, instance, order))
    steps = sorted(dice.sample(range(len(passed)), dice.randint(0, len(passed))))
    assert PROBLEM.seek(instance, order, steps) == [passed[step] for step in steps]


@settings(max_examples=60, derandomize=True)
@given(shops(), st.randoms(use_true_random=False))
def test_jobs_that_come_later_to_the_same_effect_are_those_that_start_there(
    instance: Instance, dice: random.Random
) -> None:
    order = [job for job, row in enumerate(instance.durations) for _ in row]
    dice.shuffle(order)
    finished = after(instance, *order)
    starts = {(p.job, p.operation): p.start for line in finished.machines for p in line}
    passed = list(visited(PROBLEM, instance, order))
    decisions = [
        Decision(0, step, state, PROBLEM.actions(state), order[step])
        for step, state in enumerate(passed)
    ]
    for decision, found in zip(
        decisions, PROBLEM.same_later(instance, order, decisions), strict=True
    ):
        state = decision.state
        wanted = set()
        for job in state.unfinished:
            placed = next(
                p
                for line in PROBLEM.step(state, job).machines
                for p in line
                if (p.job, p.operation) == (job, state.next_op[job])
            )
            if job != decision.chosen and placed.start == starts[job, placed.operation]:
                wanted.add(job)
        assert found == wanted
