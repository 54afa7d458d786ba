"""A table that repaints only the rows that changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rich.text import Text
from textual.widgets import DataTable

from tui import keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType
    from textual.geometry import Region


@dataclass(frozen=True, slots=True)
class Column:
    """A column of fixed width in cells; `right` columns hold numbers."""

    name: str
    width: int
    right: bool = False

    def cell(self, text: str, style: str = "") -> Text:
        """A cell's text, cut to the width, one blank before it."""
        room = self.width - 1
        cut = text if len(text) <= room else text[: room - 1] + "…"
        return Text(
            " " + (cut.rjust(room) if self.right else cut.ljust(room)), style, no_wrap=True
        )


class QuietTable(DataTable[Text], inherit_bindings=True):
    """Rows by key, told as a whole with `tell`; what stays the same is not painted again.

    `DataTable.update_cell` repaints the whole table, some hundred times the bytes of a row.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a list", "a table")
    _muted = False

    def __init__(self, **names: Any) -> None:
        super().__init__(cursor_type="row", cell_padding=0, **names)
        self._columns_told: tuple[Column, ...] = ()
        self._told: dict[str, tuple[Text, ...]] = {}

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """As every widget's, but silent while cells are written."""
        if self._muted:
            return self
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def tell(
        self, columns: Sequence[Column], rows: Mapping[str, tuple[Text, ...]], selected: str | None
    ) -> None:
        """Show rows in their order, the cursor on `selected`; other columns start anew."""
        if self._columns_told != tuple(columns) or list(self._told) != list(rows):
            self._start_anew(tuple(columns), rows)
        else:
            self._rewrite(rows)
        self._told = dict(rows)
        self._point_at(selected)

    def action_first(self) -> None:
        """To the first row."""
        self.action_scroll_top()

    def action_last(self) -> None:
        """To the last row."""
        self.action_scroll_bottom()

    def selected_key(self) -> str | None:
        """The key of the row under the cursor, None in an empty table."""
        if not self.is_valid_row_index(self.cursor_row):
            return None
        return self.ordered_rows[self.cursor_row].key.value

    def _start_anew(
        self, columns: tuple[Column, ...], rows: Mapping[str, tuple[Text, ...]]
    ) -> None:
        offset = self.scroll_offset.y
        self.clear(columns=True)
        self._columns_told = columns
        for column in columns:
            label = column.cell(column.name)
            self.add_column(label, width=column.width, key=column.name)
        for key, cells in rows.items():
            self.add_row(*cells, key=key)
        self.scroll_to(y=offset, animate=False)

    def _rewrite(self, rows: Mapping[str, tuple[Text, ...]]) -> None:
        for index, (key, cells) in enumerate(rows.items()):
            before = self._told[key]
            changed = [k for k, cell in enumerate(cells) if not _same(cell, before[k])]
            if changed:
                self._write(key, cells, changed)
                self.refresh_row(index)

    def _write(self, key: str, cells: Sequence[Text], changed: Sequence[int]) -> None:
        self._muted = True
        for k in changed:
            self.update_cell(key, self._columns_told[k].name, cells[k])
        self._muted = False

    def _point_at(self, selected: str | None) -> None:
        if selected in self._told and selected != self.selected_key():
            self.move_cursor(row=self.get_row_index(selected), animate=False)


def _same(one: Text, other: Text) -> bool:
    return one.plain == other.plain and one.style == other.style
