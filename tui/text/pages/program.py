"""One program of a run as a page: idea, code, figures, cases, prompt and reply."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from tui.text.formatting import (
    format_advice,
    format_outcome,
    format_pace,
    format_preferences,
    format_real,
    number,
    short_writer,
)
from tui.text.pages.diagnose import format_case
from tui.text.pages.tune import page_constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.records import Exchange
    from engine.domain.values import Candidate, Case

WIDTH = 99
INDENT = "    "


def page_program(
    candidate: Candidate,
    parents: Sequence[Candidate],
    exchanges: Sequence[Exchange],
    speed: str = "",
) -> str:
    """Everything that is known of a program; `exchanges` are the calls that made it.

    `speed` says whether it is compiled.
    """
    sections = [
        _page_head(candidate, parents, speed),
        candidate.program.code.rstrip(),
        page_constants(candidate.tuning.constants) if candidate.tuning else "",
        _page_diagnostics(candidate),
        *(_page_exchange(exchange) for exchange in exchanges),
    ]
    return "\n\n".join(section for section in sections if section)


def _page_head(candidate: Candidate, parents: Sequence[Candidate], speed: str) -> str:
    writer = f", written by {short_writer(candidate.writer)}" if candidate.writer else ""
    lines = [
        f"{candidate.id}: operator {candidate.operator}, generation {candidate.generation}, "
        f"slot {candidate.slot}{writer}",
        format_outcome(candidate),
        *filter(None, [format_pace(candidate), speed]),
        *(f"parent {parent.id}: {format_outcome(parent)}" for parent in parents),
    ]
    if candidate.program.idea:
        lines.append(candidate.program.idea)
    return "\n".join(lines)


def _page_diagnostics(candidate: Candidate) -> str:
    d = candidate.diagnostics
    if d is None:
        return ""
    figures = f"{format_preferences(d)} ({d.tied} tied, {d.dropped} dropped)"
    more = filter(None, [format_real(d), format_advice(d.advice)])
    return "\n".join([figures, *more, *map(_format_case, d.cases)])


def _format_case(case: Case) -> str:
    """The program's and the teacher's choice; below, the fields in which they differ."""
    preferred = dict(case.preferred_fields)
    fields = ", ".join(
        f"{name} {number(value)} | {number(preferred.get(name))}"
        for name, value in case.chosen_fields
        if value != preferred.get(name)
    )
    return "\n".join(
        [format_case(case), *wrap(fields, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)]
    )


def _page_exchange(exchange: Exchange) -> str:
    call = exchange.call
    asked = "\n\n".join(f"[{m.role}]\n{m.content.rstrip()}" for m in exchange.request.messages)
    answer = call.error or NOTHING if call.reply is None else call.reply.text.rstrip()
    rule = "-" * 20
    title = f"{rule} prompt ({exchange.request.role}, attempt {call.key.attempt}) {rule}"
    return f"{title}\n{asked}\n\n{rule} reply {rule}\n{answer}"
