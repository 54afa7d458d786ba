"""The cases of a program: what it chose, what the teacher prefers, and the fields of both."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.text.plain_text import clean
from engine.domain.values import Case, Diagnostics
from tui.text.formatting import (
    format_advice,
    format_agreement,
    format_preferences,
    format_real,
    number,
)
from tui.text.pages.measures import format_case

if TYPE_CHECKING:
    from engine.api.measure.decision import DrawnStep


COLOURS = ("primary", "success", "warning", "error", "accent", "secondary")
"""Of the theme, by turns, for the signs in the rows of a chart."""

ROW = re.compile(r"^m\d+ +(?P<bars>\S+)$", re.MULTILINE)
BAR = re.compile(r"([0-9A-Za-z])\1*")
"""A row of a Gantt chart, `m3  00·1122`, and a stretch of one sign in it: one job's colour."""

FEW = 12
"""Signs that are marked where two pictures differ."""

GAP = 1
"""Cells between two pictures side by side: maps are 48 wide, two fit 100."""

SHARE = 0.02
"""The same as a share of all signs; where more differ, as at another scale, none is marked."""

BESIDE = 24
"""Cells of a field's line beside its name."""

SHORTEST = 8
"""Cells that a field's name has in the narrowest pane."""


def describe_cases(diagnostics: Diagnostics | None, width: int) -> Content:
    """The teacher's diagnostics, then every case with its fields, for a width in cells."""
    if diagnostics is None:
        return Content("no teacher has diagnosed this program")
    ordered = order_cases(diagnostics)
    lines = [
        "",
        format_preferences(diagnostics),
        f"{diagnostics.tied} tied, {diagnostics.dropped} dropped",
        *filter(None, [format_real(diagnostics), format_advice(diagnostics.advice)]),
    ]
    head = Content.assemble((format_agreement(diagnostics), "bold"), "\n".join(lines))
    return Content("\n\n").join([head, *(_describe_case(case, width) for case in ordered)])


def order_cases(diagnostics: Diagnostics | None) -> list[Case]:
    """Disagreements first, those whose advice helps most, then those of the highest regret."""
    found = diagnostics.cases if diagnostics else ()
    return sorted(found, key=lambda c: (c.chosen == c.preferred, -(c.gain or 0.0), -c.regret))


def describe_drawn_case(case: Case, pictures: Sequence[str], width: int) -> Content:
    """A case in words, the state after the program's choice and the teacher's, then its fields.

    The two stand beside each other where the width in cells holds both. A lone picture is shown
    as it is: what is being done, or why there are none.
    """
    words = _head_case(case, width)
    fields = Content("\n").join(_describe_fields(case, width))
    if len(pictures) == 1:
        return Content("\n\n").join([words, _colour(clean(pictures[0])), fields])
    chosen, preferred = map(clean, pictures)
    drawn = (
        _head(f"after the program's choice, {case.chosen}") + _mark(chosen, preferred),
        _head(f"after the teacher's choice, {case.preferred}") + _mark(preferred, chosen),
    )
    return Content("\n\n").join([words, *_place(*drawn, width), fields])


def describe_step(drawn: DrawnStep, case: Case | None, width: int) -> Content:
    """A step of a rollout: the choice with its fields, the state before it and after it.

    `case` is what the teacher says of the state, where it was asked. Where the two pictures do not
    stand beside each other, the one after the choice comes first: who steps on watches it.
    """
    if not drawn.actions:
        return Content("\n\n").join([_list_fields(drawn.fields), _colour(clean(drawn.after))])
    among = f"one of {drawn.actions} actions" if drawn.actions > 1 else "the only action"
    taken = Content.styled(f"takes {drawn.action}, {among}", "bold")
    before, after = clean(drawn.before), clean(drawn.after)
    pictures = (_head("before") + _colour(before), _head("after") + _mark(after, before))
    placed = _place(*pictures, width)
    told = _describe_case(case, width) if case else _list_fields(drawn.fields)
    beside = len(placed) == 1
    parts = [taken, told, *placed] if beside else [taken, *reversed(placed), told]
    return Content("\n\n").join(part for part in parts if part)


def _list_fields(fields: Sequence[tuple[str, float]]) -> Content:
    """A line for each field of a lone choice."""
    width = max((len(name) for name, _ in fields), default=0)
    return Content("\n".join(f"  {clean(name):<{width}} {number(v):>9}" for name, v in fields))


def _place(left: Content, right: Content, width: int) -> list[Content]:
    """Two pictures as one, side by side, where a width in cells holds both."""
    rows, others = (one.split("\n", allow_blank=True) for one in (left, right))
    half = max(row.cell_length for row in rows) + GAP
    if half + max(row.cell_length for row in others) > width:
        return [left, right]
    pairs = zip_longest(rows, others, fillvalue=Content(""))
    return [Content("\n").join(a.truncate(half, pad=True) + b for a, b in pairs)]


def _head(text: str) -> Content:
    return Content.styled(f"{text}\n", "bold $text-accent")


def _colour(picture: str) -> Content:
    """A picture; in the rows of a Gantt chart every sign has a colour of its job."""
    coloured = Content(picture)
    for row in ROW.finditer(picture):
        for bar in BAR.finditer(picture, *row.span("bars")):
            colour = COLOURS[int(bar[1], 36) % len(COLOURS)]
            coloured = coloured.stylize(f"$text-{colour}", *bar.span())
    return coloured


def _mark(picture: str, other: str) -> Content:
    """A picture; the signs in which it differs from another stand out where they are few."""
    marked = _colour(picture)
    places = _differences(picture.split("\n"), other.split("\n"))
    if len(places) > max(FEW, SHARE * len(picture)):
        return marked
    for place in places:
        marked = marked.stylize("bold reverse", place, place + 1)
    return marked


def _differences(rows: Sequence[str], others: Sequence[str]) -> list[int]:
    """Where signs of a picture are not those of another, as places in its text."""
    places = []
    begin = 0
    for row, old in zip_longest(rows, others[: len(rows)], fillvalue=""):
        places += [begin + k for k, sign in enumerate(row) if old[k : k + 1] != sign]
        begin += len(row) + 1
    return places


def count_disagreements(diagnostics: Diagnostics | None) -> int:
    """Cases in which program and teacher disagree."""
    cases = diagnostics.cases if diagnostics else ()
    return sum(case.chosen != case.preferred for case in cases)


def _describe_case(case: Case, width: int) -> Content:
    return Content("\n").join([_head_case(case, width), *_describe_fields(case, width)])


def _head_case(case: Case, width: int) -> Content:
    agree = case.chosen == case.preferred
    label, colour = ("✓ agree", "$text-success") if agree else ("≠ differ", "$text-warning")
    told = "\n".join(textwrap.wrap(format_case(case), max(width, SHORTEST)))
    return Content.assemble((label, f"bold {colour}"), f"  {case.phase:.0%} of the way\n{told}")


def _describe_fields(case: Case, width: int) -> list[Content]:
    """A line for each field, those in which the two actions differ marked; long names are cut."""
    preferred = dict(case.preferred_fields)
    longest = max((len(name) for name, _ in case.chosen_fields), default=0)
    room = min(longest, max(SHORTEST, width - BESIDE))
    lines = []
    for name, value in case.chosen_fields:
        other = preferred.get(name)
        mark = "≠" if value != other else " "
        fitted = name if len(name) <= room else f"{name[: room - 1]}…"
        text = f"  {fitted:<{room}} {number(value):>9} {mark} {number(other):>9}"
        lines.append(Content.styled(text, "" if value != other else "$foreground 50%"))
    return lines
