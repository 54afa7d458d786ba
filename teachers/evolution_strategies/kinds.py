"""What is learned from: random instances, and what networks reach on them.

A kind draws instances, and says what each network costs on each of them when it is followed from
the start to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from teachers.evolution_strategies import shop_features, walk_features
from teachers.evolution_strategies.shops import empty
from teachers.evolution_strategies.walks import begin, graph

if TYPE_CHECKING:
    from problems.maxcut.sets.graphs import GraphGenerator
    from teachers.evolution_strategies.network import Layers
    from teachers.training.lattices import Lattice

LONGEST = 99
"""Durations are drawn from 1 to one less, as in the random sets of the paper."""
LENGTH = 2
"""Flips of a walk, times the number of vertices."""


class Kind(Protocol):
    """A kind of random instances."""

    def draw(self, rng: np.random.Generator) -> Any:
        """Some instances, in the form that `costs` takes."""

    def costs(self, drawn: Any, layers: Layers) -> list[float]:
        """What a network costs on each instance."""


@dataclass(frozen=True, slots=True)
class ShopKind:
    """So many shops of one size; the cost is the makespan."""

    jobs: int
    machines: int
    count: int

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Durations and machines, [count, jobs, machines] each."""
        shape = (self.count, self.jobs, self.machines)
        orders = np.tile(np.arange(self.machines), (self.count, self.jobs, 1))
        return rng.integers(1, LONGEST, shape), rng.permuted(orders, axis=2)

    def costs(self, drawn: tuple[np.ndarray, np.ndarray], layers: Layers) -> list[float]:
        """The makespans."""
        makespans: list[float] = shop_features.follow(empty(*drawn), layers).tolist()
        return makespans


@dataclass(frozen=True, slots=True)
class GraphKind:
    """One graph of a generator and random spins to start from; the cost is minus the best cut."""

    generator: GraphGenerator | Lattice

    def draw(self, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """The graph as arrays, and its spins."""
        (instance,) = self.generator.draw("drawn", int(rng.integers(1 << 32)), 1)
        return graph(instance), 1.0 - 2.0 * rng.integers(2, size=instance.size)

    def costs(self, drawn: tuple[Any, np.ndarray], layers: Layers) -> list[float]:
        """Minus the best cut of the walk."""
        arrays, spins = drawn
        steps = LENGTH * len(spins)
        return [-float(walk_features.follow(arrays, begin(arrays, spins), steps, layers))]
