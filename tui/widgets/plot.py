"""A plot as lines of text: braille dots, symbols for the points that matter, stepped lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rich.segment import Segment
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.text.chart import Axis, label

Role = Literal[
    "plain", "dot", "child", "front", "selected", "level", "population", "best"
]  # fmt: skip

Run = tuple[str, Role]
"""A stretch of a line and what it shows."""

SYMBOLS: dict[Role, str] = {"child": "○", "front": "●", "selected": "◆"}
_RISER = "┓┃┗"
"""Where a line leaves a row, between two rows, where it continues."""

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
class Line:
    """Values that hold from a place to the right until the next, the last one up to `end`.

    It is drawn in `stroke`, with risers between rows where it is `joined`.
    """

    steps: Sequence[tuple[float, float]]
    end: float
    stroke: str
    role: Role
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the plot is drawn: its size in cells, its axes, the names of the axes.

    One line is for the name of y, two for the x axis; `gutter` cells for labels of y. Where x
    `counts` something, its labels are whole numbers.
    """

    width: int
    height: int
    x: Axis
    y: Axis
    x_name: str
    y_name: str
    counts: bool = False

    gutter = 8

    @property
    def columns(self) -> int:
        """Cells from left to right inside the axes."""
        return max(4, self.width - self.gutter)

    @property
    def rows(self) -> int:
        """Cells from top to bottom inside the axes."""
        return max(2, self.height - 3)

    def rows_of(self, line: Line) -> list[int | None]:
        """The row of a line in every column, None where it is outside or not there."""
        rows: list[int | None] = [None] * self.columns
        last = self.columns if line.end > self.x.high else self.x.place(line.end, self.columns) + 1
        for time, value in line.steps:
            if self.x.holds(time):
                first = self.x.place(time, self.columns)
                rows[first:last] = [self.row(value)] * (last - first)
        return rows

    def row(self, value: float) -> int | None:
        """The row of a value of y, counted from the top; None outside."""
        if not self.y.holds(value):
            return None
        return self.rows - 1 - self.y.place(value, self.rows)

    def cell(self, point: Point) -> tuple[int, int] | None:
        """Column and row of a point, counted from the top left; None when it lies outside."""
        if not (self.x.holds(point.x) and self.y.holds(point.y)):
            return None
        row = self.rows - 1 - self.y.place(point.y, self.rows)
        return self.x.place(point.x, self.columns), row


def draw(
    frame: Frame, points: Sequence[Point], lines_below: Sequence[Line] = ()
) -> list[list[Run]]:
    """All lines of text of the plot, from the top; of `lines_below` the last lies uppermost."""
    cells: dict[tuple[int, int], Run] = {}
    for line in lines_below:
        cells |= _trace(frame, line)
    cells |= _paint(frame, points)
    blank: Run = (" ", "plain")
    ticks = {frame.row(tick): tick for tick in frame.y.ticks(max(2, frame.rows // 2))}
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


def _trace(frame: Frame, line: Line) -> dict[tuple[int, int], Run]:
    """The cells of a line."""
    cells: dict[tuple[int, int], Run] = {}
    before: int | None = None
    for column, row in enumerate(frame.rows_of(line)):
        if row is None:
            continue
        cells[column, row] = (line.stroke, line.role)
        if line.joined and before is not None and before < row:
            between = dict.fromkeys(range(before + 1, row), _RISER[1])
            riser = {before: _RISER[0], **between, row: _RISER[2]}
            cells |= {(column, at): (text, line.role) for at, text in riser.items()}
        before = row
    return cells


def _dot(frame: Frame, point: Point) -> int:
    column = frame.x.place(point.x, 2 * frame.columns) % 2
    row = 3 - frame.y.place(point.y, 4 * frame.rows) % 4
    return _DOTS[column][row]


def _draw_foot(frame: Frame) -> list[list[Run]]:
    """The x axis with its ticks, and below it their labels and the name."""
    edge = list(" " * (frame.gutter - 1) + "└" + "─" * frame.columns)
    words = list(" " * frame.width)
    room = frame.width - len(frame.x_name) - 1
    ticks = frame.x.ticks(max(2, frame.columns // 9))
    for tick in ticks if not frame.counts else filter(float.is_integer, ticks):
        text = f"{tick:.0f}" if frame.counts else label(tick, frame.x.span)
        column = frame.gutter + frame.x.place(tick, frame.columns)
        start = max(0, column - len(text) // 2)
        if start + len(text) < room:
            edge[column] = "┴"
            words[start : start + len(text)] = text
    words[frame.width - len(frame.x_name) :] = frame.x_name
    return [[("".join(edge)[: frame.width], "plain")], [("".join(words)[: frame.width], "plain")]]


class LinePane(Widget, can_focus=True):
    """A subclass gives its lines in `paint`, and calls `draw` when they may have changed."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "plot--plain",
        "plot--dot",
        "plot--child",
        "plot--front",
        "plot--selected",
        "plot--level",
        "plot--population",
        "plot--best",
    }

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._lines: list[list[Run]] = []

    def paint(self) -> list[list[Run]]:
        """The lines for the size that the pane has now."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw again; only lines that differ are painted."""
        before = self._lines
        self._lines = self.paint()
        for y in range(max(len(before), len(self._lines))):
            if before[y : y + 1] != self._lines[y : y + 1]:
                self.refresh(Region(0, y, self.size.width, 1))

    def on_resize(self, _: Resize) -> None:
        self.draw()

    def render_line(self, y: int) -> Strip:
        runs = self._lines[y] if y < len(self._lines) else []
        styles = self.get_component_rich_style
        segments = [Segment(text, styles(f"plot--{role}")) for text, role in runs]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)
