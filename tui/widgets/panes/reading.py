"""A pane of text to scroll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize


class ReadingPane(VerticalScroll):
    """Shows one text under one title."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("text",)

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._write: Callable[[int], Content] = _nothing

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static()

    def show(self, title: str, write: Callable[[int], Content]) -> None:
        """Show a text from its beginning; `write` gives it for a width in cells."""
        retitle(self, title)
        self._write = write
        self._draw()
        self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Write for the new width."""
        self._draw()

    def _draw(self) -> None:
        self.query_one(Static).update(self._write(self.scrollable_content_region.width))


def _nothing(width: int) -> Content:
    return Content("")
