"""The instances: what has to be solved, and the named sets they come in."""

from __future__ import annotations

import random
from dataclasses import dataclass

from preceptor import InstanceSet, UnknownName

CAPACITY = 150

SETS = (
    InstanceSet(
        "design", 16, "16 lists of 60 items, generated; the search looks at these", design=True
    ),
    InstanceSet(
        "selection", 16, "16 others like them; the winner is chosen on these", design=True
    ),
    InstanceSet("held-out", 16, "16 other lists of 60 items, generated; for measuring at the end"),
)
_FIRST_SEEDS = {"design": 1000, "selection": 3000, "held-out": 2000}


@dataclass(frozen=True, slots=True)
class Instance:
    """Items by size, in the order in which they arrive; bins hold `CAPACITY`.

    `reference` is the best objective known, None where there is none.
    """

    name: str
    sizes: tuple[int, ...]
    reference: float | None = None


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name not in _FIRST_SEEDS:
        raise UnknownName("set", name, _FIRST_SEEDS)
    return tuple(_draw(f"{name}/{number}", _FIRST_SEEDS[name] + number) for number in range(16))


def _draw(name: str, seed: int) -> Instance:
    rng = random.Random(seed)
    return Instance(name, tuple(rng.randint(15, 90) for _ in range(60)))
