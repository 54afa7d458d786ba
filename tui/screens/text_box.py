"""A text over the screen, to be read and closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.domain.text.plain_text import clean
from tui.widgets import keymap as keys

if TYPE_CHECKING:
    from textual.app import ComposeResult


class TextBox(ModalScreen[None]):
    """A title and a text; closed by Esc, by Enter, or by what quits and helps elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,enter,escape,backspace,q,ctrl+c", "close", show=False)
    ]

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """One text, to be scrolled."""
        with BoxedText(classes="box") as box:
            box.border_title = Content(clean(self._title))
            box.border_subtitle = "Esc to close"
            yield Static(self._text)

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()


class BoxedText(VerticalScroll):
    """The scrolled text."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")
