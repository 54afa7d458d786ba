"""The events pane: the newest lines, or where the user has scrolled to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.text.event_lines import event_line
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Resize

    from engine.domain.events import Event
    from engine.monitor.snapshot import Snapshot

BATCH = 1
"""Seconds between two paints: every new line moves all that are shown."""


class EventsPane(ScrollView, can_focus=True):
    """Lines of time, kind and text; it follows the newest until the user scrolls away."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("events", "text")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("events",)
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"events--time", "events--kind", "events--alarm"}

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._events: tuple[Event, ...] = ()
        self._painted = -BATCH
        self._following = True

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's events, at most once a second while the run is live."""
        if self._events == snapshot.events or (
            snapshot.is_live and snapshot.now - self._painted < BATCH
        ):
            return
        self._painted = snapshot.now
        self._events = snapshot.events
        self._resize_lines()

    def on_resize(self, _: Resize) -> None:
        """Another height shows other lines."""
        self._resize_lines()
        self._retitle()

    def _resize_lines(self) -> None:
        """Take the size of the lines, follow the newest, and paint."""
        following = self._following
        self.virtual_size = Size(self.size.width, len(self._events))
        if following:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)
        self.refresh(Region(0, 0, *self.size))

    def action_follow(self) -> None:
        """Go to the newest event and follow from there."""
        self._following = True
        self.scroll_end(animate=False)
        self._retitle()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Scrolling up stops following, scrolling to the end starts it again."""
        super().watch_scroll_y(old, new)
        self._following = new >= self.max_scroll_y
        self._retitle()

    def render_line(self, y: int) -> Strip:
        """One event."""
        index = y + self.scroll_offset.y
        if index >= len(self._events):
            return Strip.blank(self.size.width, self.rich_style)
        line = event_line(self._events[index])
        style = "events--alarm" if line.alarm else "events--kind"
        strip = Strip(
            [
                Segment(f" {line.time} ", self.get_component_rich_style("events--time")),
                Segment(f"{line.kind:<9}", self.get_component_rich_style(style)),
                Segment(f"{'! ' if line.alarm else ''}{line.text}", self.rich_style),
            ]
        )
        width = self.size.width
        if strip.cell_length > width:
            strip = Strip([*strip.crop(0, width - 1), Segment("…", self.rich_style)])
        return strip.adjust_cell_length(width, self.rich_style)

    def _retitle(self) -> None:
        retitle(self, "events" if self._following else "events · f follows the newest")
