"""A table that repaints only the lines that changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.domain.text.plain_text import clean
from tui.widgets import keymap as keys
from tui.widgets.table.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.style import Style
    from textual.binding import BindingType
    from textual.events import Click, Resize

    Rows = Mapping[str, "tuple[Cell, ...]"]

HEAD = 1
"""Lines of the header, which does not scroll."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of fixed width in cells; `right` columns hold numbers.

    Where a table is too narrow, columns of the highest `rank` are left out first, of rank 0 never.
    """

    name: str
    width: int
    right: bool = False
    rank: int = 0

    def fit(self, text: str) -> str:
        """A cell's text, cut or filled to the width, one blank before it."""
        text = clean(text)
        room = self.width - 1
        if cell_len(text) > room:
            text = f"{set_cell_size(text, room - 1)}…"
        blank = " " * (room - cell_len(text))
        return f" {blank}{text}" if self.right else f" {text}{blank}"


def fit_columns(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """The columns that a width in cells holds, by their ranks."""
    fitting = tuple(columns)
    for rank in sorted({column.rank for column in columns} - {0}, reverse=True):
        if sum(column.width for column in fitting) <= width:
            break
        fitting = tuple(column for column in fitting if column.rank != rank)
    return fitting


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and its role: a component class without the table's prefix, or none."""

    text: str
    role: str = ""


class QuietTable(ScrollView, can_focus=True):
    """Rows by key, set as a whole with `set_rows`; lines that stay the same are not painted again.

    Textual's DataTable repaints all of itself for a changed cell and several times over for a
    new row: a hundred times the bytes. A subclass sets its rows in `refill`.
    Posts `Moved` when the user moves the cursor, `Opened` on Enter or a click on the row under it,
    `Sorted` on a click on a column's head.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a list", "a table")
    SEARCHES: ClassVar[str] = "words  field:value  !not"
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--head",
        "table--cursor",
        "table--good",
        "table--busy",
        "table--bad",
        "table--past",
    }

    class Moved(Message):
        """The user moved the cursor to a row."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Opened(Moved):
        """The user opened a row."""

    class Sorted(Message):
        """The user clicked on the head of a column."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._columns: tuple[Column, ...] = ()
        self._keys: list[str] = []
        self._cells: list[tuple[Cell, ...]] = []
        self._cursor: str | None = None
        self.filter = Filter()

    @property
    def cursor(self) -> str | None:
        """The key of the row under the cursor, None in an empty table."""
        return self._cursor

    @property
    def row_keys(self) -> list[str]:
        """The keys of the rows, from the top."""
        return list(self._keys)

    def row(self, key: str) -> tuple[Cell, ...]:
        """The cells of a row. Raises ValueError for no such row."""
        return self._cells[self._keys.index(key)]

    def refill(self) -> None:
        """Set the rows that filter, order and width leave of what is shown."""
        raise NotImplementedError

    @property
    def sought(self) -> str:
        """The filter as it was typed."""
        return self.filter.text

    def look_for(self, words: str) -> None:
        """Show only what a filter lets through."""
        self.filter = Filter(words)
        self.rearrange()

    def rearrange(self) -> None:
        """Set the rows anew; where the row under the cursor is gone, the cursor moves."""
        before = self._cursor
        self.refill()
        if self._cursor is not None and self._cursor != before:
            self.post_message(self.Moved(self._cursor))

    def describe_filter(self, total: int) -> str:
        """` of 12 · filter op:m` for the title of a table of `total` rows; empty without one."""
        return f" of {total} · filter {self.filter.text}" if self.filter.text else ""

    def is_covered(self, column: Column) -> bool:
        """Whether the cursor covers this column of its row; in a plain table it covers all."""
        return True

    def set_rows(self, columns: Sequence[Column], rows: Rows, cursor: str | None) -> None:
        """Show rows in their order, the cursor on the row of that key, or the first."""
        before = self._picture()
        in_sight = self._is_in_sight()
        self._columns = tuple(columns)
        self._keys = list(rows)
        self._cells = list(rows.values())
        self._cursor = cursor if cursor in rows else next(iter(rows), None)
        self._measure()
        if in_sight:
            self._show_cursor()
        self._repaint(before)

    def on_resize(self, _: Resize) -> None:
        """Another width may hold other columns; the cursor stays in sight."""
        self.refill()
        self._measure()
        self._show_cursor()

    def action_cursor_down(self) -> None:
        """To the next row."""
        self._move(1)

    def action_cursor_up(self) -> None:
        """To the row before."""
        self._move(-1)

    def action_page_down(self) -> None:
        """A screenful down."""
        self._move(self.size.height - HEAD)

    def action_page_up(self) -> None:
        """A screenful up."""
        self._move(HEAD - self.size.height)

    def action_first(self) -> None:
        """To the first row."""
        self._move(-len(self._keys))

    def action_last(self) -> None:
        """To the last row."""
        self._move(len(self._keys))

    def action_select(self) -> None:
        """Open the row under the cursor."""
        if self._cursor is not None:
            self.post_message(self.Opened(self._cursor))

    def on_click(self, event: Click) -> None:
        """Sort by a head, move to a row, or open the row under the cursor."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < HEAD:
            self._sort_at(offset.x)
            return
        index = self._index_at(offset.y)
        if index < len(self._keys):
            if self._keys[index] == self._cursor:
                self.action_select()
            else:
                self._move(index - self._index())

    def render_line(self, y: int) -> Strip:
        """The header, or the row that has been scrolled there."""
        segments = list(self._draw_head() if y < HEAD else self._draw_row(self._index_at(y)))
        return Strip(segments).simplify().adjust_cell_length(self.size.width, self.rich_style)

    def _measure(self) -> None:
        """Say how much there is to scroll; never less than fits, for a new size repaints all."""
        self.virtual_size = Size(0, max(len(self._keys) + HEAD, self.size.height))

    def _draw_head(self) -> Iterator[Segment]:
        style = self.get_component_rich_style("table--head")
        return (Segment(column.fit(column.name), style) for column in self._columns)

    def _draw_row(self, index: int) -> Iterator[Segment]:
        if index >= len(self._keys):
            return
        under_cursor = self._keys[index] == self._cursor
        for column, cell in zip(self._columns, self._cells[index], strict=True):
            covered = under_cursor and self.is_covered(column)
            yield Segment(column.fit(cell.text), self._style(cell, covered))
        if under_cursor and self.is_covered(Column("", 0)):
            width = sum(column.width for column in self._columns)
            yield Segment(" " * max(0, self.size.width - width), self._style(Cell(""), True))

    def _style(self, cell: Cell, under_cursor: bool) -> Style:
        role = "cursor" if under_cursor else cell.role
        return self.get_component_rich_style(f"table--{role}") if role else self.rich_style

    def _move(self, step: int) -> None:
        if not self._keys:
            return
        index = min(max(self._index() + step, 0), len(self._keys) - 1)
        if self._keys[index] != self._cursor:
            before = self._picture()
            self._cursor = self._keys[index]
            self._show_cursor()
            self._repaint(before)
            self.post_message(self.Moved(self._cursor))

    def _index(self) -> int:
        return self._keys.index(self._cursor) if self._cursor in self._keys else 0

    def _index_at(self, y: int) -> int:
        return y - HEAD + self.scroll_offset.y

    def _is_in_sight(self) -> bool:
        y = self._index() - self.scroll_offset.y
        return 0 <= y < max(1, self.size.height - HEAD)

    def _show_cursor(self) -> None:
        """Scroll as little as needed to have the cursor in sight."""
        top = self.scroll_offset.y
        room = max(1, self.size.height - HEAD)
        wanted = min(max(top, self._index() - room + 1), self._index())
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True)

    def _sort_at(self, x: int) -> None:
        column = self.column_at(x)
        if column is not None:
            self.post_message(self.Sorted(column.name))

    def column_at(self, x: int) -> Column | None:
        """The column at `x` cells from the left, None behind the last one."""
        for column in self._columns:
            if x < column.width:
                return column
            x -= column.width
        return None

    def _picture(self) -> list[object]:
        """What each line of the pane shows, to be compared."""
        rows = [
            (self._keys[k] == self._cursor, self._cells[k]) if k < len(self._keys) else None
            for k in map(self._index_at, range(HEAD, self.size.height))
        ]
        return [self._columns, *rows]

    def _repaint(self, before: Sequence[object]) -> None:
        now = self._picture()
        if before[0] != now[0]:  # other columns move every cell
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, now, strict=True)):
            if old != new:
                self.refresh(Region(0, y, self.size.width, 1))
