"""Panes of text to scroll, in which words are looked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content, Span
from textual.events import Resize
from textual.widgets import Static

from tui.widgets import keymap as keys
from tui.widgets.frame import retitle

BLOCK = 40
"""Lines of a block of text: a block out of sight is not rendered."""

MOST = 1000
"""Places of a word that are counted and marked."""

FOUND = "bold underline"
HERE = "bold reverse"
"""How the places of a word look, and the one that the user is at: without colour, too."""


class TextPane(VerticalScroll):
    """Shows a text in blocks one below the other; the places of a word looked for are marked.

    A subclass shows its text with `put` and its title with `set_title`.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("text",)
    SEARCHES: ClassVar[str] = "words to look for"

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._text = Content("")
        self._titles = ("", "")
        self._blocks: list[Static] = []
        self.sought = ""
        self._places: list[tuple[int, int]] = []
        self._at = 0

    def compose(self) -> ComposeResult:
        self._blocks = [Static()]
        yield self._blocks[0]

    def on_mount(self) -> None:
        """Show what was put there before."""
        self.call_next(self._paint)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say below how much follows."""
        super().watch_scroll_y(old_value, new_value)
        self._retitle()

    @property
    def text(self) -> str:
        """All that is shown."""
        return self._text.plain

    def put(self, text: Content) -> None:
        """Show a text; words that are looked for stay so."""
        self._text = text
        self._places = find_places(text.plain, self.sought)
        self._at = min(self._at, max(0, len(self._places) - 1))
        self._paint()

    def set_title(self, title: str, subtitle: str = "") -> None:
        """Title the pane; what is looked for in it stands behind."""
        self._titles = (title, subtitle)
        self._retitle()

    def look_for(self, words: str) -> None:
        """Mark the places of some words, whatever their case, and show the next of them."""
        if words == self.sought:
            return
        self.sought = words
        self._places = find_places(self._text.plain, words)
        self._at = self._first_in_sight()
        self._paint()
        self._show_place()

    def action_found(self, step: int) -> None:
        if self._places:
            self._at = (self._at + step) % len(self._places)
            self._paint()
            self._show_place()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where no words are looked for, the keys of their places belong to the screen."""
        return bool(self.sought) if action == "found" else super().check_action(action, parameters)

    def _paint(self) -> None:
        """Show the text with its marks; blocks that stay the same are not painted again."""
        self._retitle()
        if not (self.is_mounted and self.is_attached):
            return
        text = mark_places(self._text, self._places, self._at)
        lines = text.split("\n", allow_blank=True)
        blocks = [Content("\n").join(lines[k : k + BLOCK]) for k in range(0, len(lines), BLOCK)]
        blocks = blocks or [Content("")]
        for block, static in zip(blocks, self._blocks, strict=False):
            if not (isinstance(static.content, Content) and block.is_same(static.content)):
                static.update(block)
        for old in self._blocks[len(blocks) :]:
            old.remove()
        new = [Static(block) for block in blocks[len(self._blocks) :]]
        self._blocks = [*self._blocks[: len(blocks)], *new]
        if new:
            self.mount(*new)
        self.call_after_refresh(self._retitle)

    def _retitle(self) -> None:
        title, subtitle = self._titles
        below = round(self.max_scroll_y - self.scroll_y)
        more = f"{below} line{'s' * (below > 1)} below" if below > 0 else ""
        searched = describe_search(self.sought, len(self._places), self._at)
        retitle(self, f"{title}{searched}", " · ".join(filter(None, (subtitle, more))))

    def _show_place(self) -> None:
        """Scroll the place that the user is at into sight, once it is laid out."""
        if self._places:
            self.call_after_refresh(self._scroll_to_place)

    def _scroll_to_place(self) -> None:
        if not self._places:
            return
        y = self._height_before(self._places[self._at][0])
        if not self.scroll_y <= y < self.scroll_y + self.scrollable_content_region.height:
            third = self.scrollable_content_region.height // 3
            self.scroll_to(y=max(0, y - third), animate=False)

    def _height_before(self, place: int) -> int:
        """In which line of the pane, from the top of its text, a place of the text is shown."""
        lines = self._text.plain[:place].count("\n")
        static = self._blocks[min(lines // BLOCK, len(self._blocks) - 1)]
        begin = self._text.plain.rfind("\n", 0, place) + 1
        first = lines - lines % BLOCK
        above = self._text.split("\n", allow_blank=True)[first:lines]
        shown = Content("\n").join([*above, self._text[begin : place + 1]])
        height = shown.get_height(static.styles.get_rules(), max(1, static.content_size.width))
        return static.virtual_region.y + max(0, height - 1)

    def _first_in_sight(self) -> int:
        """Which of the places is the first that is not above what is shown; the first of all."""
        if not self._blocks:
            return 0
        found = bisect_left(
            self._places, self.scroll_y, key=lambda place: self._height_before(place[0])
        )
        return found if found < len(self._places) else 0


def find_places(text: str, words: str) -> list[tuple[int, int]]:
    """Where words stand in a text, whatever their case: from and to, `MOST` at most."""
    if not words:
        return []
    found = re.finditer(re.escape(words), text, re.IGNORECASE)
    return [one.span() for one, _ in zip(found, range(MOST), strict=False)]


def mark_places(text: Content, places: Sequence[tuple[int, int]], at: int) -> Content:
    """A text whose places stand out, the one counted `at` from 0 the most."""
    marks = [Span(*place, HERE if k == at else FOUND) for k, place in enumerate(places)]
    return Content(text.plain, [*text.spans, *marks]) if marks else text


def describe_search(words: str, places: int, at: int) -> str:
    """` · /load 2 of 7` for the title of a text; empty where nothing is looked for."""
    if not words:
        return ""
    if not places:
        return f" · /{words} not found"
    return f" · /{words} {at + 1} of {places}{'+' if places == MOST else ''}"


class ReadingPane(TextPane):
    """Shows one text under one title."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._write: Callable[[int], Content] = lambda _: Content("")

    def show(self, title: str, write: Callable[[int], Content], from_top: bool = True) -> None:
        """Show a text from its beginning; `write` gives it for a width in cells.

        Not `from_top`: it is the text shown, made again, and stays where the user has scrolled.
        """
        self.set_title(title)
        self._write = write
        self._draw()
        if from_top:
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if width:  # out of sight: it is drawn when it gets a size
            self.put(self._write(width))
