"""The top line: which run, how it stands, whether its engine lives, how long it has run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widgets import Static

from tui.text.formatting import clock
from tui.text.settings import title
from tui.text.status_symbols import status_colour, status_symbol

if TYPE_CHECKING:
    from textual.events import Resize

    from engine.monitor.snapshot import Snapshot


class RunHeader(Static):
    """The run in one line; what matters less gives way when the line is short."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None

    def on_resize(self, _: Resize) -> None:
        """Another width holds another line."""
        if self._snapshot is not None:
            self.show(self._snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        self._snapshot = snapshot
        line = describe(snapshot, self.size.width or self.app.size.width)
        if str(line) != str(self.content):
            self.update(line, layout=False)


def describe(snapshot: Snapshot, width: int) -> Content:
    """The line for a width in cells."""
    row = snapshot.row
    state = f" {status_symbol(snapshot.status)} {snapshot.status} "
    left = Content.assemble(
        (f" run {row.number} ", "bold"),
        (state, f"bold {status_colour(snapshot.status)}"),
    )
    right = Content("   ".join(filter(None, (_engine(snapshot), clock(row.seconds)))) + " ")
    room = width - left.cell_length - right.cell_length - 1
    name = row.reason or title(row.spec)
    middle = Content(f" {name}").truncate(max(0, room), ellipsis=True, pad=True)
    return Content("").join([left, middle, Content(" "), right])


def _engine(snapshot: Snapshot) -> str:
    """Whether the engine of a run at work does what the state says."""
    if not snapshot.is_live:
        return ""
    if snapshot.liveness == "hung":
        return f"! no beat for {int(snapshot.now - snapshot.row.heartbeat)} s"
    return "● engine" if snapshot.liveness == "alive" else "○ engine starts"
