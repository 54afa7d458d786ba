"""Expert schedules and the episodes made of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import problems
from problems.errors import UserError
from problems.jssp.instances import Instance
from teachers.offline_l2d import expert_schedules as module
from teachers.offline_l2d.episodes import disturb, draw, record_episodes
from teachers.offline_l2d.expert_schedules import (
    FIRST_SEED,
    ExpertSchedules,
    ShopPart,
    load_or_solve,
    schedule,
)
from teachers.training.measure import TrainingProgress

SHOP = Instance("two", ((3, 2), (4, 5)), ((0, 1), (1, 0)))
PART = ShopPart(3, 3, 2, limit=5.0)


def ignore(progress: TrainingProgress) -> None:
    """Nobody listens."""


def test_a_schedule_is_optimal_where_the_limit_allows() -> None:
    pytest.importorskip("ortools")
    assert problems.load("jssp").replay(SHOP, schedule(SHOP, limit=5.0)) == 9


def test_solved_instances_are_kept_and_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ortools")
    heard: list[TrainingProgress] = []
    first = load_or_solve(PART, 0, heard.append)
    assert [progress.done for progress in heard] == [0.5, 1.0]
    monkeypatch.setattr(module, "schedule", None)
    again = load_or_solve(PART, 0, heard.append)
    assert np.array_equal(first.actions, again.actions)
    assert len(heard) == 2


def test_without_cp_sat_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"preceptor\[reference\]"):
        load_or_solve(PART, 0, ignore)


def test_no_training_seed_is_one_of_a_named_set() -> None:
    assert FIRST_SEED > 1000, "named sets are drawn with seeds 200, 300, 700 and 900"


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_noise_reorders_the_jobs_and_drops_none(noise: float) -> None:
    actions = np.array([0, 1, 2, 0, 1, 2, 2, 1, 0] * 4)
    found = disturb(actions, noise, np.random.default_rng(0))
    assert Counter(found) == Counter(actions.tolist())
    assert (found == actions.tolist()) == (noise == 0.0)


def expert(*actions: int) -> ExpertSchedules:
    """One episode on `SHOP`."""
    tables = np.array([SHOP.durations]), np.array([SHOP.machines])
    return ExpertSchedules(*tables, np.array([actions]))


def test_half_of_the_episodes_are_the_experts_own() -> None:
    found = record_episodes(expert(0, 1, 1, 0), np.random.default_rng(0))
    assert found.actions.shape == (2, 4)
    assert found.actions[0].tolist() == [0, 1, 1, 0]
    assert found.makespans.tolist() == [9, 9]


def test_the_rewards_of_an_episode_add_up_to_its_delay_over_the_experts_makespan() -> None:
    """The bound starts at 9; the reward's unit is the makespan that the actions reach."""
    late = Instance("late", ((3, 2), (5, 4)), ((0, 1), (0, 1)))
    played = ExpertSchedules(
        np.array([late.durations]), np.array([late.machines]), np.array([[1, 1, 0, 0]])
    )
    pool = record_episodes(played, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    rewards: dict[float, float] = {}
    for batch in (draw([pool], 8, rng) for _ in range(20)):
        steps = batch.now.graphs.features[:, :, 1].sum(axis=1)
        rewards |= dict(zip(steps.tolist(), batch.reward.tolist(), strict=True))
    assert sorted(rewards) == [0, 1, 2, 3]
    end = problems.load("jssp").replay(late, [1, 1, 0, 0])
    assert sum(rewards.values()) == pytest.approx((9 - end) / end)


def test_a_drawn_transition_leads_from_a_state_to_the_next() -> None:
    batch = draw(
        [record_episodes(expert(0, 1, 1, 0), np.random.default_rng(0))],
        32,
        np.random.default_rng(1),
    )
    before, after = (part.graphs.features[:, :, 1].sum(axis=1) for part in (batch.now, batch.then))
    assert (after == before + 1).all()
    assert batch.now.feasible[np.arange(32), batch.taken].all()
    assert (batch.then.feasible.any(axis=1) == (after < 4)).all()
