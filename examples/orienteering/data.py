"""Maps with prizes by the recipe of Kool et al. (2019), in which far nodes are worth more.

Nodes and the depot are uniform in the unit square; a prize grows with the distance from the depot,
from 0.01 to 1; a tour may be 2, 3 or 4 long with 20, 50 or 100 nodes. All are generated here, and
are substitutes: the maps of the paper came out of other seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from preceptor import InstanceSet, UnknownName

LIMITS = {20: 2.0, 50: 3.0, 100: 4.0}
"""The length of a tour by the number of nodes."""

SETS = {
    "design": (64, 50, 1000),
    "selection": (64, 50, 2000),
    "op20": (100, 20, 3000),
    "op50": (100, 50, 4000),
    "op100": (100, 100, 5000),
}
"""Instances, nodes and the first seed of every set."""


@dataclass(frozen=True)
class Instance:
    """Places of the depot (node 0) and the nodes, their prizes, and the length of a tour."""

    name: str
    places: tuple[tuple[float, float], ...]
    prizes: tuple[float, ...]
    limit: float
    reference: float | None = None

    @cached_property
    def distances(self) -> tuple[tuple[float, ...], ...]:
        """Between all places."""
        return tuple(tuple(math.dist(a, b) for b in self.places) for a in self.places)


def list_sets() -> tuple[InstanceSet, ...]:
    """All sets as they are told."""
    return tuple(
        InstanceSet(
            name,
            count,
            f"{count} maps of {nodes} nodes, tours of {LIMITS[nodes]:g}, generated",
            "substitute",
            design=name in ("design", "selection"),
        )
        for name, (count, nodes, _) in SETS.items()
    )


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name not in SETS:
        raise UnknownName("set", name, SETS)
    count, nodes, seed = SETS[name]
    return tuple(_draw(f"{name}/{k}", nodes, seed + k) for k in range(count))


def _draw(name: str, nodes: int, seed: int) -> Instance:
    rng = np.random.RandomState(seed)
    places = tuple((float(x), float(y)) for x, y in rng.random_sample((nodes + 1, 2)))
    far = [math.dist(places[0], place) for place in places]
    prizes = tuple((1 + math.floor(99 * one / max(far))) / 100 if one else 0.0 for one in far)
    return Instance(name, places, prizes, LIMITS[nodes])
