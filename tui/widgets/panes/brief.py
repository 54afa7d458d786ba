"""The briefs that slots were given, one generation at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from textual.content import Content

from tui.text.operators import format_origin
from tui.widgets.panes.text_pane import TextPane

if TYPE_CHECKING:
    from engine.domain.search_state import BriefRow
    from engine.monitor.members import Member
    from engine.monitor.snapshot import Snapshot

_BOLD = re.compile(r"\*\*(.+?)\*\*")


class BriefPane(TextPane):
    """The briefs of one generation: the newest of a snapshot."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._shown: tuple[int, Content] | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's briefs; paints nothing when they are the same."""
        generation = max((row.generation for row in snapshot.briefs), default=None)
        if generation is None:
            self.set_title("no briefs")
            self._shown = None
            self.put(Content(""))
            return
        self.set_title(f"briefs · gen {generation}")
        rows = [row for row in snapshot.briefs if row.generation == generation]
        shown = (generation, write(rows, snapshot))
        if shown != self._shown:
            turned = self._shown is None or self._shown[0] != generation
            self._shown = shown
            self.put(shown[1])
            if turned:
                self.scroll_home(animate=False)


def write(briefs: list[BriefRow], snapshot: Snapshot) -> Content:
    """Every brief under the slots that share it, with their operators and parents."""
    slots: dict[str, list[BriefRow]] = {}
    for row in briefs:
        slots.setdefault(row.brief.text, []).append(row)
    parts = []
    for text, rows in slots.items():
        heads = [Content.styled(head, "bold $text-accent") for head in _heads(rows, snapshot)]
        parts.append(Content("\n").join([*heads, embolden(text.strip())]))
    return Content("\n\n").join(parts)


def _heads(rows: list[BriefRow], snapshot: Snapshot) -> list[str]:
    """A line for each slot, counted from 1 as the briefs themselves count."""
    return [_head(row, snapshot.at(f"{row.generation}.{row.slot}")) for row in rows]


def _head(row: BriefRow, member: Member | None) -> str:
    parents = member.parents if member else ()
    return f"slot {row.slot + 1}  {format_origin(row.brief.operator, parents)}"


def embolden(text: str) -> Content:
    """A model's text with `**words**` in bold; nothing else in it is markup."""
    pieces = _BOLD.split(text)
    return Content.assemble(*((piece, "bold" if k % 2 else "") for k, piece in enumerate(pieces)))
