"""The last thing that happens to a line before it is painted: what a terminal obeys goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

from engine.domain.text.plain_text import UNSAFE

if TYPE_CHECKING:
    from textual.color import Color

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
