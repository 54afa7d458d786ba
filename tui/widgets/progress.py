"""Lines about a run: its header, the latest best program, how far it is, the time left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from engine.domain.text.figures import digits, dollars
from engine.domain.text.plain_text import clean
from engine.monitor.history import Change
from engine.monitor.snapshot import Snapshot
from engine.monitor.teacher_standing import TeacherStanding
from tui.text.formatting import SURE, clock, duration, number, status_colour, status_label
from tui.text.settings import title


class SnapshotText(Static):
    """A subclass writes the text in `write`; the same text again paints nothing."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """The text for a width in cells."""
        raise NotImplementedError

    def show(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        text = self.write(snapshot, self.size.width or self.app.size.width)
        if str(text) != str(self.content):
            self.update(text, layout=False)

    def on_resize(self, _: Resize) -> None:
        if self._snapshot is not None:
            self.show(self._snapshot)


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


class ChangeLine(SnapshotText):
    """One line; it stands out while the change is that of the last closed generation."""

    def write(self, snapshot: Snapshot, width: int) -> Content:
        """As much of it as a width in cells holds."""
        change = snapshot.change
        if change is None:
            return Content(" no program has survived yet")
        news = change.generation == snapshot.closed and change.old is not None
        return Content.styled(
            f" {describe_change(change, width - 2)}", "bold $text-success" * news
        )


def describe_change(change: Change, width: int) -> str:
    """The change in words; what matters least is left out until it fits, its head never."""
    parts = _change_parts(change)
    for least in range(len(parts), 0, -1):
        text = "".join(text for rank, text in parts if rank < least)
        if cell_len(text) <= width:
            return text
    return next(text for rank, text in parts if rank == 0)


def _change_parts(change: Change) -> list[tuple[int, str]]:
    """The parts of the sentence in their order, each with its rank, 0 for what matters most."""
    new, gain = change.new, change.gain
    head = (
        f"chosen on {change.chosen_on}" if change.chosen_on else f"since gen {change.generation}"
    )
    cost = f", {number(new.selection_cost)} there" if change.chosen_on else ""
    better = "" if gain is None else f", better on {gain.better} of {gain.count}"
    parents = f" of {' + '.join(new.parents)}" if new.parents else ""
    parts = [
        (0, f"★ {new.id} best, {head}"),
        (2, f", by {new.operator}{parents}" if new.generation else ", a seed"),
        (4, f"{cost}, cost {number(new.cost)}"),
        (1, _compare_with_old(change)),
        (3, better),
    ]
    return [(rank, clean(text)) for rank, text in parts]


def _compare_with_old(change: Change) -> str:
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
        asked = snapshot.reflecting
        best = snapshot.best.candidate.cost if snapshot.best and snapshot.best.candidate else None
        extra = [
            "" if asked is None else f"reflection {max(0, int(snapshot.now - asked))} s",
            *describe_teacher(snapshot.teacher, snapshot.teacher_words, best),
            describe_last_gain(snapshot),
            _rate(snapshot),
        ]
        extra += [_tokens(snapshot), _work(snapshot)]
        if self.size.height <= 1:
            return Content(_join([*parts, _rate(snapshot)], width)[0])
        first, left = _join(parts, width)
        second, _ = _join([*left[:1], *extra, *left[1:]], width)
        return Content(f"{first}\n{second}")


def bar(done: float, whole: float, cells: int = BAR) -> str:
    """A bar, filled by a share."""
    filled = round(cells * min(1.0, done / whole)) if whole else 0
    return "█" * filled + "░" * (cells - filled)


def _join(parts: Sequence[str], width: int) -> tuple[str, list[str]]:
    """As many parts as the line holds, in their order, and those that it does not hold."""
    line = ""
    left = []
    for part in filter(None, parts):
        longer = f"{line}   {part}" if line else f" {part}"
        if len(longer) <= width:
            line = longer
        else:
            left.append(part)
    return line, left


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
        return _first_programs("seeds" if seeds else "first programs", snapshot)
    if _is_goal(snapshot, "children"):
        return ""
    done = snapshot.children_done
    return f"children {bar(done, snapshot.children, SMALL)} {done}/{snapshot.children}"


def _first_programs(name: str, snapshot: Snapshot) -> str:
    """`seeds 8/8 evaluated, teacher 3/8, about 20 s`: how far those are that a run begins with."""
    first = [m.child for m in snapshot.members if m.child is not None]
    if not first:
        return f"{name} in progress"
    evaluated = sum(c.cost is not None or c.is_done for c in first)
    done = sum(c.is_done for c in first)
    told = f"{name} {evaluated}/{len(first)} evaluated"
    if any(c.stage == "diagnosing" or c.agreement is not None for c in first):
        told += f", teacher {done}/{len(first)}"
    if 0 < done < len(first):
        told += f", about {duration(snapshot.row.seconds * (len(first) - done) / done)}"
    return told


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
    most = f" (at most {dollars(used.usd)})" if used.maybe_usd >= CENT else ""
    spent = f"{dollars(used.usd - used.maybe_usd)}{most}"
    if cap is None:
        return f"{spent}{unknown}"
    return f"usd {bar(used.usd, cap, SMALL)} {spent} of {dollars(cap)}{unknown}"


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


def describe_last_gain(snapshot: Snapshot) -> str:
    """`last gain 14 calls, $0.28 ago`: what was paid since a program beat all before."""
    by_call = snapshot.curves.get("call")
    if by_call is None or not by_call.best:
        return ""
    calls = snapshot.totals.calls - int(by_call.best[-1][0])
    by_dollar = snapshot.curves.get("dollar")
    paid = ""
    if by_dollar is not None and by_dollar.best and snapshot.totals.usd:
        paid = f", {dollars(max(0.0, snapshot.totals.usd - by_dollar.best[-1][0]))}"
    told = f"last gain {calls} call{'s' * (calls != 1)}{paid} ago"
    return told if calls > 0 and not snapshot.is_past else ""


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
