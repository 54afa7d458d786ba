"""What stands around the panes: titles, tabs, keys, the line behind `/`, and clean lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.content import Content
from textual.events import Click, Resize
from textual.filter import LineFilter
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from engine.domain.text.plain_text import UNSAFE, clean
from tui.widgets import keymap as keys


def retitle(widget: Widget, title: str, subtitle: str = "") -> None:
    """Give a pane its title above and below; foreign text in it is no markup of ours."""
    title = clean(title)
    if widget.border_title != Content(title).markup:
        widget.border_title = Content(title)
    if (widget.border_subtitle or "") != Content(subtitle).markup:
        widget.border_subtitle = Content(subtitle)


class Tabs(Static):
    """The panes by number and name, the shown one in brackets."""

    def show(self, names: Sequence[str], shown: int) -> None:
        """Show the names; `shown` counts from 0."""
        words = [
            Content.styled(f"[{k + 1} {name}]", "bold reverse")
            if k == shown
            else Content(f" {k + 1} {name} ")
            for k, name in enumerate(names)
        ]
        line = Content("").join(words)
        if str(line) != str(self.content):
            self.update(line)


PALETTE = "^P"


class Hints(Static):
    """As many keys as the line holds; help, quitting and the palette are always there.

    Posts `Clicked` for the key that was clicked on.
    """

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._scopes: tuple[keys.Scope, ...] = ()
        self._idle: frozenset[str] = frozenset()
        self._urgent: frozenset[str] = frozenset()
        self._chosen: list[keys.Key] = []

    def show(
        self,
        scopes: Sequence[keys.Scope],
        idle: frozenset[str] = frozenset(),
        urgent: frozenset[str] = frozenset(),
    ) -> None:
        """Show the keys of some scopes, `urgent` actions first, but not of `idle` ones."""
        if (tuple(scopes), idle, urgent) != (self._scopes, self._idle, self._urgent):
            self._scopes = tuple(scopes)
            self._idle = idle
            self._urgent = urgent
            self._draw()

    class Clicked(Message):
        """The user clicked on a key; None is the palette."""

        def __init__(self, key: keys.Key | None) -> None:
            super().__init__()
            self.key = key

    def on_click(self, event: Click) -> None:
        end = 0
        for key in self._chosen:
            end += keys.measure([key])
            if event.x < end:
                self.post_message(self.Clicked(key))
                return
        if event.x < end + len(PALETTE) + 1:
            self.post_message(self.Clicked(None))

    def on_resize(self, _: Resize) -> None:
        """Another width holds other keys."""
        self._draw()

    def _draw(self) -> None:
        width = self.size.width - len(PALETTE) - 2
        self._chosen = keys.hints(self._scopes, width, self._idle, self._urgent)
        words = [_describe(key.hint) for key in self._chosen]
        palette = Content.styled(f" {PALETTE}", "bold $text-accent")
        self.update(Content("").join([*words, palette]), layout=False)


def _describe(hint: str) -> Content:
    names, word = hint.split()
    return Content.assemble((f" {names}", "bold $text-accent"), f" {word} ")


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
        event.stop()
        self.post_message(self.Sifted(event.value.strip()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()

    def action_clear(self) -> None:
        self.value = ""
        self._close()

    def _close(self) -> None:
        self.display = False
        self.post_message(self.Closed())


_UNSAFE = re.compile(f"[{UNSAFE}\n\t]")


class PlainLines(LineFilter):
    """Keeps the width of a line: what it leaves out takes no cell.

    Texts are clean before they are laid out; this is for those that somebody forgot.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments of one line of one widget, without unsafe characters."""
        if not any(_UNSAFE.search(text) for text, _, _ in segments):
            return segments
        return [Segment(_UNSAFE.sub("", text), style) for text, style, _ in segments]


PLAIN_LINES = PlainLines()
"""The one that is used: Textual remembers what a filter made of a line."""
