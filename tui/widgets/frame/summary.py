"""A text made of a snapshot, written anew for every snapshot and every width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.widgets import Static

if TYPE_CHECKING:
    from textual.content import Content
    from textual.events import Resize

    from engine.monitor.snapshot import Snapshot


class SnapshotText(Static):
    """A subclass writes the text in `write`; the same text again paints nothing."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """The text for a width in cells."""
        raise NotImplementedError

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        self._snapshot = snapshot
        text = self.write(snapshot, self.size.width or self.app.size.width)
        if str(text) != str(self.content):
            self.update(text, layout=False)

    def on_resize(self, _: Resize) -> None:
        """Write for the new width."""
        if self._snapshot is not None:
            self.show(self._snapshot)
