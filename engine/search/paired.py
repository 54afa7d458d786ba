"""How two programs compare over the same instances, and how two columns of numbers go together."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 6
"""Pairs below which a correlation says nothing."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Costs of one program minus another's, instance by instance: mean and its standard error.

    `better` of `count` instances have a lower cost than before.
    """

    mean: float
    stderr: float
    better: int
    count: int


def compare(new: Sequence[float | None], old: Sequence[float | None]) -> Paired | None:
    """The paired difference of two lists of costs; None unless both are complete."""
    if len(new) != len(old) or len(new) < 2:
        return None
    gaps = [a - b for a, b in zip(new, old, strict=True) if a is not None and b is not None]
    if len(gaps) < len(new):
        return None
    mean = math.fsum(gaps) / len(gaps)
    variance = math.fsum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
    return Paired(mean, math.sqrt(variance / len(gaps)), sum(g < 0 for g in gaps), len(gaps))


def complement(first: Sequence[float | None], second: Sequence[float | None]) -> float:
    """What the better of two programs saves over the first alone, summed over the instances."""
    pairs = zip(first, second, strict=False)
    return math.fsum(max(0.0, a - b) for a, b in pairs if a is not None and b is not None)


def lower_costs(
    first: Sequence[float | None], second: Sequence[float | None]
) -> tuple[float | None, ...]:
    """What the better of two programs costs on each instance; None where neither has a cost."""
    pairs = zip(first, second, strict=False)
    return tuple(b if a is None else a if b is None else min(a, b) for a, b in pairs)


def correlate_ranks(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None for few pairs, or where a column does not vary."""
    if len(one) < FEWEST:
        return None
    a = _centred_ranks(one)
    b = _centred_ranks(other)
    norm = math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
    if norm == 0:
        return None
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / norm


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """Twice the rank of each value, ties shared, around 0."""
    ordered = sorted(values)
    return [
        float(bisect_left(ordered, value) + bisect_right(ordered, value) - len(ordered))
        for value in values
    ]
