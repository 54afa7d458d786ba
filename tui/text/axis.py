"""One axis of a plot: its range, which changes only when it must, and its round ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MARGIN = 0.06
"""Share of the data's range left free on either side."""

FAR = 3.0
"""Interquartile ranges beyond the upper quartile from which a value is far away."""

SHRINK = 1.6
"""How many times too large a range may be before it is fitted anew."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, `low` below `high`."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """Its length."""
        return self.high - self.low

    def holds(self, value: float) -> bool:
        """Whether the value lies in it."""
        return self.low <= value <= self.high

    def place(self, value: float, cells: int) -> int:
        """The cell of a value it holds, from 0 at `low` to `cells` - 1 at `high`."""
        return min(cells - 1, int((value - self.low) / self.span * cells))

    def zoomed(self, about: float, factor: float) -> Axis:
        """A range `factor` times as long in which `about` keeps its relative place."""
        return Axis(about - (about - self.low) * factor, about + (self.high - about) * factor)

    def ticks(self, most: int) -> list[float]:
        """Round values in it, `most` at most: multiples of 1, 2 or 5 times a power of ten."""
        rough = self.span / max(1, most)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)][:most]


def fit(values: Sequence[float], before: Axis | None = None) -> Axis:
    """A range for the values: the one before, unless a value leaves it or it is far too large."""
    low = min(values)
    high = max(values)
    span = high - low or abs(high) * 0.1 or 1.0
    largest = SHRINK * span * (1 + 2 * MARGIN)
    if before and before.holds(low) and before.holds(high) and before.span <= largest:
        return before
    middle = (low + high) / 2
    return Axis(middle - span * (0.5 + MARGIN), middle + span * (0.5 + MARGIN))


def fence(values: Sequence[float]) -> float:
    """The value above which one lies far from the others: Tukey's outer fence."""
    if len(values) < 4:
        return max(values)
    low, _, high = quantiles(values, n=4, method="inclusive")
    return high + FAR * (high - low) if high > low else max(values)


def label(value: float, span: float) -> str:
    """A tick's text, as many decimals as the range needs."""
    decimals = max(0, 1 - math.floor(math.log10(span)))
    return f"{value:.{min(decimals, 6)}f}" if abs(value) < 1e7 else f"{value:.3g}"
