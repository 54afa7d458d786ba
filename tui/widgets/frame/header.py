"""The top line of a run's screen: its number, status, title, engine, and how long it has run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.text.formatting import clock
from tui.text.settings import title
from tui.text.status_symbols import status_colour, status_label
from tui.widgets.frame.summary import SnapshotText

if TYPE_CHECKING:
    from engine.monitor.snapshot import Snapshot


class RunHeader(SnapshotText):
    """The run in one line; its title is cut where the line is short."""

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """The line for a width in cells."""
        row = snapshot.row
        left = Content.assemble(
            (f" run {row.number} ", "bold"),
            (f" {status_label(snapshot.status)} ", f"bold {status_colour(snapshot.status)}"),
        )
        if snapshot.is_past:
            left += Content.styled(f" ◀ end of gen {snapshot.closed} ", "bold reverse")
        right = Content("   ".join(filter(None, (_engine(snapshot), clock(row.seconds)))) + " ")
        room = width - left.cell_length - right.cell_length - 1
        name = row.reason or title(row.spec)
        middle = Content(f" {name}").truncate(max(0, room), ellipsis=True, pad=True)
        return Content("").join([left, middle, Content(" "), right])


def _engine(snapshot: Snapshot) -> str:
    """Whether the engine of a live run is there."""
    if not snapshot.is_live:
        return ""
    if snapshot.liveness == "hung":
        return f"! no heartbeat for {int(snapshot.now - snapshot.row.heartbeat)} s"
    if snapshot.liveness == "busy":
        return f"◔ heartbeat {int(snapshot.now - snapshot.row.heartbeat)} s late"
    return "● engine" if snapshot.liveness == "alive" else "○ engine starting"
