"""The telling states of a program: what it did, what the teacher prefers, and their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.text.formatting import number, share

if TYPE_CHECKING:
    from engine.domain.values import Case, Diagnostics


def describe(diagnostics: Diagnostics | None) -> Content:
    """The teacher's comments, then every case with its fields, disagreements first."""
    if diagnostics is None:
        return Content("no teacher has commented on this program")
    ordered = sorted(diagnostics.cases, key=lambda case: -case.regret)
    blocks = [_comment(diagnostics), *(_describe_case(case) for case in ordered)]
    return Content("\n\n").join(blocks)


def count(diagnostics: Diagnostics | None) -> int:
    """Cases in which program and teacher disagree."""
    cases = diagnostics.cases if diagnostics else ()
    return sum(case.chosen != case.preferred for case in cases)


def _comment(d: Diagnostics) -> Content:
    return Content.assemble(
        ("agreement ", ""),
        (f"{share(d.agreement)} ± {share(d.stderr)}", "bold"),
        f"  chance {share(d.chance)}\nvalue {share(d.value)}  percentile {share(d.percentile)}\n"
        f"{d.states} states, {d.tied} tied, {d.dropped} dropped",
    )


def _describe_case(case: Case) -> Content:
    agree = case.chosen == case.preferred
    sign, style = ("✓ agree", "$text-success") if agree else ("≠ differ", "$text-warning")
    head = Content.assemble(
        (sign, f"bold {style}"),
        f"  instance {case.instance}, step {case.step} ({case.phase:.0%})\n"
        f"takes {case.chosen}, teacher {case.preferred}, of {case.actions};"
        f" regret {share(case.regret)}",
    )
    return Content("\n").join([head, *_describe_fields(case)])


def _describe_fields(case: Case) -> list[Content]:
    """A line for each field, those in which the two actions differ marked."""
    preferred = dict(case.preferred_fields)
    width = max((len(name) for name, _ in case.chosen_fields), default=0)
    lines = []
    for name, value in case.chosen_fields:
        other = preferred.get(name)
        mark = "≠" if value != other else " "
        text = f"  {name:<{width}} {number(value):>9} {mark} {number(other):>9}"
        lines.append(Content.styled(text, "" if value != other else "$foreground 50%"))
    return lines
