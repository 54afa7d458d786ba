"""The cases of a program: what it chose, what the teacher prefers, and the fields of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.text.formatting import format_advice, format_agreement, format_preferences, number
from tui.text.pages.diagnose import format_case

if TYPE_CHECKING:
    from engine.domain.values import Case, Diagnostics


def describe(diagnostics: Diagnostics | None) -> Content:
    """The teacher's diagnostics, then every case with its fields.

    Cases whose advice helps most come first, those of the highest regret where none was tried.
    """
    if diagnostics is None:
        return Content("no teacher has diagnosed this program")
    ordered = sorted(diagnostics.cases, key=lambda case: (-(case.gain or 0.0), -case.regret))
    advice = format_advice(diagnostics.advice)
    head = Content.assemble(
        (format_agreement(diagnostics), "bold"),
        f"\n{format_preferences(diagnostics)}\n"
        f"{diagnostics.tied} tied, {diagnostics.dropped} dropped" + (advice and f"\n{advice}"),
    )
    return Content("\n\n").join([head, *(_describe_case(case) for case in ordered)])


def count(diagnostics: Diagnostics | None) -> int:
    """Cases in which program and teacher disagree."""
    cases = diagnostics.cases if diagnostics else ()
    return sum(case.chosen != case.preferred for case in cases)


def _describe_case(case: Case) -> Content:
    agree = case.chosen == case.preferred
    label, colour = ("✓ agree", "$text-success") if agree else ("≠ differ", "$text-warning")
    head = Content.assemble(
        (label, f"bold {colour}"), f"  {case.phase:.0%} of the way\n{format_case(case)}"
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
