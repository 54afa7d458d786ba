"""The cost curve: the best so far and the population, by generation, call, second or dollar."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from textual.binding import BindingType

from engine.monitor.history import CostCurve
from engine.monitor.snapshot import Snapshot
from engine.monitor.timeline import CLOCKS, Clock
from tui.text.chart import SHRINK, Axis, fence, fit
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle
from tui.widgets.plot import Frame, Line, LinePane, Point, Run, draw

LEGEND = "━ best ╌ population ┈ seed ═ known"

AHEAD = 1.2
"""How many times as far as the lines the axis of time goes when it is fitted."""

FIRST = 2.0
"""The axis begins below the seeds where the first gain was so many times all later ones."""

NEAR = 2.0
"""A best known cost is drawn if the plot need not be so many times as high to hold it."""


class CurvePlot(LinePane):
    """Time to the right, mean cost upwards; ● is where the best became the best.

    Axes stay where they are until a line leaves them.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("curve")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("curve",)

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.clock: Clock = CLOCKS[0]
        self._snapshot: Snapshot | None = None
        self._best_known: float | None = None
        self._axes: tuple[Axis, Axis] | None = None

    def show(self, snapshot: Snapshot, best_known: float | None) -> None:
        """Show a snapshot; `best_known` is the mean best known cost of the design set."""
        if snapshot is self._snapshot and best_known == self._best_known:
            return
        self._snapshot = snapshot
        self._best_known = best_known
        self._show(snapshot)

    def _show(self, snapshot: Snapshot) -> None:
        self._fit_axes()
        seed = snapshot.curves[self.clock].seed
        above = self._axes is not None and seed is not None and seed > self._axes[1].high
        legend = LEGEND.replace("seed", "seed above") if above else LEGEND
        retitle(self, self._title(snapshot), legend)
        self.draw()

    def action_clock(self) -> None:
        clocks = CLOCKS
        if self._snapshot is None or not self._snapshot.curves["dollar"].end:
            clocks = CLOCKS[:-1]
        self.clock = clocks[(clocks.index(self.clock) + 1) % len(clocks)]
        self._axes = None
        if self._snapshot is not None:
            self._show(self._snapshot)

    def paint(self) -> list[list[Run]]:
        """The plot, or why there is none."""
        width, height = self.size
        if self._axes is None or self._snapshot is None or width < 16 or height < 6:
            return [[("no program with a cost yet"[:width], "plain")]]
        curve = self._snapshot.curves[self.clock]
        frame = Frame(width, height, *self._axes, self.clock, "cost", self.clock != "dollar")
        turn = Point("", "", *curve.best[-1], "front")
        return draw(frame, [turn], self._lines_of(curve))

    def _title(self, snapshot: Snapshot) -> str:
        best = snapshot.curves[self.clock].best
        gap = ""
        if best and self._best_known:
            away = (best[-1][1] - self._best_known) / abs(self._best_known)
            gap = f" · {away:+.2%} to best known"
        return f"cost by {self.clock}{gap}"

    def _lines_of(self, curve: CostCurve) -> list[Line]:
        """The lowest line first: the best lies over all others."""
        levels = ((curve.seed, "┈"), (self._best_known, "═"))
        return [
            *(
                Line(((0.0, level),), curve.end, stroke, "level")
                for level, stroke in levels
                if level is not None
            ),
            Line(curve.population, curve.end, "╌", "population"),
            Line(curve.best, curve.end, "━", "best", joined=True),
        ]

    def _fit_axes(self) -> None:
        assert self._snapshot is not None
        curve = self._snapshot.curves[self.clock]
        if not curve.best:
            self._axes = None
            return
        before = self._axes or (None, None)
        self._axes = (self._fit_time(curve.end, before[0]), self._fit_cost(curve, before[1]))

    def _fit_time(self, end: float, before: Axis | None) -> Axis:
        """From 0 to the planned end where it is known; the past keeps the axis of the present."""
        assert self._snapshot is not None
        if before and self._snapshot.is_past and before.holds(end):
            return before
        whole = self._planned()
        if whole >= end > 0:
            return Axis(0.0, whole)
        if before and before.holds(end) and before.high <= SHRINK * AHEAD * end:
            return before
        return Axis(0.0, AHEAD * end or 1.0)

    def _planned(self) -> float:
        """When the run will end by this clock, 0 where nothing says so."""
        assert self._snapshot is not None
        if self.clock == "generation":
            return float(self._snapshot.generations)
        if self.clock == "dollar":
            return self._snapshot.row.spec.caps.usd or 0.0
        goals = {goal.name: float(goal.whole) for goal in self._snapshot.goals}
        return goals.get("calls", 0.0) if self.clock == "call" else 0.0

    def _fit_cost(self, curve: CostCurve, before: Axis | None) -> Axis:
        """Holds the lines, but nothing that is far above them."""
        values = [cost for _, cost in (*curve.best, *curve.population)]
        values += [] if curve.seed is None else [curve.seed]
        limit = min(fence(values), _leave_out_seed(curve))
        near = [value for value in values if value <= limit]
        known = self._best_known
        span = max(near) - min(near)
        if known is not None and min(near) - known <= (NEAR - 1) * span:
            near.append(known)
        return fit(near, before)


def _leave_out_seed(curve: CostCurve) -> float:
    """The cost above which an axis needs not go, so that what was gained since is seen.

    That is where the first gain on the seeds was many times as large as all later ones, two of
    them at least.
    """
    if curve.seed is None:
        return math.inf
    gains = [cost for _, cost in curve.best if cost < curve.seed]
    if len(gains) < 3:
        return math.inf
    later = gains[0] - gains[-1]
    return gains[0] + later if curve.seed - gains[0] > FIRST * later else math.inf
