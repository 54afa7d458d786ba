"""Knapsacks by the recipe of Chu and Beasley (1998), whose own instances are in the OR-Library.

Needs are uniform from 1 to 1000, a resource holds a share of all needs (the tightness), and a
profit grows with the mean need. All are generated here, and are substitutes: theirs came out of
another generator.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

from preceptor import InstanceSet, UnknownName

TIGHTNESS = (0.25, 0.5, 0.75)
"""Shares of all needs that a resource holds, by turns."""

SIZES = {"5x100": (5, 100), "5x250": (5, 250), "10x100": (10, 100)}
"""Resources and items of the held-out sets, ten of each tightness in the OR-Library."""

COUNT = 30
SETS = {
    "design": ((5, 100), 1000),
    "selection": ((5, 100), 2000),
    **{name: (size, 3000 + 1000 * k) for k, (name, size) in enumerate(SIZES.items())},
}
"""Size and first seed of every set."""

BOUNDS = Path(__file__).with_name("bounds.json")
"""Profits of the linear relaxations, by instance; `bounds.py` writes them."""


@dataclass(frozen=True, slots=True)
class Instance:
    """`needs[item][resource]`, the profit of every item, what every resource holds.

    `reference` is the profit of the linear relaxation, which no solution exceeds.
    """

    name: str
    profits: tuple[int, ...]
    needs: tuple[tuple[int, ...], ...]
    room: tuple[int, ...]
    reference: float | None = None


def list_sets() -> tuple[InstanceSet, ...]:
    """All sets as they are told."""
    return tuple(
        InstanceSet(
            name,
            COUNT,
            f"{COUNT} knapsacks of {size[1]} items and {size[0]} resources, generated",
            "substitute",
            design=name in ("design", "selection"),
        )
        for name, (size, _) in SETS.items()
    )


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name not in SETS:
        raise UnknownName("set", name, SETS)
    size, seed = SETS[name]
    known = json.loads(BOUNDS.read_text("utf-8")).get(name, [None] * COUNT)
    return tuple(_draw(f"{name}/{k}", *size, k, seed + k, known[k]) for k in range(COUNT))


def _draw(
    name: str, resources: int, items: int, number: int, seed: int, reference: float | None
) -> Instance:
    rng = random.Random(seed)
    needs = tuple(tuple(rng.randint(1, 1000) for _ in range(resources)) for _ in range(items))
    profits = tuple(sum(row) // resources + int(500 * rng.random()) for row in needs)
    tightness = TIGHTNESS[number % len(TIGHTNESS)]
    room = tuple(int(tightness * sum(column)) for column in zip(*needs, strict=True))
    return Instance(name, profits, needs, room, reference)
