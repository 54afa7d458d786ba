"""What may be said of figures over seeds: spread, paired contrasts of methods, what is too few.

The unit of every claim about methods is the run: two methods are paired by seed. Tests over
instances (`flip_signs`) speak of the very programs that were measured and of nothing else.
All draws come from fixed seeds: the same figures give the same words, always.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

FEWEST_SEEDS = 5
"""Seeds below which nothing is claimed about methods."""

LEVEL = 0.95
"""How often an interval holds the true mean."""

POWER = 0.8
"""How often a study of `seeds_needed` seeds sees a difference that is there."""

MOST_SEEDS = 1000
"""Seeds up to which `seeds_needed` looks."""

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
class Contrast:
    """One method minus another, paired by `seeds` seeds, in the unit of the objective.

    `low` and `high` bound the mean difference at `LEVEL`, `p` is two-sided (paired t); the three
    are None for a single seed. `base` is the other's mean.
    """

    mean: float
    deviation: float
    seeds: int
    base: float
    low: float | None
    high: float | None
    p: float | None

    @property
    def percent(self) -> float | None:
        """The mean difference in per cent of the other's mean, None where that is 0."""
        return 100 * self.mean / abs(self.base) if self.base else None

    @property
    def holds_zero(self) -> bool:
        """Whether the interval holds 0; False where there is no interval."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high


def spread(values: Sequence[float]) -> Spread | None:
    """Mean and standard deviation; None for no values."""
    if not values:
        return None
    deviation = stdev(values) if len(values) > 1 else 0.0
    return Spread(fmean(values), deviation, len(values))


def half_interval(values: Spread) -> float:
    """Half of the interval that holds the true mean at `LEVEL` (Student); nan for one value."""
    if values.count == 1:
        return math.nan
    quantile = _student_quantile(values.count - 1, (1 + LEVEL) / 2)
    return quantile * values.deviation / math.sqrt(values.count)


def contrast(one: Mapping[int, float], other: Mapping[int, float]) -> Contrast | None:
    """The difference of two methods over the seeds that both have; None without such a seed.

    Both map a seed to the mean objective that its run reached (Student's paired t interval).
    """
    common = [seed for seed in one if seed in other]
    gaps = spread([one[seed] - other[seed] for seed in common])
    if gaps is None:
        return None
    base = fmean(other[seed] for seed in common)
    if gaps.count == 1:
        return Contrast(gaps.mean, 0.0, 1, base, None, None, None)
    error = gaps.deviation / math.sqrt(gaps.count)
    half = half_interval(gaps)
    return Contrast(
        gaps.mean,
        gaps.deviation,
        gaps.count,
        base,
        gaps.mean - half,
        gaps.mean + half,
        _student_p(gaps.mean, error, gaps.count - 1),
    )


def _student_quantile(freedom: int, level: float) -> float:
    from scipy.special import stdtrit  # slow to import

    return float(stdtrit(freedom, level))


def _student_p(mean: float, error: float, freedom: int) -> float:
    """Two-sided p of a t statistic; 1 where nothing differs, 0 where all differ alike."""
    from scipy.special import stdtr

    if error == 0:
        return 0.0 if mean else 1.0
    return float(2 * stdtr(freedom, -abs(mean) / error))


def adjust(values: Sequence[float]) -> list[float]:
    """Holm's adjustment of the p-values of one family, in their order (Holm 1979)."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - place) * values[index]))
        adjusted[index] = highest
    return adjusted


def seeds_needed(deviation: float, effect: float) -> int | None:
    """Seeds with which a paired t test sees a difference of `effect`, with probability `POWER`.

    `deviation` is that of the paired differences; normal approximation with Student's quantiles.
    None where `MOST_SEEDS` are too few.
    """
    for seeds in range(2, MOST_SEEDS + 1):
        quantiles = (_student_quantile(seeds - 1, q) for q in ((1 + LEVEL) / 2, POWER))
        if sum(quantiles) * deviation <= effect * math.sqrt(seeds):
            return seeds
    return None


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


def smallest_p(seeds: int) -> float:
    """The smallest two-sided p-value that a sign-flip test over so many seeds can give."""
    return 2.0 ** (1 - seeds)
