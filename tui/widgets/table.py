"""Tables of rows by key, the filter above them, and the order that the user chose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import DataTable

from engine.domain.text.plain_text import clean
from tui.widgets import keymap as keys

T = TypeVar("T")

_NOTHING: Mapping[str, str] = {}


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


@dataclass(frozen=True, slots=True)
class Filter:
    """Words that must occur, `field:value`, and `!` for the opposite; an empty one accepts all.

    A field is a column's name or its beginning.
    """

    text: str = ""

    def accepts(self, facts: Mapping[str, str], texts: Mapping[str, str] = _NOTHING) -> bool:
        """Whether every word fits the facts (column name to text), whatever their case.

        `texts` are looked into only where a word names them.
        """
        return all(_fits(word, facts, texts) for word in self.text.lower().split())


def _fits(word: str, facts: Mapping[str, str], texts: Mapping[str, str]) -> bool:
    if word.startswith("!") and word != "!":
        return not _fits(word[1:], facts, texts)
    name, colon, value = word.partition(":")
    known = {**facts, **texts}
    meant = [fact for field, fact in known.items() if name and field.startswith(name)]
    if colon and meant:
        return any(value in fact.lower() for fact in meant)
    return word == "!" or any(word in fact.lower() for fact in facts.values())


class RowTable(DataTable[Text], inherit_bindings=False):
    """Rows by key, set as a whole with `set_rows`; only cells that differ are updated.

    A subclass sets its rows in `refill`.
    Posts `Moved` when the user moves the cursor, `Opened` on Enter or a click on the row under it,
    `Sorted` on a click on a column's head.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a list", "a table")
    SEARCHES: ClassVar[str] = "words  field:value  !not"
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
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
        super().__init__(cursor_type="row", cell_padding=0, **names)
        self.shown_columns: tuple[Column, ...] = ()
        self._cells: dict[str, tuple[Cell, ...]] = {}
        self.filter = Filter()

    @property
    def cursor(self) -> str | None:
        """The key of the row under the cursor, None in an empty table."""
        found = self.row_keys
        return found[min(self.cursor_row, len(found) - 1)] if found else None

    @property
    def room(self) -> int:
        """Cells that columns may take: those of a scroll bar are always left free."""
        return self.scrollable_content_region.width

    @property
    def row_keys(self) -> list[str]:
        """The keys of the rows, from the top."""
        return list(self._cells)

    def row(self, key: str) -> tuple[Cell, ...]:
        """The cells of a row. Raises KeyError for no such row."""
        return self._cells[key]

    def refill(self) -> None:
        """Set the rows that filter, order and width leave of what is shown."""
        raise NotImplementedError

    @property
    def sought(self) -> str:
        """The filter as it was typed."""
        return self.filter.text

    def look_for(self, words: str) -> None:
        """Show only what a filter accepts."""
        self.filter = Filter(words)
        self.rearrange()

    def rearrange(self) -> None:
        """Set the rows again; where the row under the cursor is gone, the cursor moves."""
        before = self.cursor
        self.refill()
        if self.cursor is not None and self.cursor != before:
            self.post_message(self.Moved(self.cursor))

    def describe_filter(self, total: int) -> str:
        """` of 12 · filter op:m` for the title of a table of `total` rows; empty without one."""
        return f" of {total} · filter {self.filter.text}" if self.filter.text else ""

    def set_rows(
        self, columns: Sequence[Column], rows: Mapping[str, tuple[Cell, ...]], cursor: str | None
    ) -> None:
        """Show rows in their order, the cursor on the row of that key, or the first.

        Rows of the widget are numbered, so that another order is other texts in the same rows: the
        table stays where it is scrolled to.
        """
        with self.prevent(DataTable.RowHighlighted, DataTable.CellHighlighted):
            if tuple(columns) != self.shown_columns:
                self.clear(columns=True)
                self._cells = {}
                self.shown_columns = tuple(columns)
                for column in columns:
                    name = column.fit(column.name)
                    self.add_column(name, width=column.width, key=column.name)
            before = list(self._cells.values())
            for index in range(len(rows), len(before)):
                self.remove_row(str(index))
            for index, cells in enumerate(rows.values()):
                known = before[index] if index < len(before) else None
                if known is None:
                    self.add_row(*map(self._write, columns, cells), key=str(index))
                elif known != cells:
                    for column, old, new in zip(columns, known, cells, strict=True):
                        if old != new:
                            self.update_cell(str(index), column.name, self._write(column, new))
            self._cells = dict(rows)
            index = self.row_keys.index(cursor) if cursor and cursor in rows else 0
            if index != self.cursor_row:
                self.move_cursor(row=index)

    def _write(self, column: Column, cell: Cell) -> Text:
        style = self.get_component_rich_style(f"table--{cell.role}") if cell.role else ""
        return Text(column.fit(cell.text), style, no_wrap=True)

    def on_resize(self, _: Resize) -> None:
        """Another width may hold other columns."""
        self.refill()

    def action_first(self) -> None:
        self.move_cursor(row=0)

    def action_last(self) -> None:
        self.move_cursor(row=self.row_count - 1)

    def action_select(self) -> None:
        if self.cursor is not None:
            self.post_message(self.Opened(self.cursor))

    def on_click(self, event: Click) -> None:
        """Open the row under the cursor; the cursor of a row covers all of its cells."""
        if self.cursor_type == "row" and event.style.meta.get("row") == self.cursor_row:
            event.prevent_default()
            self.action_select()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        if self.cursor is not None:
            self.post_message(self.Moved(self.cursor))

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        self.post_message(self.Sorted(str(event.column_key.value)))


@dataclass(frozen=True, slots=True)
class Order:
    """How a table is sorted; `reverse` is against the way that its column usually goes."""

    by: str
    reverse: bool = False

    def apply(
        self, items: Sequence[T], key: Callable[[T], Any] | None, down: bool = False
    ) -> list[T]:
        """Items by a key, or as they come without one; those whose key is None come last.

        `down` says that the largest usually come first.
        """
        if key is None:
            return list(reversed(items)) if self.reverse else list(items)
        known = [item for item in items if key(item) is not None]
        unknown = [item for item in items if key(item) is None]
        return [*sorted(known, key=key, reverse=self.reverse != down), *unknown]

    def __str__(self) -> str:
        return f"sort {self.by}{' reversed' if self.reverse else ''}"


class SortedTable(RowTable):
    """A subclass names in `ORDERS` the columns that it is sorted by, and heeds `order`."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a sorted table")
    ORDERS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.order = Order(self.ORDERS[0] if self.ORDERS else "")

    def orders(self) -> tuple[str, ...]:
        """The columns that the table can be sorted by now."""
        return self.ORDERS

    def on_row_table_sorted(self, event: RowTable.Sorted) -> None:
        """Sort by the column whose head was clicked, the second time in reverse."""
        event.stop()
        if event.column in self.orders():
            again = event.column == self.order.by
            self._sort(Order(event.column, again and not self.order.reverse))

    def action_sort(self) -> None:
        names = self.orders()
        here = names.index(self.order.by) if self.order.by in names else -1
        self._sort(Order(names[(here + 1) % len(names)], self.order.reverse))

    def action_reverse(self) -> None:
        self._sort(Order(self.order.by, not self.order.reverse))

    def _sort(self, order: Order) -> None:
        self.order = order
        self.rearrange()
