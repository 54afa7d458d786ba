"""A program and a run at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.content import Content
from textual.widgets import Static

from engine.domain.names import command
from engine.domain.values import Candidate
from engine.monitor import OPERATORS
from engine.monitor.members import Member
from engine.monitor.run_summary import RunEntry
from engine.monitor.snapshot import Snapshot
from tui.text.formatting import (
    clock,
    format_advice,
    format_agreement,
    format_outcome,
    format_pace,
    format_preferences,
    join,
    number,
    share,
    short_writer,
    status_colour,
    status_label,
)
from tui.text.pages.result import warn_of_limit
from tui.text.settings import format_settings, title
from tui.widgets.code import number_lines
from tui.widgets.frame import retitle


class DetailPane(Static):
    """Operator, parents, cost, agreement beside chance and standard error, the idea."""

    can_focus = False

    def show(self, snapshot: Snapshot, member: Member | None, objective: float | None) -> None:
        """Show a member; `objective` is its cost in the natural sense where that differs."""
        text = (
            describe_member(snapshot, member, objective) if member else Content("no program yet")
        )
        if str(text) != str(self.content):
            retitle(self, member.id or "child in progress" if member else "program")
            self.update(text, layout=False)


def describe_member(snapshot: Snapshot, member: Member, objective: float | None) -> Content:
    """The member in words."""
    origin = format_origin(member.operator, member.parents)
    writer = member.candidate.writer if member.candidate else ""
    several = writer and len(snapshot.row.spec.writers) > 1
    by = f", by {short_writer(writer)}" if several else ""
    lines = [Content(f"gen {member.generation}  {origin}{by}")]
    lines.append(Content.styled(_format_cost(snapshot, member, objective), "bold"))
    if member.candidate is not None:
        lines += _describe_candidate(member.candidate)
        limit = snapshot.row.spec.settings.eval_seconds
        if warning := warn_of_limit(member.candidate, limit):
            lines.append(Content.styled(warning, "$text-warning"))
    elif member.agreement is not None:
        lines.append(Content(f"agreement {share(member.agreement)}; ± and chance follow"))
    return Content("\n").join(lines)


def _format_cost(snapshot: Snapshot, member: Member, objective: float | None) -> str:
    if member.cost is None:
        return member.child.format_stage(snapshot.now) if member.child else "no cost"
    natural = f"  objective {number(objective)}" if objective is not None else ""
    last = member.candidate.selection_cost if member.candidate else None
    selection = "" if last is None else f"  {snapshot.chosen_on or 'selection'} {number(last)}"
    compared = _compare_with_best(member.cost, member, snapshot.best)
    return f"cost {number(member.cost)}{natural}{selection}{compared}"


def _compare_with_best(cost: float, member: Member, best: Member | None) -> str:
    if best is None or not best.cost:
        return ""
    if best.id == member.id:
        return "  the best"
    return f"  {(cost - best.cost) / abs(best.cost):+.2%} against {best.id}"


def _describe_candidate(candidate: Candidate) -> list[Content]:
    """The teacher's diagnostics, a failure, the idea: as much of it as there is."""
    diagnostics = candidate.diagnostics
    failure = candidate.failure
    lines = []
    if diagnostics is not None:
        real = diagnostics.real_agreement
        also = "" if real is None else f"real {share(real)}"
        lines.append(Content(join(format_agreement(diagnostics), also)))
        lines.append(Content(f"{format_preferences(diagnostics)}, {diagnostics.tied} tied"))
        if diagnostics.advice is not None:
            lines.append(Content(format_advice(diagnostics.advice)))
    if pace := format_pace(candidate):
        lines.append(Content(pace))
    if failure is not None:
        lines.append(Content.styled(f"✗ {failure.kind}: {failure.message}", "$text-error"))
    return [*lines, Content(candidate.program.idea)] if candidate.program.idea else lines


RESUMABLE = ("paused", "stopped", "budget", "interrupted")


def describe_run(entry: RunEntry, db: Path, width: int) -> Content:
    """The run in words, for the store `db`, code broken at `width` cells."""
    row = entry.row
    status = Content.styled(status_label(entry.status), f"bold {status_colour(entry.status)}")
    resume = command(f"resume {row.number}", db)
    parts = [
        Content.assemble(status, f"  {clock(row.seconds)}"),
        Content(row.reason),
        Content(title(row.spec)),
        Content("\n".join(filter(None, (join(row.label.name, *row.label.tags), row.label.note)))),
        Content(format_settings(row.spec)),
        Content(f"resume with: {resume}" if entry.status in RESUMABLE else ""),
        describe_best(entry.best, width, "best ") if entry.best else Content(""),
    ]
    return Content("\n\n").join(part for part in parts if part)


def describe_best(best: Candidate, width: int, name: str = "") -> Content:
    """A program with its figures, idea and code broken at `width` cells, named by a word."""
    head = Content.assemble((f"{name}{best.id}  ", "bold"), format_outcome(best))
    code = number_lines(best.program.code, width)
    return Content("\n\n").join([head, Content(best.program.idea), code])


def format_origin(operator: str, parents: Sequence[str]) -> str:
    """`m mechanism fusion of p0008 + p0011`; a method's own operators have no title."""
    known = OPERATORS.get(operator)
    title = f" {known.title}" if known and known.title != operator else ""
    origin = f" of {' + '.join(parents)}" if parents else ""
    return f"{operator}{title}{origin}"
