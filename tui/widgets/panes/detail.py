"""The selected program in a few lines: what it costs, and what the teacher says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from engine.search.methods.operators import OPERATORS
from tui.text.formatting import number, share
from tui.widgets.frame.titles import retitle

if TYPE_CHECKING:
    from engine.domain.values import Candidate, Diagnostics
    from engine.monitor.members import Member
    from engine.monitor.snapshot import Snapshot


class DetailPane(Static):
    """Operator, parents, cost, agreement beside chance and standard error, the idea."""

    can_focus = False

    def show(self, snapshot: Snapshot, member: Member | None, objective: float | None) -> None:
        """Show a member; `objective` is its cost in the natural sense where that differs."""
        told = describe(snapshot, member, objective) if member else Content("no program yet")
        if str(told) != str(self.content):
            retitle(self, member.id or "a child under way" if member else "program")
            self.update(told, layout=False)


def describe(snapshot: Snapshot, member: Member, objective: float | None) -> Content:
    """The member in words."""
    lines = [_head(member), _price(snapshot, member, objective)]
    candidate = member.candidate
    if candidate is not None and candidate.diagnostics is not None:
        lines += _comment(candidate.diagnostics)
    elif member.agreement is not None:
        lines.append(Content(f"agreement {share(member.agreement)}; ± and chance follow"))
    if candidate is not None:
        lines += _tell(candidate)
    return Content("\n").join(lines)


def _head(member: Member) -> Content:
    operator = OPERATORS.get(member.operator)
    title = f" {operator.title}" if operator else ""
    parents = f" of {' + '.join(member.parents)}" if member.parents else ""
    return Content(f"gen {member.generation}  {member.operator}{title}{parents}")


def _price(snapshot: Snapshot, member: Member, objective: float | None) -> Content:
    if member.cost is None:
        return Content(member.child.format_stage(snapshot.now) if member.child else "no cost")
    natural = f"  objective {number(objective)}" if objective is not None else ""
    return Content(
        f"cost {number(member.cost)}{natural}{_compare(member.cost, member, snapshot.best)}"
    )


def _compare(cost: float, member: Member, best: Member | None) -> str:
    if best is None or not best.cost:
        return ""
    if best.id == member.id:
        return "  the best"
    return f"  {(cost - best.cost) / abs(best.cost):+.2%} on {best.id}"


def _comment(d: Diagnostics) -> list[Content]:
    return [
        Content.assemble(
            ("agreement ", ""),
            (f"{share(d.agreement)} ± {share(d.stderr)}", "bold"),
            f"  chance {share(d.chance)}",
        ),
        Content(
            f"value {share(d.value)}  percentile {share(d.percentile)}  "
            f"{d.states} states, {d.tied} tied"
        ),
    ]


def _tell(candidate: Candidate) -> list[Content]:
    failure = candidate.failure
    failed = (
        Content.styled(f"✗ {failure.kind}: {failure.message}", "$text-error") if failure else None
    )
    idea = Content(candidate.program.idea)
    return [line for line in (failed, idea) if line]
