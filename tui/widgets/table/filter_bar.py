"""The line that opens behind `/`: what is typed there filters the table at once."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from tui.widgets.table.filter import Filter


class FilterBar(Input):
    """Hidden until it is opened; posts `Sifted` with every change and `Closed` at the end."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear", show=False)]

    class Sifted(Message):
        """Another filter is wanted."""

        def __init__(self, filter: Filter) -> None:
            super().__init__()
            self.filter = filter

    class Closed(Message):
        """The line is closed; the filter stays as it is."""

    def __init__(self, **names: Any) -> None:
        super().__init__(placeholder="words  field:value  !not", **names)
        self.cursor_blink = False  # a blinking cursor writes bytes for ever
        self.display = False

    def open(self) -> None:
        """Let the user type."""
        self.display = True
        self.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        event.stop()
        self.post_message(self.Sifted(Filter(event.value.strip())))

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
