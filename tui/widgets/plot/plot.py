"""A scatter plot as lines of text: braille dots, and symbols for the points that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tui.text.axis import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.text.axis import Axis

Role = Literal["plain", "dot", "child", "front", "selected"]

Run = tuple[str, Role]
"""A stretch of a line and what it shows."""

SYMBOLS: dict[Role, str] = {"child": "○", "front": "●", "selected": "◆"}
_ORDER: tuple[Role, ...] = ("plain", "dot", "child", "front", "selected")
_BRAILLE = 0x2800
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of the braille cell by column and row."""


@dataclass(frozen=True, slots=True)
class Point:
    """One program in the plane: its place in the run, its name."""

    place: str
    name: str
    x: float
    y: float
    role: Role


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the plot is drawn: its size in cells, its axes, the names of the axes.

    One line is for the name of y, two for the x axis; `gutter` cells for labels of y.
    """

    width: int
    height: int
    x: Axis
    y: Axis
    x_name: str
    y_name: str

    gutter = 8

    @property
    def columns(self) -> int:
        """Cells from left to right inside the axes."""
        return max(4, self.width - self.gutter)

    @property
    def rows(self) -> int:
        """Cells from top to bottom inside the axes."""
        return max(2, self.height - 3)

    def cell(self, point: Point) -> tuple[int, int] | None:
        """Column and row of a point, counted from the top left; None when it lies outside."""
        if not (self.x.holds(point.x) and self.y.holds(point.y)):
            return None
        row = self.rows - 1 - self.y.place(point.y, self.rows)
        return self.x.place(point.x, self.columns), row


def draw(frame: Frame, points: Sequence[Point]) -> list[list[Run]]:
    """All lines of the plot, from the top."""
    cells = _paint(frame, points)
    blank: Run = (" ", "plain")
    ticks = {_row_of(frame, tick): tick for tick in frame.y.ticks(max(2, frame.rows // 2))}
    lines: list[list[Run]] = [[(f"{frame.y_name:<{frame.width}}"[: frame.width], "plain")]]
    for row in range(frame.rows):
        name = label(ticks[row], frame.y.span) if row in ticks else ""
        edge = "┤" if row in ticks else "│"
        head: Run = (f"{name:>{frame.gutter - 2}} {edge}"[: frame.gutter], "plain")
        inside = [cells.get((column, row), blank) for column in range(frame.columns)]
        lines.append(merge([head, *inside]))
    return [*lines, *_draw_foot(frame)]


def merge(runs: Sequence[Run]) -> list[Run]:
    """Runs of the same role joined; blanks join whatever is before them."""
    joined: list[Run] = []
    for text, role in runs:
        if joined and (joined[-1][1] == role or not text.strip()):
            joined[-1] = (joined[-1][0] + text, joined[-1][1])
        else:
            joined.append((text, role))
    return joined


def _paint(frame: Frame, points: Sequence[Point]) -> dict[tuple[int, int], Run]:
    cells: dict[tuple[int, int], Run] = {}
    for point in sorted(points, key=lambda p: _ORDER.index(p.role)):
        cell = frame.cell(point)
        if cell is None:
            continue
        if point.role == "dot":
            before = ord(cells[cell][0]) if cell in cells else _BRAILLE
            cells[cell] = (chr(before | _dot(frame, point)), "dot")
        else:
            cells[cell] = (SYMBOLS[point.role], point.role)
    return cells


def _dot(frame: Frame, point: Point) -> int:
    column = frame.x.place(point.x, 2 * frame.columns) % 2
    row = 3 - frame.y.place(point.y, 4 * frame.rows) % 4
    return _DOTS[column][row]


def _row_of(frame: Frame, value: float) -> int:
    return frame.rows - 1 - frame.y.place(value, frame.rows)


def _draw_foot(frame: Frame) -> list[list[Run]]:
    """The x axis with its ticks, and below it their labels and the name."""
    edge = list(" " * (frame.gutter - 1) + "└" + "─" * frame.columns)
    words = list(" " * frame.width)
    room = frame.width - len(frame.x_name) - 1
    for tick in frame.x.ticks(max(2, frame.columns // 9)):
        text = label(tick, frame.x.span)
        column = frame.gutter + frame.x.place(tick, frame.columns)
        start = max(0, column - len(text) // 2)
        if start + len(text) < room:
            edge[column] = "┴"
            words[start : start + len(text)] = text
    words[frame.width - len(frame.x_name) :] = frame.x_name
    return [[("".join(edge)[: frame.width], "plain")], [("".join(words)[: frame.width], "plain")]]
