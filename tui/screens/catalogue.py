"""Screens that list what does not change while one looks, and tell all of one item."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.widgets.frame.tabs import Tabs
from tui.widgets.panes.reading import ReadingPane
from tui.widgets.table.catalogue import CatalogueTable, Item
from tui.widgets.table.filter_bar import FilterBar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.app import ComposeResult

    from tui.widgets import keymap as keys
    from tui.widgets.table.quiet_table import Column


class CatalogueScreen(PaneScreen):
    """A subclass names what it lists in `PANES`, its columns, and how they are collected."""

    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a screen",)
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()
    COLUMNS: ClassVar[tuple[Column, ...]] = ()

    def collect(self, db: Path) -> Sequence[Item]:
        """The items, from catalogues alone; called in a thread. Raises PreceptorError."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Header, table and text, hints."""
        listed, about = self.PANES
        yield Static(Content(f" preceptor  {listed}"), id="header")
        yield Tabs(id="tabs")
        with Vertical(id="board"), Horizontal(id="top", classes="row"):
            yield CatalogueTable(listed, self.COLUMNS, id=listed, classes="pane list")
            yield ReadingPane(id=about, classes="pane")
        yield FilterBar(id="filter")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Collect beside the screen."""
        super().on_mount()
        self._collect()

    def on_quiet_table_moved(self) -> None:
        """Tell of the item under the cursor."""
        self._tell()

    def on_quiet_table_opened(self) -> None:
        """Where only one pane is shown, the text is behind Enter."""
        self.action_pane(2)

    def action_filter(self) -> None:
        """Filter the items."""
        self.action_pane(1)
        self.query_one(FilterBar).open()

    def on_filter_bar_sifted(self, event: FilterBar.Sifted) -> None:
        """Show what the filter lets through."""
        self.query_one(CatalogueTable).sift(event.filter)
        self._tell()

    def on_filter_bar_closed(self) -> None:
        """Back to the table."""
        self.action_pane(1)

    @work(thread=True, exit_on_error=False)
    def _collect(self) -> None:
        try:
            items = self.collect(self.app.reader.path)
        except PreceptorError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error", timeout=15)
            return
        self.app.call_from_thread(self._show, items)

    def _show(self, items: Sequence[Item]) -> None:
        if self.is_attached:
            self.query_one(CatalogueTable).show(items)
            self._tell()

    def _tell(self) -> None:
        item = self.query_one(CatalogueTable).item
        if item is not None:
            self.query_one(f"#{self.PANES[1]}", ReadingPane).show(item.key, item.write)
