"""How far a run is: generations, children, what is capped, and the time left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.text.plain_text import clean
from tui.text.formatting import clock, number
from tui.widgets.frame.summary import SnapshotText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.monitor.snapshot import Snapshot
    from engine.monitor.teacher_standing import TeacherStanding

BAR = 10
"""Cells of the bar of what ends the run as planned."""

SMALL = 5

CENT = 0.01
"""US dollars; less is not shown."""

"""Cells of any other bar."""


class ProgressPane(SnapshotText):
    """One line, or two where there is room for more."""

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """The lines for a width in cells."""
        parts = [*_goals(snapshot), _generations(snapshot), _children(snapshot), _calls(snapshot)]
        parts += [_money(snapshot), _capped_tokens(snapshot), _left(snapshot), _winner(snapshot)]
        extra = [
            _rate(snapshot),
            _reflection(snapshot),
            *describe_teacher(snapshot.teacher, snapshot.teacher_words, _best_cost(snapshot)),
        ]
        extra += [_tokens(snapshot), _work(snapshot)]
        if self.size.height <= 1:
            return Content(_join([*parts, _rate(snapshot)], width))
        return Content(f"{_join(parts, width)}\n{_join(extra, width)}")


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
    """What ends the run by its settings; a bar for what will do so first as planned."""
    first, *others = snapshot.goals
    planned = f"{first.name} {bar(first.made, first.whole)} {first.made}/{first.whole}"
    return [planned, *(f"{goal.name} {goal.made}/{goal.whole}" for goal in others)]


def _is_goal(snapshot: Snapshot, name: str) -> bool:
    return any(goal.name == name for goal in snapshot.goals)


def _generations(snapshot: Snapshot) -> str:
    if _is_goal(snapshot, "gen"):
        return ""
    return f"gen {snapshot.closed or 0}/{snapshot.generations}"


def _children(snapshot: Snapshot) -> str:
    """Those of the open generation, unless those of the whole run are counted."""
    if snapshot.opened is None or not snapshot.is_live:
        return ""
    if snapshot.opened == 0:
        seeds = snapshot.row.spec.settings.start == "seeds"
        return "seeds in progress" if seeds else "first programs in progress"
    if _is_goal(snapshot, "children"):
        return ""
    done = snapshot.children_done
    return f"children {bar(done, snapshot.children, SMALL)} {done}/{snapshot.children}"


def _calls(snapshot: Snapshot) -> str:
    if _is_goal(snapshot, "calls"):
        return ""
    calls = snapshot.totals.calls
    cap = snapshot.row.spec.caps.calls
    return f"calls {calls}" if cap is None else f"calls {bar(calls, cap, SMALL)} {calls}/{cap}"


def _money(snapshot: Snapshot) -> str:
    used = snapshot.totals
    cap = snapshot.row.spec.caps.usd
    unknown = f" + {used.unpriced} unpriced" if used.unpriced and used.tokens_in else ""
    if not used.usd and not unknown:
        return ""
    most = f" (at most ${used.usd:.2f})" if used.maybe_usd >= CENT else ""
    spent = f"${used.usd - used.maybe_usd:.2f}{most}"
    if cap is None:
        return f"{spent}{unknown}"
    return f"usd {bar(used.usd, cap, SMALL)} {spent} of ${cap:.2f}{unknown}"


def _capped_tokens(snapshot: Snapshot) -> str:
    used = snapshot.totals.tokens_in + snapshot.totals.tokens_out
    cap = snapshot.row.spec.caps.tokens
    return "" if cap is None else f"tokens {bar(used, cap, SMALL)} {used:,}/{cap:,}"


def _left(snapshot: Snapshot) -> str:
    """The time that is over, as a share of all that the run will take, and what is left."""
    if snapshot.left is None:
        return ""
    over = snapshot.row.seconds
    return f"time {bar(over, over + snapshot.left, SMALL)} ETA {clock(snapshot.left)}"


def _rate(snapshot: Snapshot) -> str:
    """Calls in a minute of work."""
    calls = snapshot.totals.calls
    seconds = snapshot.row.seconds
    return f"{60 * calls / seconds:.1f} calls/min" if calls and seconds >= 1 else ""


def _winner(snapshot: Snapshot) -> str:
    """Both figures of the winner, once it is chosen on the selection set."""
    best = snapshot.best.candidate if snapshot.best else None
    if snapshot.is_live or snapshot.is_past or best is None or best.selection_cost is None:
        return ""
    chosen_on = snapshot.chosen_on or "selection"
    return f"best {best.id} {number(best.cost)}, on {chosen_on} {number(best.selection_cost)}"


def _reflection(snapshot: Snapshot) -> str:
    if snapshot.reflecting is None:
        return ""
    return f"reflection {max(0, int(snapshot.now - snapshot.reflecting))} s"


def _best_cost(snapshot: Snapshot) -> float | None:
    best = snapshot.best.candidate if snapshot.best else None
    return best.cost if best else None


def describe_teacher(
    teacher: TeacherStanding | None, words: Sequence[str], best: float | None
) -> list[str]:
    """What the teacher reaches itself, beside the `best` program; whether its advice is used."""
    beside = "" if best is None else f", best program {number(best)}"
    alone = []
    if teacher and teacher.cost is not None:
        alone = [f"the teacher itself {number(teacher.cost)}{beside}"]
    return [" ".join(clean(part).split()) for part in (*alone, *words)]


def _tokens(snapshot: Snapshot) -> str:
    used = snapshot.totals
    return f"tokens {used.tokens_in:,} in, {used.tokens_out:,} out"


def _work(snapshot: Snapshot) -> str:
    used = snapshot.totals
    return f"evaluations {used.evaluations}   {used.cpu:.1f} CPU s, teacher {used.teacher:.1f}"
