"""Random lattices: graphs as regular as the magnets of physics, the opposite of one with hubs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState

from problems.maxcut.instances import Instance, as_graph

LATTICES_FROM = 7203
"""Seed of the lattices that validations look at."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Cubes of `side` vertices a side, at least 3, each joined to six others; weights +1 and -1.

    Opposite faces are joined, so that no vertex is at a border.
    """

    side: int

    def draw(self, name: str, seed: int, size: int) -> tuple[Instance, ...]:
        """`size` lattices, one after the other from NumPy's legacy generator."""
        rng = np.random.RandomState(seed)
        return tuple(self._draw(rng, f"{name}/{index}") for index in range(size))

    def _draw(self, rng: RandomState, name: str) -> Instance:
        places = np.arange(self.side**3).reshape(3 * (self.side,))
        ahead = [np.roll(places, -1, axis).ravel() for axis in range(3)]
        pairs = np.column_stack([np.tile(places.ravel(), 3), np.concatenate(ahead)])
        weights = 2 * rng.randint(2, size=len(pairs)) - 1
        return as_graph(name, places.size, np.column_stack([pairs, weights]))
