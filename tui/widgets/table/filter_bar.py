"""The line that opens behind `/`: what is typed there filters a table or is looked for at once."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FilterBar(Input):
    """Hidden until it is opened; posts `Sifted` with every change and `Closed` at the end."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear", show=False)]

    class Sifted(Message):
        """Other words are wanted."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Closed(Message):
        """The line is closed; what was typed holds."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.cursor_blink = False  # a blinking cursor writes bytes for ever
        self.display = False

    def open(self, text: str, placeholder: str) -> None:
        """Let the user type, from a text on; `placeholder` says what may be typed."""
        with self.prevent(Input.Changed):
            self.value = text
        self.placeholder = placeholder
        self.display = True
        self.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        event.stop()
        self.post_message(self.Sifted(event.value.strip()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the filter."""
        event.stop()
        self._close()

    def action_clear(self) -> None:
        """Drop the filter."""
        self.value = ""
        self._close()

    def _close(self) -> None:
        self.display = False
        self.post_message(self.Closed())
