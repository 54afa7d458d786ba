"""Training data: expert schedules and noisy copies as episodes, and batches of their transitions.

Paper of Offline-LD, "noisy expert": in half of the episodes every step takes a random unfinished
job with probability 0.1 instead of the expert's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from teachers.offline_l2d.graphs import Graphs, assemble
from teachers.offline_l2d.shop import snapshots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teachers.offline_l2d.experts import Experts

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
class Situation:
    """B states: their graphs, which jobs are unfinished [B, n], their makespan bound [B]."""

    graphs: Graphs
    feasible: np.ndarray
    bound: np.ndarray


@dataclass(frozen=True, slots=True)
class Batch:
    """B transitions of one size: before, the job taken [B], reward [B], after."""

    now: Situation
    taken: np.ndarray
    reward: np.ndarray
    then: Situation


def episodes(experts: Experts, dice: np.random.Generator) -> Episodes:
    """One episode as the expert played it and one noisy copy, for every instance."""
    noisy = np.array([disturb(actions, NOISE, dice) for actions in experts.actions])
    durations, machines = (np.tile(t, (2, 1, 1)) for t in (experts.durations, experts.machines))
    played = np.concatenate([experts.actions, noisy])
    ends = np.full(len(experts.actions), experts.actions.shape[1])
    best = situation(experts.durations, experts.machines, experts.actions, ends).bound
    return Episodes(durations, machines, played, np.tile(best, 2))


def disturb(actions: np.ndarray, noise: float, dice: np.random.Generator) -> list[int]:
    """The same operations in another order: now and then a random unfinished job goes first."""
    left, order = actions.tolist(), []
    while left:
        job = left[0]
        if dice.random() < noise:
            job = int(dice.choice(sorted(set(left))))
        left.remove(job)
        order.append(job)
    return order


def draw(pools: Sequence[Episodes], size: int, dice: np.random.Generator) -> Batch:
    """`size` transitions of one pool, the pool with a chance in proportion to its transitions."""
    weights = np.array([pool.transitions for pool in pools], float)
    pool = pools[dice.choice(len(pools), p=weights / weights.sum())]
    rows = dice.integers(len(pool.actions), size=size)
    steps = dice.integers(pool.actions.shape[1], size=size)
    played = pool.durations[rows], pool.machines[rows], pool.actions[rows]
    now, then = situation(*played, steps), situation(*played, steps + 1)
    reward = (now.bound - then.bound) / pool.makespans[rows]
    return Batch(now, pool.actions[rows, steps], reward, then)


def situation(
    durations: np.ndarray, machines: np.ndarray, actions: np.ndarray, steps: np.ndarray
) -> Situation:
    """The states right before step `steps[i]` of episodes given as in `Episodes`."""
    count, jobs, length = durations.shape
    bounds = np.empty((count, jobs, length))
    previous = np.empty((count, jobs * length), np.int64)
    next_op = np.empty((count, jobs), np.int64)
    snapshots(durations, machines, actions, steps, bounds, previous, next_op)
    offsets = np.arange(count)[:, None] * (jobs * length)
    rows = np.where(previous < 0, bounds.size, previous + offsets).reshape(-1)
    bound = bounds.max(axis=(1, 2))
    return Situation(assemble(bounds, rows, next_op), next_op < length, bound)
