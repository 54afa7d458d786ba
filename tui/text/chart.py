"""Axes with round ticks, and charts of letters for a plain terminal."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from string import ascii_uppercase
from typing import TYPE_CHECKING

from engine.monitor.timeline import Clock

if TYPE_CHECKING:
    from engine.report.curves import Points, Series


MARGIN = 0.06
"""Share of the data's range left free on either side."""

FAR = 3.0
"""Interquartile ranges beyond the upper quartile from which a value is far away."""

SHRINK = 1.6
"""How many times too large a range may be before it is fitted again."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, `low` below `high`."""

    low: float
    high: float

    @property
    def span(self) -> float:
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


GUTTER = 10
"""Cells for the labels of the upward axis."""

SHARED = "*"
"""Shown where several series meet."""


def sign(index: int) -> str:
    """The letter of a series."""
    return ascii_uppercase[index % len(ascii_uppercase)]


def chart_dynamics(series: Mapping[str, Series], clock: Clock, width: int, height: int) -> str:
    """The mean of the best costs so far of series by their letters; empty without any.

    Empty by dollars, too, where nothing was paid.
    """
    curves = {
        letter: [(m.time, m.mean) for m in one.dynamics[clock]] for letter, one in series.items()
    }
    times = [time for curve in curves.values() for time, _ in curve]
    if not times or (clock == "dollar" and not max(times)):
        return ""
    columns = width - GUTTER
    x = Axis(0.0, max(times) or 1.0)
    moments = [x.span * column / (columns - 1) for column in range(columns)]
    points = {
        letter: tuple((t, _at(curve, t)) for t in moments if curve and t >= curve[0][0])
        for letter, curve in curves.items()
    }
    return _chart(points, f"best cost so far, by {clock}", x, columns, height)


def chart_steps(steps: Points, title: str, width: int, height: int) -> str:
    """Values that hold from a place to the right until the next one; empty for a lone one."""
    if len(steps) < 2:
        return ""
    columns = width - GUTTER
    x = Axis(steps[0][0], steps[-1][0])
    places = [x.low + x.span * column / (columns - 1) for column in range(columns)]
    points = {SHARED: tuple((at, _at(steps, at)) for at in places)}
    return _chart(points, title, x, columns, height)


def chart_points(series: Mapping[str, Series], width: int, height: int) -> str:
    """The fronts of the final populations, cost to the right, agreement upwards."""
    fronts = {
        letter: tuple(point for front in one.fronts for point in front)
        for letter, one in series.items()
    }
    costs = [cost for points in fronts.values() for cost, _ in points]
    if not costs:
        return ""
    x = fit([cost for cost in costs if cost <= fence(costs)])
    return _chart(fronts, "agreement by cost, Pareto fronts", x, width - GUTTER, height)


def _at(curve: Sequence[tuple[float, float]], time: float) -> float:
    return curve[max(0, bisect_right(curve, (time, float("inf"))) - 1)][1]


def _chart(points: Mapping[str, Points], title: str, x: Axis, columns: int, height: int) -> str:
    """Lines of text: a title, the plane, the axis to the right with its ends."""
    y = fit([value for one in points.values() for time, value in one if x.holds(time)])
    cells: dict[tuple[int, int], str] = {}
    for letter, one in points.items():
        for time, value in one:
            if x.holds(time) and y.holds(value):
                cell = x.place(time, columns), height - 1 - y.place(value, height)
                cells[cell] = letter if cells.get(cell, letter) == letter else SHARED
    ticks = {height - 1 - y.place(tick, height): tick for tick in y.ticks(max(2, height // 3))}
    lines = [title]
    for row in range(height):
        name = label(ticks[row], y.span) if row in ticks else ""
        inside = "".join(cells.get((column, row), " ") for column in range(columns))
        lines.append(f"{name:>{GUTTER - 2}} │{inside}".rstrip())
    low = label(x.low, x.span)
    high = label(x.high, x.span)
    foot = f"{low}{high:>{columns - len(low)}}"
    return "\n".join([*lines, f"{'':>{GUTTER - 2}} └{'─' * columns}", f"{'':>{GUTTER}}{foot}"])
