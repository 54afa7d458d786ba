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


BLOCK = 40
"""Lines of a block of text: a block out of sight is not rendered."""


class ReadingPane(VerticalScroll):
    """Shows one text under one title, in blocks one below the other."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("text",)

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._write: Callable[[int], Content] = _nothing

    def compose(self) -> ComposeResult:
        """The first block."""
        yield Static()

    def show(self, title: str, write: Callable[[int], Content], from_top: bool = True) -> None:
        """Show a text from its beginning; `write` gives it for a width in cells.

        Not `from_top`: it is the text shown, made anew, and stays where the user has scrolled.
        """
        retitle(self, title)
        self._write = write
        self._draw()
        if from_top:
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Write for the new width."""
        self._draw()

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if not width:  # out of sight: it is drawn when it gets a size
            return
        text = self._write(width)
        lines = text.split("\n", allow_blank=True)
        first, *others = [lines[k : k + BLOCK] for k in range(0, len(lines), BLOCK)] or [[]]
        static, *rest = self.query(Static)
        static.update(Content("\n").join(first))
        for old in rest:
            old.remove()
        self.mount(*(Static(Content("\n").join(block)) for block in others))


def _nothing(width: int) -> Content:
    return Content("")
