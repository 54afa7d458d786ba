"""What changed last: which program became the best, from what, and whether that may be noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from engine.domain.text.figures import digits
from engine.domain.text.plain_text import clean
from tui.text.formatting import number
from tui.widgets.frame.summary import SnapshotText

if TYPE_CHECKING:
    from engine.domain.values import Candidate
    from engine.monitor.history import Change
    from engine.monitor.snapshot import Snapshot

SURE = 2.0
"""Standard errors from which a difference counts as more than noise."""


class ChangeLine(SnapshotText):
    """One line; it stands out while the change is that of the last closed generation."""

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """As much of it as a width in cells holds."""
        change = snapshot.change
        if change is None:
            return Content(" no program has survived yet")
        news = change.generation == snapshot.closed and change.old is not None
        return Content.styled(f" {describe(change, width - 2)}", "bold $text-success" * news)


def describe(change: Change, width: int) -> str:
    """The change in words; what matters least is left out until it fits, its head never."""
    parts = _parts(change)
    for least in range(len(parts), 0, -1):
        text = "".join(text for rank, text in parts if rank < least)
        if cell_len(text) <= width:
            return text
    return next(text for rank, text in parts if rank == 0)


def _parts(change: Change) -> list[tuple[int, str]]:
    """The parts of the sentence in their order, each with its rank, 0 for what matters most."""
    new, gain = change.new, change.gain
    head = (
        f"chosen on {change.chosen_on}" if change.chosen_on else f"since gen {change.generation}"
    )
    cost = f", {number(new.selection_cost)} there" if change.chosen_on else ""
    better = "" if gain is None else f", better on {gain.better} of {gain.count}"
    parts = [
        (0, f"★ {new.id} best, {head}"),
        (2, _origin(new)),
        (4, f"{cost}, cost {number(new.cost)}"),
        (1, _compare(change)),
        (3, better),
    ]
    return [(rank, clean(text)) for rank, text in parts]


def _origin(new: Candidate) -> str:
    """By which operator, from which parents."""
    return f", by {new.operator} of {' + '.join(new.parents)}" if new.parents else ", a seed"


def _compare(change: Change) -> str:
    """`, 3.2 ± 1.1 below p0003`, and where that may be noise."""
    gain = change.gain
    if change.old is None:
        return ""
    if gain is None:
        return f", in place of {change.old.id}"
    side = "below" if gain.mean <= 0 else "above"
    noise = "" if abs(gain.mean) > SURE * gain.stderr else " (within its noise)"
    return (
        f", {digits(abs(gain.mean), 3)} ± {digits(gain.stderr, 3)} {side} {change.old.id}{noise}"
    )
