"""The line of panes on a screen that shows one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Sequence


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
