"""Screens of a list that does not change while it is shown, with a text about one item."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.content import Content
from textual.widgets import Static

from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.widgets.panes.reading import ReadingPane
from tui.widgets.table.catalogue import WAITING, CatalogueTable, Item

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.screen import Screen

    from tui.widgets import keymap as keys
    from tui.widgets.table.table import Column


class CatalogueScreen(PaneScreen):
    """A subclass names what it lists in `PANES`, its columns, and how they are collected."""

    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a screen",)
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()
    COLUMNS: ClassVar[tuple[Column, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self._opened = False

    def collect(self, db: Path) -> Sequence[Item]:
        """The items, from catalogues alone; called in a thread. Raises PreceptorError."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Header, table and text, hints."""
        listed, about = self.PANES
        yield Static(Content(f" preceptor  {listed}"), id="header")
        table = CatalogueTable(listed, self.COLUMNS, id=listed, classes="pane list")
        yield from self.compose_panes((table, ReadingPane(id=about, classes="pane")))
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Collect in a thread."""
        super().on_mount()
        self.query_one(f"#{self.PANES[1]}", ReadingPane).show("…", lambda width: Content(WAITING))
        self._collect()

    def on_screen_resume(self) -> None:
        """What was opened from here may have changed something: collect again."""
        super().on_screen_resume()
        if self._opened:
            self._opened = False
            self._collect()

    def open(self, screen: Screen[None]) -> None:
        """Show a screen that may change what is listed here."""
        self._opened = True
        self.app.push_screen(screen)

    def pointed(self) -> Item | None:
        """The item under the cursor."""
        return self.query_one(CatalogueTable).item

    def on_row_table_moved(self) -> None:
        """Show the item under the cursor."""
        self._show_item()

    def on_row_table_opened(self) -> None:
        """Where only one pane is shown, the text is behind Enter."""
        self.action_pane(2)

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
            self._show_item()

    def _show_item(self) -> None:
        item = self.pointed()
        if item is not None:
            self.query_one(f"#{self.PANES[1]}", ReadingPane).show(item.key, item.write)
