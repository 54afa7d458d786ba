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
        self._board: Snapshot | None = None

    def on_resize(self, _: Resize) -> None:
        """Another width holds other parts."""
        if self._board is not None:
            self.show(self._board)

    def show(self, board: Snapshot) -> None:
        """Show a board."""
        self._board = board
        width = self.size.width or self.app.size.width
        parts = [*_goals(board), _generations(board), _children(board), _calls(board)]
        parts += [_money(board), _left(board)]
        extra = [_reflection(board), _tokens(board), _work(board)]
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


def _goals(board: Snapshot) -> list[str]:
    """What its settings end the run by; a bar for what is planned to."""
    first, *others = board.goals
    told = f"{first.name} {bar(first.made, first.whole)} {first.made}/{first.whole}"
    return [told, *(f"{goal.name} {goal.made}/{goal.whole}" for goal in others)]


def _is_goal(board: Snapshot, name: str) -> bool:
    return any(goal.name == name for goal in board.goals)


def _generations(board: Snapshot) -> str:
    return "" if _is_goal(board, "gen") else f"gen {board.closed or 0}/{board.generations}"


def _children(board: Snapshot) -> str:
    """Those of the open generation, unless those of the whole run are counted."""
    if board.opened is None or not board.is_live:
        return ""
    if board.opened == 0:
        return "seeds under way"
    if _is_goal(board, "children"):
        return ""
    done, whole = board.children_done, board.children
    return f"children {bar(done, whole, 5)} {done}/{whole}"


def _calls(board: Snapshot) -> str:
    if _is_goal(board, "calls"):
        return ""
    cap = board.row.spec.caps.calls
    return f"calls {board.totals.calls}{f'/{cap}' if cap is not None else ''}"


def _money(board: Snapshot) -> str:
    used, cap = board.totals, board.row.spec.caps.usd
    unknown = f" + {used.unpriced} unpriced" if used.unpriced and used.tokens_in else ""
    if not used.usd and not unknown:
        return ""
    return f"${used.usd:.2f}{unknown}{f' of ${cap:.2f}' if cap is not None else ''}"


def _left(board: Snapshot) -> str:
    return "" if board.left is None else f"ETA {clock(board.left)}"


def _reflection(board: Snapshot) -> str:
    if board.reflecting is None:
        return ""
    return f"reflection {max(0, int(board.now - board.reflecting))} s"


def _tokens(board: Snapshot) -> str:
    used = board.totals
    return f"tokens {used.tokens_in:,} in, {used.tokens_out:,} out"


def _work(board: Snapshot) -> str:
    used = board.totals
    return f"evaluations {used.evaluations}   {used.cpu:.1f} CPU s, teacher {used.teacher:.1f}"
