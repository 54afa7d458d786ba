"""How far a run is: generations, children, calls, cost, and when it will be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widgets import Static

from tui.text.formatting import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.events import Resize

    from engine.monitor.snapshot import Snapshot

BAR = 10
"""Cells of a bar."""


class ProgressPane(Static):
    """One line, or two where there is room for more."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None

    def on_resize(self, _: Resize) -> None:
        """Another width holds other parts."""
        if self._snapshot is not None:
            self.show(self._snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        self._snapshot = snapshot
        width = self.size.width or self.app.size.width
        parts = [*_goals(snapshot), _generations(snapshot), _children(snapshot), _calls(snapshot)]
        parts += [_money(snapshot), _left(snapshot)]
        extra = [_reflection(snapshot), _tokens(snapshot), _work(snapshot)]
        lines = [_join(parts, width)]
        if self.size.height > 1:
            lines.append(_join(extra, width))
        text = "\n".join(lines)
        if text != str(self.content):
            self.update(Content(text), layout=False)


def bar(done: float, whole: float, cells: int = BAR) -> str:
    """A bar, filled by a share."""
    filled = round(cells * min(1.0, done / whole)) if whole else 0
    return "█" * filled + "░" * (cells - filled)


def _join(parts: Sequence[str], width: int) -> str:
    """As many parts as the line holds, in their order."""
    line = ""
    for part in filter(None, parts):
        longer = f"{line}   {part}" if line else f" {part}"
        if len(longer) <= width:
            line = longer
    return line


def _goals(snapshot: Snapshot) -> list[str]:
    """What its settings end the run by; a bar for what is planned to."""
    first, *others = snapshot.goals
    told = f"{first.name} {bar(first.made, first.whole)} {first.made}/{first.whole}"
    return [told, *(f"{goal.name} {goal.made}/{goal.whole}" for goal in others)]


def _is_goal(snapshot: Snapshot, name: str) -> bool:
    return any(goal.name == name for goal in snapshot.goals)


def _generations(snapshot: Snapshot) -> str:
    return (
        "" if _is_goal(snapshot, "gen") else f"gen {snapshot.closed or 0}/{snapshot.generations}"
    )


def _children(snapshot: Snapshot) -> str:
    """Those of the open generation, unless those of the whole run are counted."""
    if snapshot.opened is None or not snapshot.is_live:
        return ""
    if snapshot.opened == 0:
        return "seeds under way"
    if _is_goal(snapshot, "children"):
        return ""
    done, whole = snapshot.children_done, snapshot.children
    return f"children {bar(done, whole, 5)} {done}/{whole}"


def _calls(snapshot: Snapshot) -> str:
    if _is_goal(snapshot, "calls"):
        return ""
    cap = snapshot.row.spec.caps.calls
    return f"calls {snapshot.totals.calls}{f'/{cap}' if cap is not None else ''}"


def _money(snapshot: Snapshot) -> str:
    used, cap = snapshot.totals, snapshot.row.spec.caps.usd
    unknown = f" + {used.unpriced} unpriced" if used.unpriced and used.tokens_in else ""
    if not used.usd and not unknown:
        return ""
    return f"${used.usd:.2f}{unknown}{f' of ${cap:.2f}' if cap is not None else ''}"


def _left(snapshot: Snapshot) -> str:
    return "" if snapshot.left is None else f"ETA {clock(snapshot.left)}"


def _reflection(snapshot: Snapshot) -> str:
    if snapshot.reflecting is None:
        return ""
    return f"reflection {max(0, int(snapshot.now - snapshot.reflecting))} s"


def _tokens(snapshot: Snapshot) -> str:
    used = snapshot.totals
    return f"tokens {used.tokens_in:,} in, {used.tokens_out:,} out"


def _work(snapshot: Snapshot) -> str:
    used = snapshot.totals
    return f"evaluations {used.evaluations}   {used.cpu:.1f} CPU s, teacher {used.teacher:.1f}"
