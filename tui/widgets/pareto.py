"""The Pareto plot: every program by cost and alignment, the front to walk along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.events import Click, Leave, MouseMove
from textual.message import Message

from engine.monitor.members import Member
from engine.monitor.snapshot import Snapshot
from tui.text.chart import Axis, fence, fit
from tui.text.formatting import number, share
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle
from tui.widgets.plot import Frame, LinePane, Point, Role, Run, draw

CLOSER = 0.6
"""How much smaller the range gets with one step of the zoom."""

LEGEND = "● front  ○ in progress  ◆ selected"

REACH = 3
"""Cells around the mouse in which a point is hit."""


class ParetoPlot(LinePane):
    """Cost to the right, alignment upwards; without a teacher, the generation upwards.

    Posts `Chosen` when the user walks to a point or clicks on it. Axes stay where they are until
    a program leaves them.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("pareto")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("pareto",)

    class Chosen(Message):
        """The user chose a program in the plot."""

        def __init__(self, place: str) -> None:
            super().__init__()
            self.place = place

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None
        self._points: tuple[Point, ...] = ()
        self._known: tuple[Point, ...] = ()
        self._fitting: list[Point] = []
        self._axes: tuple[Axis, Axis] | None = None
        self._zoomed = False
        self._names = ("", "")
        self._selected: str | None = None
        self._frame: Frame | None = None

    def show(self, snapshot: Snapshot, selected: str | None) -> None:
        """Show a snapshot, the program at the place `selected` marked."""
        if snapshot is not self._snapshot:
            self._take(snapshot)
        self._mark(selected)
        self.draw()

    def _take(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        taught = bool(snapshot.row.spec.teacher)
        upwards = snapshot.row.spec.settings.align if taught else "generation"
        self._names = ("cost", upwards)
        found = [_point(member, snapshot, taught) for member in snapshot.members]
        self._known = tuple(point for point in found if point is not None)
        counted = [  # what was dropped long ago must not shrink the rest
            point
            for member, point in zip(snapshot.members, found, strict=True)
            if point and (member.fate in ("kept", "in progress") or member.front is not None)
        ]
        self._fitting = _near(counted)
        self._fit_axes()
        front = sum(point.role == "front" for point in self._known)
        title = f"pareto · {front} on the front" if taught else "cost by generation"
        retitle(self, f"{title}{self._format_outside()}", LEGEND)

    def _mark(self, selected: str | None) -> None:
        self._selected = selected
        self._points = tuple(
            replace(p, role="selected") if p.place == selected else p for p in self._known
        )

    def _fit_axes(self) -> None:
        if self._zoomed or not self._fitting:
            return
        before = self._axes or (None, None)
        x = fit([point.x for point in self._fitting], before[0])
        y = fit([point.y for point in self._fitting], before[1])
        self._axes = (x, y)

    def _format_outside(self) -> str:
        if self._axes is None:
            return ""
        x, y = self._axes
        outside = sum(not (x.holds(p.x) and y.holds(p.y)) for p in self._known)
        return f" · {outside} outside" if outside else ""

    def action_walk(self, step: int) -> None:
        front = sorted((p for p in self._known if p.role == "front"), key=lambda p: (p.x, -p.y))
        if not front:
            return
        places = [point.place for point in front]
        if self._selected in places:
            index = (places.index(self._selected) + step) % len(places)
        else:
            index = 0 if step > 0 else len(places) - 1
        self.post_message(self.Chosen(places[index]))

    def action_zoom_in(self) -> None:
        self._zoom(CLOSER)

    def action_zoom_out(self) -> None:
        self._zoom(1 / CLOSER)

    def action_fit(self) -> None:
        self._zoomed = False
        self._axes = None
        self._fit_axes()
        self.draw()

    def on_click(self, event: Click) -> None:
        point = self._point_at(event)
        if point is not None:
            self.post_message(self.Chosen(point.place))

    def on_mouse_move(self, event: MouseMove) -> None:
        point = self._point_at(event)
        self.tooltip = None if point is None else self._describe(point)

    def on_leave(self, _: Leave) -> None:
        self.tooltip = None

    def _zoom(self, factor: float) -> None:
        if self._axes is None:
            return
        x, y = self._axes
        about = next((p for p in self._points if p.place == self._selected), None)
        center = ((x.low + x.high) / 2, (y.low + y.high) / 2)
        at_x, at_y = center if about is None else (about.x, about.y)
        self._axes = (x.zoomed(at_x, factor), y.zoomed(at_y, factor))
        self._zoomed = True
        self.draw()

    def paint(self) -> list[list[Run]]:
        """The plot, or why there is none."""
        width, height = self.size
        if self._axes is None or width < 16 or height < 6:
            return [[("no program with cost and agreement yet"[:width], "plain")]]
        self._frame = Frame(width, height, *self._axes, *self._names)
        return draw(self._frame, self._points)

    def _point_at(self, event: Click | MouseMove) -> Point | None:
        offset = event.get_content_offset(self)
        if offset is None or self._frame is None:
            return None
        column = offset.x - self._frame.gutter
        row = offset.y - 1
        nearest: Point | None = None
        distance = REACH + 1
        for point in self._points:
            cell = self._frame.cell(point)
            away = abs(cell[0] - column) + 2 * abs(cell[1] - row) if cell else distance
            if away < distance:
                nearest = point
                distance = away
        return nearest

    def _describe(self, point: Point) -> str:
        return f"{point.name} {self._names[0]} {number(point.x)} {self._names[1]} {share(point.y)}"


def _point(member: Member, snapshot: Snapshot, taught: bool) -> Point | None:
    if member.cost is None or (member.candidate and member.candidate.failure):
        return None
    y = _height(member, snapshot) if taught else member.generation
    if y is None:
        return None
    role: Role = "front" if member.front == 0 else "dot"
    return Point(member.place, member.id, member.cost, y, "child" if member.child else role)


def _height(member: Member, snapshot: Snapshot) -> float | None:
    """The alignment by which the run selects; of a child only the agreement is known yet."""
    if member.candidate is not None:
        return snapshot.alignment(member.candidate)
    return member.agreement if snapshot.row.spec.settings.align == "agreement" else None


def _near(points: Sequence[Point]) -> list[Point]:
    """Points that the axes must hold: the front, and all whose cost is not far from the rest."""
    if not points:
        return []
    limit = fence([point.x for point in points])
    return [point for point in points if point.role == "front" or point.x <= limit]
