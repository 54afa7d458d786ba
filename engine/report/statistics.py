"""What may be said of figures over seeds and instances: spread, intervals, a paired test.

All draws come from fixed seeds: the same figures give the same words, always.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_SEEDS = 5
"""Seeds below which nothing is claimed about methods."""

LEVEL = 0.95
"""The share of resamples that an interval holds."""

DRAWS = 2000
"""Resamples of an interval."""

EXACT = 16
"""Instances up to which a test looks at every pattern of signs, 65,536 of them."""

PATTERNS = 20_000
"""Patterns of signs that a test draws where it cannot look at all."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean over `count` values; `deviation` is their sample standard deviation, 0 for one."""

    mean: float
    deviation: float
    count: int


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the mean of a figure lies, at `LEVEL`."""

    low: float
    high: float


def spread(values: Sequence[float]) -> Spread | None:
    """Mean and standard deviation; None for no values."""
    if not values:
        return None
    deviation = stdev(values) if len(values) > 1 else 0.0
    return Spread(fmean(values), deviation, len(values))


def interval(costs: Sequence[Sequence[float]]) -> Interval:
    """A bootstrap interval of the mean of `costs`, a row a seed, a column an instance.

    Resamples the rows, then the columns: all seeds met the same instances, so that a resampled
    instance is one for all of them (percentile bootstrap of a crossed design).
    """
    import numpy as np  # slow to import

    table = np.asarray(costs, dtype=float)
    seeds, instances = table.shape
    rng = np.random.default_rng(0)
    rows = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=DRAWS)
    columns = rng.multinomial(instances, np.full(instances, 1 / instances), size=DRAWS)
    means = ((rows @ table) * columns).sum(axis=1) / table.size
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def flip_signs(gaps: Sequence[float]) -> float:
    """Two-sided p-value of the sign-flip permutation test that paired `gaps` have mean 0.

    The share of patterns of signs whose sum is at least as far from 0 as the observed one; over
    all patterns up to `EXACT` gaps, else over `PATTERNS` drawn ones and the observed one.
    """
    import numpy as np

    found = np.asarray(gaps, dtype=float)
    count = len(found)
    if count <= EXACT:
        patterns = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
    else:
        patterns = np.random.default_rng(0).integers(0, 2, size=(PATTERNS, count))
    sums = np.abs((2.0 * patterns - 1.0) @ found)
    slack = 1e-9 * float(np.abs(found).sum())  # equal sums may differ in their last bits
    as_far = int((sums >= abs(math.fsum(gaps)) - slack).sum())
    return as_far / 2**count if count <= EXACT else (as_far + 1) / (PATTERNS + 1)


def caveat(seeds: int) -> str:
    """What so few seeds do not allow to say; empty for enough of them."""
    if seeds >= FEWEST_SEEDS:
        return ""
    return f"{seeds} {'seed' if seeds == 1 else 'seeds'}: too few for a claim about methods"
