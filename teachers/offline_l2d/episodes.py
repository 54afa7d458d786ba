"""Training data: expert schedules and noisy copies as episodes, and batches of their transitions.

Paper of Offline-LD, "noisy expert": in half of the episodes every step takes a random unfinished
job with probability 0.1 instead of the expert's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from teachers.offline_l2d.graphs import ShopGraphs, assemble
from teachers.offline_l2d.shop import snapshots

if TYPE_CHECKING:
    from teachers.offline_l2d.expert_schedules import ExpertSchedules

NOISE = 0.1


@dataclass(frozen=True, slots=True)
class Episodes:
    """E recorded episodes of one size.

    `durations` and `machines` [E, n, m], `actions` [E, n * m] (jobs), `makespans` [E]: that of
    the expert on the same instance, the unit of the reward.
    """

    durations: np.ndarray
    machines: np.ndarray
    actions: np.ndarray
    makespans: np.ndarray

    @property
    def transitions(self) -> int:
        """How many decisions were recorded."""
        return int(self.actions.size)


@dataclass(frozen=True, slots=True)
class EpisodeStates:
    """B states: their graphs, which jobs are unfinished [B, n], their makespan bound [B]."""

    graphs: ShopGraphs
    feasible: np.ndarray
    bound: np.ndarray


@dataclass(frozen=True, slots=True)
class TransitionBatch:
    """B transitions of one size: before, the job taken [B], reward [B], after."""

    now: EpisodeStates
    taken: np.ndarray
    reward: np.ndarray
    then: EpisodeStates


def record_episodes(solved: ExpertSchedules, rng: np.random.Generator) -> Episodes:
    """One episode as the expert played it and one noisy copy, for every instance."""
    noisy = np.array([disturb(actions, NOISE, rng) for actions in solved.actions])
    ends = np.full(len(solved.actions), solved.actions.shape[1])
    best = states_at(solved.durations, solved.machines, solved.actions, ends).bound
    return Episodes(
        durations=np.tile(solved.durations, (2, 1, 1)),
        machines=np.tile(solved.machines, (2, 1, 1)),
        actions=np.concatenate([solved.actions, noisy]),
        makespans=np.tile(best, 2),
    )


def disturb(actions: np.ndarray, noise: float, rng: np.random.Generator) -> list[int]:
    """The same operations in another order: now and then a random unfinished job goes first."""
    left = actions.tolist()
    order = list[int]()
    while left:
        job = left[0]
        if rng.random() < noise:
            job = int(rng.choice(sorted(set(left))))
        left.remove(job)
        order.append(job)
    return order


def draw(recorded: Sequence[Episodes], size: int, rng: np.random.Generator) -> TransitionBatch:
    """`size` transitions of episodes of one size, as likely as there are transitions of it."""
    weights = np.array([episodes.transitions for episodes in recorded], float)
    episodes = recorded[rng.choice(len(recorded), p=weights / weights.sum())]
    rows = rng.integers(len(episodes.actions), size=size)
    steps = rng.integers(episodes.actions.shape[1], size=size)
    played = (episodes.durations[rows], episodes.machines[rows], episodes.actions[rows])
    now = states_at(*played, steps)
    then = states_at(*played, steps + 1)
    reward = (now.bound - then.bound) / episodes.makespans[rows]
    return TransitionBatch(now, episodes.actions[rows, steps], reward, then)


def states_at(
    durations: np.ndarray, machines: np.ndarray, actions: np.ndarray, steps: np.ndarray
) -> EpisodeStates:
    """The states right before step `steps[i]` of episodes given as in `Episodes`."""
    count, jobs, length = durations.shape
    bounds = np.empty((count, jobs, length))
    previous = np.empty((count, jobs * length), np.int64)
    next_op = np.empty((count, jobs), np.int64)
    snapshots(durations, machines, actions, steps, bounds, previous, next_op)
    offsets = np.arange(count)[:, None] * (jobs * length)
    rows = np.where(previous < 0, bounds.size, previous + offsets).reshape(-1)
    bound = bounds.max(axis=(1, 2))
    return EpisodeStates(assemble(bounds, rows, next_op), next_op < length, bound)
