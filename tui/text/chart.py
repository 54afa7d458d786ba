"""A chart of letters for a plain terminal: lines over time, or points in a plane."""

from __future__ import annotations

from bisect import bisect_right
from string import ascii_uppercase
from typing import TYPE_CHECKING

from tui.text.axis import Axis, fence, fit, label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.monitor.timeline import Clock
    from engine.report.curves import Points, Series

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
