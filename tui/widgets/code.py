"""Program text in the colours of the theme, and what differs between two programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize

from engine.domain.values import Candidate
from tui.widgets import keymap as keys
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    Pairs = list[tuple[int | None, int | None]]
    Marks = Sequence[tuple[int, int]]

NUMBER = 4
"""Cells of a line number."""


@lru_cache(maxsize=64)
def highlight_lines(code: str) -> tuple[Content, ...]:
    """Lines of a Python program, highlighted; as many as `code.splitlines()` has."""
    from textual.highlight import highlight  # Pygments is slow to import

    lines = code.splitlines()
    ends = [*accumulate(len(line) + 1 for line in lines)]
    parts = highlight(code, language="python").divide(ends[:-1])  # a slice looks at all spans
    return tuple(part[: len(line)] for part, line in zip(parts, lines, strict=bool(lines)))


def number_lines(code: str, width: int) -> Content:
    """A program with line numbers; what is longer than `width` continues in lines without one."""
    rows: list[Content] = []
    for number, line in enumerate(highlight_lines(code), start=1):
        rows += break_line(f"{number:>{NUMBER}}   ", line, width)
    return Content("\n").join(rows)


def break_line(head: str, line: Content, width: int) -> list[Content]:
    """A line behind its head, broken where `width` cells are full, between words if possible."""
    room = max(1, width - len(head))
    heads = [head, f"{'↪':>{NUMBER}}".ljust(len(head))]
    return [
        Content.assemble((heads[start > 0], "$foreground 50%"), line[start:end])
        for start, end in _pieces(line.plain, room)
    ]


def _pieces(text: str, room: int) -> Iterator[tuple[int, int]]:
    """Where the pieces of a text start and end."""
    start = 0
    while len(text) - start > room:
        end = _find_break(text, start, room)
        yield start, end
        start = end
    yield start, len(text)


def _find_break(text: str, start: int, room: int) -> int:
    """Where a word begins in the second half of the room, or the word that its end would cut.

    A word that no line holds is cut where the room is full.
    """
    full = start + room
    begins = [k for k in range(full, start, -1) if _is_gap(text, k) and text[start:k].strip()]
    last = begins[0] if begins else full
    if last > start + room // 2:
        return last
    longest = min(len(text), last + room + 1)
    end = next((k for k in range(full, longest) if text[k] == " " or _is_gap(text, k)), longest)
    return last if end - last <= room else full


def _is_gap(text: str, index: int) -> bool:
    """Whether a word, a name or an operator begins there."""
    inside = all(one.isalnum() or one in "_." for one in text[index - 1 : index + 1])
    return not inside and text[index] != " "


CONTEXT = 3
"""Unchanged lines shown around a change; longer stretches are folded."""

LIKE = 0.4
"""Similarity from which two lines count as one line that was edited."""

MOST_PAIRS = 400
"""Pairs of lines in a changed block up to which the most similar ones are looked for."""

_WORDS = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Two lines side by side by index from 0; None where a side has none.

    `folded` rows stand for so many equal lines that are not shown.
    """

    left: int | None
    right: int | None
    changed: bool = False
    folded: int = 0


def compare_lines(old: Sequence[str], new: Sequence[str]) -> list[ComparisonRow]:
    """The rows of a side-by-side view of two programs, given as lines."""
    rows: list[ComparisonRow] = []
    for tag, i, i2, j, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += _fold(range(i, i2), range(j, j2), (i == 0, i2 == len(old)))
        else:
            pairs = pair_lines(old[i:i2], new[j:j2])
            rows += [ComparisonRow(_shifted(a, i), _shifted(b, j), changed=True) for a, b in pairs]
    return rows


def pair_lines(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Which changed lines stand side by side, in order: those that are most alike.

    Long blocks, where that would take long, stand side by side as they come.
    """
    if len(old) * len(new) > MOST_PAIRS:
        return list(zip_longest(range(len(old)), range(len(new))))
    pairs: Pairs = []
    a = b = 0
    for i, j in [*_alike(old, new), (len(old), len(new))]:
        pairs += zip_longest(range(a, i), range(b, j))
        pairs.append((i, j))
        a = i + 1
        b = j + 1
    return pairs[:-1]


def count_changes(rows: Sequence[ComparisonRow]) -> tuple[int, int]:
    """Lines that were added and lines that were removed."""
    changed = [row for row in rows if row.changed]
    added = sum(row.right is not None for row in changed)
    return added, sum(row.left is not None for row in changed)


def find_edits(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Spans of the words that differ in two lines; none when the lines have little in common."""
    a = _WORDS.findall(old)
    b = _WORDS.findall(new)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < LIKE:
        return [], []
    different = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    left = [(len("".join(a[:i])), len("".join(a[:i2]))) for i, i2, _, _ in different if i < i2]
    right = [(len("".join(b[:j])), len("".join(b[:j2]))) for _, _, j, j2 in different if j < j2]
    return left, right


def _fold(lefts: range, rights: range, edge: tuple[bool, bool]) -> list[ComparisonRow]:
    """Equal lines; of a long stretch those near a change. `edge`: is it at the start, the end."""
    pairs = [ComparisonRow(a, b) for a, b in zip(lefts, rights, strict=True)]
    head = 0 if edge[0] else CONTEXT
    tail = 0 if edge[1] else CONTEXT
    hidden = len(pairs) - head - tail
    if hidden < 2 or all(edge):
        return pairs
    return [*pairs[:head], ComparisonRow(None, None, folded=hidden), *pairs[len(pairs) - tail :]]


def _alike(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of similar lines, in order on both sides, with the largest sum of similarities."""
    best: list[list[tuple[float, list[tuple[int, int]]]]]
    best = [[(0.0, [])] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, a in enumerate(old):
        for j, b in enumerate(new):
            options = [best[i][j + 1], best[i + 1][j]]
            likeness = SequenceMatcher(None, a.strip(), b.strip(), autojunk=False).ratio()
            if likeness >= LIKE:
                score, pairs = best[i][j]
                options.append((score + likeness, [*pairs, (i, j)]))
            best[i + 1][j + 1] = max(options, key=lambda option: option[0])
    return best[-1][-1][1]


def _shifted(index: int | None, by: int) -> int | None:
    return None if index is None else index + by


ROOM = 88
"""Cells from which two sides are shown side by side."""

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
        if self._olds:
            self._which = (self._which + 1) % len(self._olds)
            self._draw()
            self.scroll_home(animate=False)

    def action_split(self) -> None:
        self._split = not self._is_split
        self._draw()

    def action_hunk(self, step: int) -> None:
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
        rows = compare_lines(left.lines, right.lines)
        added, removed = count_changes(rows)
        self.set_title(f"diff {old.name} → {self._new.name}", f"+{added} -{removed}")
        write = _split if self._is_split else _unify
        lines: list[Content] = []
        self._starts = []
        for before, row in zip([None, *rows], rows, strict=False):
            if row.changed and not (before and before.changed):
                self._starts.append(len(lines))
            if row.folded:
                told = f"{'⋯':>{NUMBER}}   {row.folded} unchanged lines"
                lines.append(Content.styled(told, "$foreground 50%"))
            else:
                lines += write(row, left, right, self._width)
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
        marks = find_edits(left.lines[row.left], right.lines[row.right])
    a = [] if row.left is None else left.cell(row.left, row.changed, marks[0], width)
    b = [] if row.right is None else right.cell(row.right, row.changed, marks[1], width)
    return a, b
