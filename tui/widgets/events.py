"""The events pane: the newest lines, or those that the user has gone or filtered to."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.domain.events import Event
from engine.monitor.snapshot import Snapshot
from tui.text.events import event_line
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle
from tui.widgets.table import Filter

BATCH = 1
"""Seconds between two paints: every new line moves all that are shown."""


class EventsPane(ScrollView, can_focus=True):
    """Lines of time, kind and text; it follows the newest until the user goes away from it.

    Posts `Opened` on Enter or a click on the line under the cursor.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("events", "a list", "a table")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("events", "a table")
    SEARCHES: ClassVar[str] = "words  kind:teacher  !not"
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "events--time",
        "events--kind",
        "events--alarm",
        "events--cursor",
    }

    class Opened(Message):
        """The user opened an event, `in_full` or what it is about."""

        def __init__(self, event: Event, in_full: bool) -> None:
            super().__init__()
            self.event = event
            self.in_full = in_full

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._all: tuple[Event, ...] = ()
        self._events: tuple[Event, ...] = ()
        self._painted = -BATCH
        self._cursor: int | None = None
        self._following = True
        self.sought = ""

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's events, at most once a second while the run is live."""
        if self._all == snapshot.events or (
            snapshot.is_live and snapshot.now - self._painted < BATCH
        ):
            return
        self._painted = snapshot.now
        self._all = snapshot.events
        self._sift()

    def look_for(self, words: str) -> None:
        """Show only the events that fit a filter, the newest of them under the cursor."""
        self.sought = words
        self._cursor = None
        self._following = True
        self._sift()

    def on_resize(self, _: Resize) -> None:
        self._resize_lines()
        self._retitle()

    def on_focus(self) -> None:
        """The cursor is seen where it can be moved."""
        self._repaint()

    def on_blur(self) -> None:
        self._repaint()

    def on_click(self, event: Click) -> None:
        """Move to a line; open the one under the cursor."""
        offset = event.get_content_offset(self)
        index = -1 if offset is None else offset.y + self.scroll_offset.y
        if not 0 <= index < len(self._events):
            return
        if index == self._index:
            self.action_select()
        else:
            self._move(index - self._index)

    def action_follow(self) -> None:
        self._cursor = None
        self._following = True
        self.scroll_end(animate=False)
        self._repaint()
        self._retitle()

    def action_select(self, in_full: bool = False) -> None:
        if self._events:
            self.post_message(self.Opened(self._events[self._index], in_full))

    def action_cursor_down(self) -> None:
        self._move(1)

    def action_cursor_up(self) -> None:
        self._move(-1)

    def action_page_down(self) -> None:
        self._move(max(1, self.size.height))

    def action_page_up(self) -> None:
        self._move(-max(1, self.size.height))

    def action_first(self) -> None:
        self._move(-len(self._events))

    def action_last(self) -> None:
        self.action_follow()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Scrolling up stops following, scrolling to the end starts it again."""
        super().watch_scroll_y(old, new)
        self._following = self._cursor is None and new >= self.max_scroll_y
        self._retitle()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        if index >= len(self._events):
            return Strip.blank(self.scrollable_content_region.width, self.rich_style)
        line = event_line(self._events[index])
        style = "events--alarm" if line.alarm else "events--kind"
        text = f"{'! ' if line.alarm else ''}{line.text}"
        if self.has_focus and index == self._index:
            covered = self.get_component_rich_style("events--cursor")
            return self._cut(
                Strip([Segment(f" {line.time} {line.kind:<9}{text}", covered)]), covered
            )
        strip = Strip(
            [
                Segment(f" {line.time} ", self.get_component_rich_style("events--time")),
                Segment(f"{line.kind:<9}", self.get_component_rich_style(style)),
                Segment(text, self.rich_style),
            ]
        )
        return self._cut(strip, self.rich_style)

    @property
    def _index(self) -> int:
        """The line under the cursor: the newest until the user goes to another."""
        newest = max(0, len(self._events) - 1)
        return newest if self._cursor is None else min(self._cursor, newest)

    def _cut(self, strip: Strip, style: Any) -> Strip:
        """A line as wide as the pane."""
        width = self.scrollable_content_region.width
        if strip.cell_length > width:
            strip = Strip([*strip.crop(0, width - 1), Segment("…", style)])
        return strip.adjust_cell_length(width, style)

    def _sift(self) -> None:
        """Keep what the filter lets through, and show it."""
        found = Filter(self.sought)
        self._events = (
            tuple(event for event in self._all if found.accepts(_facts(event)))
            if self.sought
            else self._all
        )
        self._resize_lines()
        self._retitle()

    def _resize_lines(self) -> None:
        """Take the size of the lines, follow the newest, and paint."""
        following = self._following
        self.virtual_size = Size(self.size.width, len(self._events))
        if following:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)
        self._repaint()

    def _repaint(self) -> None:
        self.refresh(Region(0, 0, *self.size))

    def _move(self, step: int) -> None:
        """Go some events on; on the newest one follow it."""
        newest = len(self._events) - 1
        index = min(max(self._index + step, 0), newest)
        self._cursor = None if index >= newest else index
        top = self.scroll_offset.y
        wanted = min(max(top, index - max(1, self.size.height) + 1), max(0, index))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, immediate=True)
        self._following = self._cursor is None
        self._repaint()
        self._retitle()

    def _retitle(self) -> None:
        found = f" {len(self._events)} of {len(self._all)} · filter {self.sought}"
        follow = "" if self._following else " · f follows the newest"
        retitle(self, f"events{found if self.sought else ''}{follow}")


def _facts(event: Event) -> dict[str, str]:
    """What a filter looks at, by name."""
    line = event_line(event)
    return {"time": line.time, "kind": line.kind, "text": line.text}
