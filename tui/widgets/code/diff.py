"""The diff pane: a program against one of its parents, side by side or unified."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from textual.content import Content

from tui.widgets import keymap as keys
from tui.widgets.code.code import NUMBER, break_line, highlight_lines, number_lines
from tui.widgets.panes.comparing import ComparisonRow, compare, count, edits
from tui.widgets.panes.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.events import Resize

    from engine.domain.values import Candidate

    Marks = Sequence[tuple[int, int]]

ROOM = 88
"""Cells from which two sides are shown beside each other."""

ADDED = "$success"
REMOVED = "$error"
ABSENT = "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}"


@dataclass(frozen=True, slots=True)
class Version:
    """A program to be compared: what to call it, its code."""

    name: str
    code: str

    @classmethod
    def of(cls, candidate: Candidate) -> Version:
        """A candidate by its id."""
        return cls(candidate.id, candidate.program.code)


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One side of the view: plain lines, the same highlighted, and its colour and sign."""

    lines: tuple[str, ...]
    shown: tuple[Content, ...]
    colour: str
    sign: str

    def cell(self, index: int, changed: bool, marks: Marks, width: int) -> list[Content]:
        """A line with number and sign, broken at the width; changed words stand out."""
        line = self.shown[index]
        for start, end in marks:
            line = line.stylize(f"bold on {self.colour} 45%", start, end)
        broken = break_line(f"{index + 1:>{NUMBER}} {self.sign if changed else ' '} ", line, width)
        whole = [piece.truncate(width, pad=True) for piece in broken]
        return [p.stylize_before(f"on {self.colour} 18%") for p in whole] if changed else whole


class DiffPane(TextPane):
    """Shows `new` against one of `olds`; without any, `new` alone."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("diff")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("diff", "text")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._new = Version("", "")
        self._olds: tuple[Version, ...] = ()
        self._which = 0
        self._starts: list[int] = []
        self._split: bool | None = None

    def show(self, new: Version, olds: Sequence[Version]) -> None:
        """Show a program against the first of some others; the same again paints nothing."""
        if (new, tuple(olds)) != (self._new, self._olds):
            self._new = new
            self._olds = tuple(olds)
            self._which = 0
            self._draw()
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Lines are broken at the width."""
        self._draw()

    def action_other(self) -> None:
        """Compare with the next of the others."""
        if self._olds:
            self._which = (self._which + 1) % len(self._olds)
            self._draw()

    def action_split(self) -> None:
        """Side by side or line by line, whatever the width."""
        self._split = not self._is_split
        self._draw()

    def action_hunk(self, step: int) -> None:
        """Scroll to the next or the previous change."""
        here = round(self.scroll_y)
        beyond = [y for y in self._starts if (y > here if step > 0 else y < here)]
        if beyond:
            self.scroll_to(y=beyond[0] if step > 0 else beyond[-1], animate=False)

    @property
    def _is_split(self) -> bool:
        return self._width >= ROOM if self._split is None else self._split

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _draw(self) -> None:
        if self._olds:
            self._draw_diff(self._olds[self._which])
        else:
            self._starts = []
            self.set_title(f"code {self._new.name}")
            self.put(number_lines(self._new.code, self._width))

    def _draw_diff(self, old: Version) -> None:
        left = _side(old.code, REMOVED, "-")
        right = _side(self._new.code, ADDED, "+")
        rows = compare(left.lines, right.lines)
        added, removed = count(rows)
        self.set_title(f"diff {old.name} → {self._new.name}", f"+{added} -{removed}")
        write = _split if self._is_split else _unify
        lines: list[Content] = []
        self._starts = []
        for before, row in zip([None, *rows], rows, strict=False):
            if row.changed and not (before and before.changed):
                self._starts.append(len(lines))
            lines += [_folded(row)] if row.folded else write(row, left, right, self._width)
        self.put(Content("\n").join(lines))


def _side(code: str, colour: str, sign: str) -> DiffSide:
    return DiffSide(tuple(code.splitlines()), highlight_lines(code), colour, sign)


def _split(row: ComparisonRow, left: DiffSide, right: DiffSide, width: int) -> list[Content]:
    half = (width - 1) // 2
    absent = Content.styled(ABSENT * half, "$foreground 30%")
    cells = _cells(row, left, right, half)
    return [
        Content("│").join([a or absent, b or absent])
        for a, b in zip_longest(*cells, fillvalue=None)
    ]


def _unify(row: ComparisonRow, left: DiffSide, right: DiffSide, width: int) -> list[Content]:
    a, b = _cells(row, left, right, width)
    return [*a, *b] if row.changed else b


def _cells(
    row: ComparisonRow, left: DiffSide, right: DiffSide, width: int
) -> tuple[list[Content], list[Content]]:
    """Both sides of a row as lines on the screen, none where a side has no line."""
    marks: tuple[Marks, Marks] = ((), ())
    if row.changed and row.left is not None and row.right is not None:
        marks = edits(left.lines[row.left], right.lines[row.right])
    a = [] if row.left is None else left.cell(row.left, row.changed, marks[0], width)
    b = [] if row.right is None else right.cell(row.right, row.changed, marks[1], width)
    return a, b


def _folded(row: ComparisonRow) -> Content:
    return Content.styled(f"{'⋯':>{NUMBER}}   {row.folded} unchanged lines", "$foreground 50%")
