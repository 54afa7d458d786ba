"""A table of things that do not change while it is shown, each with a text about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.content import Content

from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.table import Cell, Column, RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.binding import BindingType

WAITING = "looking …"
"""What is said until there are items."""

NARROWEST = 12
"""Cells that a column keeps where it is cut."""


@dataclass(frozen=True, slots=True)
class Item:
    """One row: its cells by column, and `write`, which gives its full text for a width."""

    key: str
    cells: Mapping[str, str]
    write: Callable[[int], Content]


def write_item(title: str, *parts: str) -> Content:
    """A title and those of the parts that are not empty, blank lines between them."""
    return Content.assemble((f"{title}\n\n", "bold"), "\n\n".join(filter(None, parts)))


class CatalogueTable(RowTable):
    """Items under a title; columns to the right give way when the table is narrow."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a catalogue")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a catalogue", "a table")

    def __init__(self, title: str, columns: Sequence[Column], **names: Any) -> None:
        super().__init__(**names)
        self._title = title
        self._all = tuple(columns)
        self._items: dict[str, Item] = {}
        self._is_filled = False

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return self._items.get(self.cursor or "")

    def show(self, items: Sequence[Item]) -> None:
        """Show items; the cursor stays where it is."""
        self._items = {item.key: item for item in items}
        self._is_filled = True
        self.refill()

    def refill(self) -> None:
        """The items that the filter lets through."""
        columns = fit_columns(self._all, self.size.width)
        rows = {
            key: tuple(Cell(item.cells[column.name]) for column in columns)
            for key, item in self._items.items()
            if self.filter.accepts(item.cells)
        }
        self.set_rows(columns, rows, self.cursor)
        count = f"{len(rows)}{self.describe_filter(len(self._items))}"
        retitle(self, f"{self._title} {count if self._is_filled else f'· {WAITING}'}")


def fit_columns(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """As many columns from the left as the width holds, the first one always.

    The first that the width does not hold takes what room is left, unless that is too little.
    """
    taken: list[Column] = []
    for column in columns:
        room = width - sum(one.width for one in taken)
        if taken and room < min(column.width, NARROWEST):
            break
        taken.append(replace(column, width=min(column.width, room)) if taken else column)
    return tuple(taken)
