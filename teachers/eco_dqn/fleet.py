"""The walks that a training plays: random graphs, a new one whenever a walk is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from teachers.eco_dqn.graphs import graph, side_by_side
from teachers.eco_dqn.walks import Walks, set_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.maxcut.sets.graphs import GraphGenerator
    from teachers.eco_dqn.graphs import Graph, Graphs
    from teachers.eco_dqn.lattices import Lattice

LENGTH = 2
"""Flips of a walk, times the number of vertices."""


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """One flip on all G walks, [G] each.

    `values` are the largest values before it. `alive` is 0 for walks that were over before.
    `rewards` is how much a flip raised the best cut, in units of its graph, and `goes_on` is 0
    after the last flip.
    """

    walks: Walks
    values: Tensor
    vertices: Tensor
    rewards: Tensor
    goes_on: Tensor

    @property
    def alive(self) -> Tensor:
        """1 where there was a flip left to do."""
        return (self.walks.steps < self.walks.lengths).to(self.rewards)


class Fleet:
    """Walks on graphs of some recipes, in turn; all that is random comes from `dice`."""

    def __init__(
        self,
        recipes: Sequence[GraphGenerator | Lattice],
        walks: int,
        dice: np.random.Generator,
        like: Tensor,
    ) -> None:
        self.recipes = [recipes[index % len(recipes)] for index in range(walks)]
        self.dice, self.like = dice, like
        self.drawn = [self._draw(recipe) for recipe in self.recipes]
        moments = dice.integers([LENGTH * graph.size for graph in self.drawn])
        self.walks = self._set_out(side_by_side(self.drawn, like), moments)

    def renew(self) -> None:
        """Put a new graph and random spins in the place of every walk that is over."""
        old, over = self.walks, self.walks.steps >= self.walks.lengths
        done = over.tolist()
        if not any(done):
            return
        self.drawn = [
            self._draw(recipe) if ended else kept
            for recipe, kept, ended in zip(self.recipes, self.drawn, done, strict=True)
        ]
        new = self._set_out(side_by_side(self.drawn, self.like), np.zeros(len(done)))
        self.walks = new.where(over, old)

    def play(self, vertices: Tensor, values: Tensor) -> Transition:
        """Flip one vertex on each walk, with the largest values found before."""
        before, self.walks = self.walks, self.walks.flip(vertices)
        rewards = (self.walks.best_cuts - before.best_cuts) / before.graphs.units
        goes_on = (self.walks.steps < self.walks.lengths).to(rewards)
        return Transition(before, values, vertices, rewards, goes_on)

    def stray(self, vertices: Tensor, share: float) -> Tensor:
        """The same vertices, but for a share of the walks any other of the graph instead."""
        sizes = np.array(self.walks.graphs.sizes)
        anywhere = self._tensor(np.cumsum(sizes) - sizes + self.dice.integers(sizes)).long()
        strays = self._tensor(self.dice.random(len(sizes)) < share).bool()
        return torch.where(strays, anywhere, vertices)

    def _draw(self, recipe: GraphGenerator | Lattice) -> Graph:
        return graph(recipe.draw("lesson", int(self.dice.integers(1 << 32)), 1)[0])

    def _set_out(self, graphs: Graphs, steps: np.ndarray) -> Walks:
        spins = self._tensor(1.0 - 2.0 * self.dice.integers(2, size=sum(graphs.sizes)))
        lengths = self._tensor(LENGTH * np.array(graphs.sizes))
        return set_out(graphs, spins, self._tensor(steps), lengths)

    def _tensor(self, values: np.ndarray) -> Tensor:
        return torch.from_numpy(values).to(self.like)
