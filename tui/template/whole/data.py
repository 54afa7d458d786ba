"""The instances: what has to be solved, and the named sets they come in."""

from __future__ import annotations

import random
from dataclasses import dataclass

from preceptor import InstanceSet, UnknownName

JOBS = 30

SETS = (
    InstanceSet(
        "design", 32, "32 lists of 30 jobs, generated; the search looks at these", design=True
    ),
    InstanceSet(
        "selection", 32, "32 others like them; the winner is chosen on these", design=True
    ),
    InstanceSet("held-out", 32, "32 other lists of 30 jobs, generated; for measuring at the end"),
)
_FIRST_SEEDS = {"design": 1000, "selection": 3000, "held-out": 2000}


@dataclass(frozen=True, slots=True)
class Instance:
    """Jobs by duration, weight and due time.

    `reference` is the best objective known, None where there is none.
    """

    name: str
    durations: tuple[int, ...]
    weights: tuple[int, ...]
    dues: tuple[int, ...]
    reference: float | None = None


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name not in _FIRST_SEEDS:
        raise UnknownName("set", name, _FIRST_SEEDS)
    return tuple(_draw(f"{name}/{number}", _FIRST_SEEDS[name] + number) for number in range(32))


def _draw(name: str, seed: int) -> Instance:
    rng = random.Random(seed)
    durations = tuple(rng.randint(1, 100) for _ in range(JOBS))
    weights = tuple(rng.randint(1, 10) for _ in range(JOBS))
    total = sum(durations)
    dues = tuple(rng.randint(total // 5, total) for _ in range(JOBS))
    return Instance(name, durations, weights, dues)
