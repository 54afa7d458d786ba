"""The compiled shops and what the network reads of them, by the plain rules and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
from problems.base import replay
from problems.jssp.sets.data import Instance, random_instances
from problems.jssp.state import State, dispatch, empty, left_shift
from teachers.slim import shops as module
from teachers.slim.features import AHEAD, FAR, FEATURES, OWN, PROGRESS, RIVALS, observe
from teachers.slim.shops import Shops, place, recall, tables

SHOP = Instance("two", ((3, 2), (4, 5)), ((0, 1), (1, 0)))
"""Job 0: 3 on machine 0, 2 on machine 1. Job 1: 4 on machine 1, 5 on machine 0. Mean 3.5."""


def after(instance: Instance, *jobs: int) -> State:
    """The state after dispatching jobs."""
    state = empty(instance)
    for job in jobs:
        state = dispatch(state, job)
    return state


def played(instance: Instance, jobs: list[int]) -> tuple[Shops, np.ndarray]:
    """The compiled shop after dispatching jobs, and the starts that they got."""
    shops = module.empty(*tables([instance]))
    starts = np.zeros((1, *np.shape(instance.durations)))
    for job in jobs:
        place(shops, np.array([job]), starts)
    return shops, starts


def earliest(state: State, job: int) -> int:
    """The start of a job's next operation by the plain rules."""
    operation = state.next_op[job]
    machine = state.instance.machines[job][operation]
    duration = state.instance.durations[job][operation]
    return left_shift(state.machines[machine], state.job_ready[job], duration)[0]


@settings(deadline=None)  # the first example compiles
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.data())
def test_the_compiled_rules_place_as_the_plain_ones_do(
    seed: int, jobs: int, machines: int, data: st.DataObject
) -> None:
    (instance,) = random_instances("any", seed, 1, jobs, machines)
    actions = data.draw(st.permutations([j for j in range(jobs) for _ in range(machines)]))
    step = data.draw(st.integers(0, len(actions)))
    state = after(instance, *actions[:step])
    shops, starts = played(instance, actions[:step])
    recalled = recall([state])
    for field in ("next_op", "ready", "left", "placed", "load"):
        assert np.array_equal(getattr(shops, field), getattr(recalled, field)), field
    for job in state.unfinished:
        assert shops.earliest[0, job] == recalled.earliest[0, job] == earliest(state, job)
    placed = [operation for line in state.machines for operation in line]
    assert {starts[0, o.job, o.operation] - o.start for o in placed} <= {0}
    assert np.array_equal(observe(shops)[0], observe(recalled)[0])
    assert shops.ready.max() == state.makespan


def test_the_operation_itself_in_mean_durations() -> None:
    features, open_jobs = observe(recall([after(SHOP, 1)]))
    assert open_jobs.tolist() == [[True, True]]
    first, second = features[0] * 3.5
    assert first[OWN : OWN + 5].tolist() == [3, 0, 0, 0, 0]
    assert second[OWN : OWN + 5].tolist() == [5, 4, 6, 0, 4], "machine 0 idles for 4"
    assert second[OWN + 6] == 0 and round(first[OWN + 6], 9) == 0.2, "a tenth of what is behind"
    assert features[0, :, PROGRESS].tolist() == [0.25, 0.25]
    assert round(first[OWN + 8], 9) == round(0.2 * (5 - 9), 9), "job 1 ends at 9, the bound"
    assert second[OWN + 8] == 0


def test_rivals_are_the_other_jobs_that_wait_for_the_machine() -> None:
    features, _ = observe(recall([after(SHOP, 1)]))
    first = features[0, 0] * 3.5
    assert features[0, 0, RIVALS : RIVALS + 2].tolist() == [0.5, 0.0]
    assert first[RIVALS + 2] == 4, "job 1 could start at 4"
    assert first[RIVALS + 3] == 9, "and would end at 9"
    assert first[RIVALS + 5] == 0, "after job 0 it still ends at 9"
    assert round(first[RIVALS + 6], 9) == round(0.2 * (14 - 9), 9), "job 0 after it ends at 14"
    alone, _ = observe(recall([after(SHOP)]))
    assert alone[0, 0, RIVALS : RIVALS + 3].tolist() == [0.25, 1.0, FAR]


def test_what_a_job_meets_next() -> None:
    features, _ = observe(recall([after(SHOP, 1)]))
    first = features[0, 0]
    assert first[AHEAD] * 3.5 == 2
    assert first[AHEAD + 1] * 3.5 == 0.5 * (4 - 3), "machine 1 is free at 4, the job comes at 3"
    assert features[0, 1, AHEAD : AHEAD + 4].tolist() == [0, -FAR, 0, 0], "its last operation"


def test_finished_jobs_are_not_described() -> None:
    features, open_jobs = observe(recall([after(SHOP, 0, 0)]))
    assert open_jobs.tolist() == [[False, True]]
    assert not features[0, 0].any() and features.shape == (1, 2, FEATURES)


def test_features_have_no_unit() -> None:
    twice = replace(SHOP, durations=((6, 4), (8, 10)))
    found = [observe(recall([after(shop, 1, 0)]))[0] for shop in (SHOP, twice)]
    assert np.array_equal(found[0], found[1])


def test_each_state_of_a_batch_is_as_it_is_alone() -> None:
    states = [after(SHOP), after(SHOP, 0, 1), after(replace(SHOP, name="other"), 1, 1, 0)]
    together = observe(recall(states))[0]
    for index, state in enumerate(states):
        assert np.array_equal(together[index], observe(recall([state]))[0][0])


def test_operations_without_duration_have_features() -> None:
    idle = replace(SHOP, durations=((0, 0), (0, 0)))
    assert np.isfinite(observe(recall([after(idle, 1)]))[0]).all()


def test_a_job_may_come_twice_to_a_machine() -> None:
    again = Instance("again", ((3, 2, 1), (4, 5, 1)), ((0, 1, 0), (0, 1, 0)))
    jobs = [0, 1, 0, 0, 1, 1]
    assert played(again, jobs)[0].ready.max() == replay(problems.load("jssp"), again, jobs)
