"""A pane of one text, written anew for every width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content

from tui.widgets.panes.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.events import Resize


class ReadingPane(TextPane):
    """Shows one text under one title."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._write: Callable[[int], Content] = _nothing

    def show(self, title: str, write: Callable[[int], Content], from_top: bool = True) -> None:
        """Show a text from its beginning; `write` gives it for a width in cells.

        Not `from_top`: it is the text shown, made anew, and stays where the user has scrolled.
        """
        self.set_title(title)
        self._write = write
        self._draw()
        if from_top:
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Write for the new width."""
        self._draw()

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if width:  # out of sight: it is drawn when it gets a size
            self.put(self._write(width))


def _nothing(width: int) -> Content:
    return Content("")
