"""The bottom line: the keys of the pane that has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.widgets import keymap as keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.events import Click, Resize

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
        """Say which key was clicked on."""
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
