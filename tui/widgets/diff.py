"""The diff pane: a program against one of its parents, side by side or line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui import keys
from tui.widgets.code import NUMBER, highlight_lines, number_lines
from tui.widgets.comparing import Row, changes, compare, count, edits
from tui.widgets.titles import retitle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize

ROOM = 88
"""Cells from which two sides are shown beside each other."""

SHIFT = 8
"""Cells by which long lines are shifted at a time."""

CAME, WENT = "$success", "$error"
ABSENT = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"


@dataclass(frozen=True, slots=True)
class Version:
    """A program to be compared: what to call it, its code."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the view: plain lines, the same highlighted, and its colour and sign."""

    lines: tuple[str, ...]
    shown: tuple[Content, ...]
    tone: str
    sign: str
    shifted: int = 0

    def cell(self, index: int | None, changed: bool, marks: Sequence[tuple[int, int]]) -> Content:
        """Line number, sign and line; the changed words stand out."""
        if index is None:
            return Content("")
        line = self.shown[index]
        for start, end in marks:
            line = line.stylize(f"bold on {self.tone} 45%", start, end)
        head = f"{index + 1:>{NUMBER}} {self.sign if changed else ' '} "
        return Content.assemble((head, "" if changed else "$text-muted"), line[self.shifted :])


class DiffPane(VerticalScroll):
    """Shows `new` against one of `olds`; without any, `new` alone."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("diff", "text")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("diff",)

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._new = Version("", "")
        self._olds: tuple[Version, ...] = ()
        self._at = 0
        self._rows: list[Row] = []
        self._wish: bool | None = None
        self._shifted = 0

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static()

    def show(self, new: Version, olds: Sequence[Version]) -> None:
        """Show a program against the first of some others; the same again paints nothing."""
        if (new, tuple(olds)) != (self._new, self._olds):
            self._new, self._olds, self._at, self._shifted = new, tuple(olds), 0, 0
            self._draw()
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Lines are cut to the width."""
        self._draw()

    def action_other(self) -> None:
        """Compare with the next of the others."""
        if self._olds:
            self._at = (self._at + 1) % len(self._olds)
            self._draw()

    def action_split(self) -> None:
        """Side by side or line by line, whatever the width."""
        self._wish = not self._is_split
        self._draw()

    def action_shift(self, step: int) -> None:
        """Shift long lines to the left or back."""
        self._shifted = max(0, self._shifted + step * SHIFT)
        self._draw()

    def action_hunk(self, step: int) -> None:
        """Scroll to the next or the previous change."""
        starts = [self._line_of(k) for k in changes(self._rows)]
        here = round(self.scroll_y)
        beyond = [y for y in starts if (y > here if step > 0 else y < here)]
        if beyond:
            self.scroll_to(y=beyond[0] if step > 0 else beyond[-1], animate=False)

    @property
    def _is_split(self) -> bool:
        return self.size.width >= ROOM if self._wish is None else self._wish

    def _draw(self) -> None:
        if not self._olds:
            self._rows = []
            retitle(self, f"code {self._new.name}")
            self._put(number_lines(self._new.code, self.size.width))
            return
        old = self._olds[self._at]
        left = _side(old.code, WENT, "-", self._shifted)
        right = _side(self._new.code, CAME, "+", self._shifted)
        self._rows = compare(left.lines, right.lines)
        came, went = count(self._rows)
        retitle(self, f"diff {old.name} → {self._new.name}", f"+{came} -{went}")
        width = self.size.width
        if self._is_split:
            lines = _split(self._rows, left, right, width)
        else:
            lines = [line for row in self._rows for line in _unify(row, left, right, width)]
        self._put(Content("\n").join(lines))

    def _put(self, content: Content) -> None:
        if self.is_mounted:
            self.query_one(Static).update(content)

    def _line_of(self, index: int) -> int:
        """The line at which a row stands: line by line, an edited line takes two."""
        if self._is_split:
            return index
        return sum(_lines_of(row) for row in self._rows[:index])


def _side(code: str, tone: str, sign: str, shifted: int) -> Side:
    return Side(tuple(code.splitlines()), highlight_lines(code), tone, sign, shifted)


def _split(rows: Sequence[Row], left: Side, right: Side, width: int) -> list[Content]:
    half = (width - 1) // 2
    lines = []
    for row in rows:
        if row.folded:
            lines.append(_folded(row))
            continue
        a, b = _cells(row, left, right)
        sides = ((a, row.left, left.tone), (b, row.right, right.tone))
        whole = (_fill(cell, row, half, tone, absent=k is None) for cell, k, tone in sides)
        lines.append(Content("│").join(whole))
    return lines


def _unify(row: Row, left: Side, right: Side, width: int) -> list[Content]:
    if row.folded:
        return [_folded(row)]
    a, b = _cells(row, left, right)
    sides = ((a, row.left, left.tone), (b, row.right, right.tone))
    shown = sides if row.changed else sides[1:]
    return [_fill(cell, row, width, tone) for cell, k, tone in shown if k is not None]


def _fill(cell: Content, row: Row, width: int, tone: str, absent: bool = False) -> Content:
    """A side of a row, cut or filled to the width; hatched where it has no line."""
    if absent:
        return Content.styled(ABSENT * width, "$text-disabled")
    whole = cell.truncate(width, ellipsis=True, pad=True)
    return whole.stylize_before(f"on {tone} 18%") if row.changed else whole


def _cells(row: Row, left: Side, right: Side) -> tuple[Content, Content]:
    marks: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    if row.changed and row.left is not None and row.right is not None:
        marks = edits(left.lines[row.left], right.lines[row.right])
    return left.cell(row.left, row.changed, marks[0]), right.cell(row.right, row.changed, marks[1])


def _folded(row: Row) -> Content:
    return Content.styled(f"{'⋯':>{NUMBER}}   {row.folded} equal lines", "$text-muted")


def _lines_of(row: Row) -> int:
    return (row.left is not None) + (row.right is not None) if row.changed else 1
