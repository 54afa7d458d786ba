"""The compiled shops and what the network reads of them, by the plain rules and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

import problems
from problems.jssp.instances import Instance, random_instances
from problems.jssp.state import State, dispatch, empty, left_shift
from teachers.evolution_strategies import shops as module
from teachers.evolution_strategies.network import ScoringNetwork
from teachers.evolution_strategies.shop_features import (
    AHEAD,
    FAR,
    FEATURES,
    OWN,
    PROGRESS,
    RIVALS,
    RULE,
    follow,
    observe,
)
from teachers.evolution_strategies.shops import Shops, place, recall, tables
from teachers.evolution_strategies.teacher import FAMILY
from teachers.rollout import rollouts

SHOP = Instance("two", ((3, 2), (4, 5)), ((0, 1), (1, 0)))
"""Job 0: 3 on machine 0, 2 on machine 1. Job 1: 4 on machine 1, 5 on machine 0. Mean 3.5."""


def after(instance: Instance, *jobs: int) -> State:
    """The state after dispatching jobs."""
    state = empty(instance)
    for job in jobs:
        state = dispatch(state, job)
    return state


def played(instance: Instance, jobs: list[int]) -> Shops:
    """The compiled shop after dispatching jobs."""
    shops = module.empty(*tables([instance]))
    for job in jobs:
        place(shops, np.array([job]))
    return shops


def earliest(state: State, job: int) -> int:
    """The start of a job's next operation by the plain rules."""
    operation = state.next_op[job]
    machine = state.instance.machines[job][operation]
    duration = state.instance.durations[job][operation]
    return left_shift(state.machines[machine], state.job_ready[job], duration)[0]


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.data())
def test_the_compiled_rules_place_as_the_plain_ones_do(
    seed: int, jobs: int, machines: int, data: st.DataObject
) -> None:
    (instance,) = random_instances("any", seed, 1, jobs, machines)
    actions = data.draw(st.permutations([j for j in range(jobs) for _ in range(machines)]))
    step = data.draw(st.integers(0, len(actions)))
    state = after(instance, *actions[:step])
    shops = played(instance, actions[:step])
    recalled = recall([after(instance, *actions[: step // 2]), state])
    for field in ("next_op", "ready", "left", "placed", "starts", "ends", "load"):
        assert np.array_equal(getattr(shops, field)[0], getattr(recalled, field)[1]), field
    for job in state.unfinished:
        assert shops.earliest[0, job] == recalled.earliest[1, job] == earliest(state, job)
    assert shops.ready.max() == state.makespan


def test_the_operation_itself_in_mean_durations() -> None:
    (found,) = observe([after(SHOP, 1)])
    first, second = found * 3.5
    assert first[OWN : OWN + 5].tolist() == [3, 0, 0, 0, 0]
    assert second[OWN : OWN + 5].tolist() == [5, 4, 6, 0, 4], "machine 0 idles for 4"
    assert second[OWN + 6] == 0 and round(first[OWN + 6], 9) == 0.2, "a tenth of what is behind"
    assert found[:, PROGRESS].tolist() == [0.25, 0.25]
    assert round(first[OWN + 8], 9) == round(0.2 * (5 - 9), 9), "job 1 ends at 9, the bound"
    assert second[OWN + 8] == 0


def test_rivals_are_the_other_jobs_that_wait_for_the_machine() -> None:
    (found,) = observe([after(SHOP, 1)])
    first = found[0] * 3.5
    assert found[0, RIVALS : RIVALS + 2].tolist() == [0.5, 0.0]
    assert first[RIVALS + 2] == 4, "job 1 could start at 4"
    assert first[RIVALS + 3] == 9, "and would end at 9"
    assert first[RIVALS + 5] == 0, "after job 0 it still ends at 9"
    assert round(first[RIVALS + 6], 9) == round(0.2 * (14 - 9), 9), "job 0 after it ends at 14"
    (alone,) = observe([after(SHOP)])
    assert alone[0, RIVALS : RIVALS + 3].tolist() == [0.25, 1.0, FAR]


def test_what_a_job_meets_next() -> None:
    (found,) = observe([after(SHOP, 1)])
    assert found[0, AHEAD] * 3.5 == 2
    assert found[0, AHEAD + 1] * 3.5 == 0.5 * (4 - 3), "machine 1 is free at 4, the job is at 3"
    assert found[1, AHEAD : AHEAD + 4].tolist() == [0, -FAR, 0, 0], "its last operation"


def test_finished_jobs_are_not_described() -> None:
    (found,) = observe([after(SHOP, 0, 0)])
    assert not found[0].any() and found[1].any() and found.shape == (2, FEATURES)


def test_features_have_no_unit() -> None:
    twice = replace(SHOP, durations=((6, 4), (8, 10)))
    plain, doubled = observe([after(shop, 1, 0) for shop in (SHOP, twice)])
    assert np.array_equal(plain, doubled)


def test_operations_without_duration_have_features() -> None:
    idle = replace(SHOP, durations=((0, 0), (0, 0)))
    assert np.isfinite(observe([after(idle, 1)])).all()


def test_a_job_may_come_twice_to_a_machine() -> None:
    again = Instance("again", ((3, 2, 1), (4, 5, 1)), ((0, 1, 0), (0, 1, 0)))
    jobs = [0, 1, 0, 0, 1, 1]
    assert played(again, jobs).ready.max() == problems.load("jssp").replay(again, jobs)


def test_a_compiled_rollout_places_what_the_teacher_prefers() -> None:
    torch.manual_seed(3)
    network = ScoringNetwork(FEATURES, RULE)
    problem = problems.load("jssp")
    instances = problem.load("random-6x6")[:5]
    found = rollouts(FAMILY.teacher(network, "jssp"), problem, instances)
    makespans = follow(module.empty(*tables(instances)), network.layers())
    assert [rollout.cost for rollout in found if rollout] == makespans.tolist()
