"""The rollouts that a training plays: on random graphs, a new one whenever one is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from problems.maxcut.instances import GraphGenerator
from teachers.eco_dqn.graphs import Graph, GraphBatch, graph, side_by_side
from teachers.eco_dqn.rollouts import Rollouts, start_rollouts
from teachers.training.lattices import Lattice

LENGTH = 2
"""Flips of a rollout, times the number of vertices."""


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """One flip on all G rollouts, [G] each.

    `values` are the largest values before it. `alive` is 0 for rollouts that were over before.
    `rewards` is how much a flip raised the best cut, in units of its graph, and `goes_on` is 0
    after the last flip.
    """

    rollouts: Rollouts
    values: Tensor
    vertices: Tensor
    rewards: Tensor
    goes_on: Tensor

    @property
    def alive(self) -> Tensor:
        """1 where there was a flip left to do."""
        return (self.rollouts.steps < self.rollouts.lengths).to(self.rewards)


class Environments:
    """Rollouts on graphs of some generators, in turn; all that is random comes from `rng`."""

    def __init__(
        self,
        generators: Sequence[GraphGenerator | Lattice],
        count: int,
        rng: np.random.Generator,
        like: Tensor,
    ) -> None:
        self.generators = [generators[index % len(generators)] for index in range(count)]
        self.rng = rng
        self.like = like
        self.drawn = [self._draw(generator) for generator in self.generators]
        moments = rng.integers([LENGTH * graph.size for graph in self.drawn])
        self.rollouts = self._start(side_by_side(self.drawn, like), moments)

    def renew(self) -> None:
        """Put a new graph and random spins in the place of every rollout that is over."""
        old = self.rollouts
        over = old.steps >= old.lengths
        done = over.tolist()
        if not any(done):
            return
        self.drawn = [
            self._draw(generator) if ended else kept
            for generator, kept, ended in zip(self.generators, self.drawn, done, strict=True)
        ]
        new = self._start(side_by_side(self.drawn, self.like), np.zeros(len(done)))
        self.rollouts = new.where(over, old)

    def play(self, vertices: Tensor, values: Tensor) -> Transition:
        """Flip one vertex on each rollout, with the largest values found before."""
        before = self.rollouts
        self.rollouts = before.flip(vertices)
        rewards = (self.rollouts.best_cuts - before.best_cuts) / before.graphs.units
        goes_on = (self.rollouts.steps < self.rollouts.lengths).to(rewards)
        return Transition(before, values, vertices, rewards, goes_on)

    def stray(self, vertices: Tensor, share: float) -> Tensor:
        """The same vertices, but for a share of the rollouts any other of the graph instead."""
        sizes = np.array(self.rollouts.graphs.sizes)
        anywhere = self._tensor(np.cumsum(sizes) - sizes + self.rng.integers(sizes)).long()
        strays = self._tensor(self.rng.random(len(sizes)) < share).bool()
        return torch.where(strays, anywhere, vertices)

    def _draw(self, generator: GraphGenerator | Lattice) -> Graph:
        return graph(generator.draw("lesson", int(self.rng.integers(1 << 32)), 1)[0])

    def _start(self, graphs: GraphBatch, steps: np.ndarray) -> Rollouts:
        spins = self._tensor(1.0 - 2.0 * self.rng.integers(2, size=sum(graphs.sizes)))
        lengths = self._tensor(LENGTH * np.array(graphs.sizes))
        return start_rollouts(graphs, spins, self._tensor(steps), lengths)

    def _tensor(self, values: np.ndarray) -> Tensor:
        return torch.from_numpy(values).to(self.like)
