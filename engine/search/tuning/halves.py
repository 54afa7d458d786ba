"""The two halves of a design set: constants are tuned on one and accepted on the other."""

from __future__ import annotations

import random
from dataclasses import dataclass

FEWEST = 4
"""Instances of a set below which nothing is tuned."""

PART = 4
"""A race is looked at after this part of the tuned half, one in so many."""

LEAST_PART = 4
"""Instances of that part at least."""


@dataclass(frozen=True, slots=True)
class Halves:
    """Instances by index: those tuned on in the order in which they are tried, and the others.

    The first `part` of the tuned ones decide who goes on.
    """

    tuned: tuple[int, ...]
    accepted: tuple[int, ...]
    part: int


def split(count: int) -> Halves:
    """The halves of a set of so many instances, the same for every program.

    One of every two neighbours goes to each: a set may be sorted, or take kinds in turn.
    """
    rng = random.Random(f"halves of {count}")
    tuned = [rng.choice((k, k + 1)) for k in range(0, count - 1, 2)]
    rng.shuffle(tuned)
    accepted = sorted(set(range(count)) - set(tuned))
    part = min(len(tuned), max(LEAST_PART, len(tuned) // PART))
    return Halves(tuple(tuned), tuple(accepted), part)
