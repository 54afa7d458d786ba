"""Runs side by side: settings, results, charts, operators, failures, winners."""

from __future__ import annotations

from typing import Any

from engine.domain.names import NOTHING
from engine.monitor.timeline import CLOCKS
from engine.report.side_by_side import ComparedGroup, Comparison, compare_winners
from engine.report.statistics import Spread
from tui.text.chart import chart_dynamics, chart_points, sign
from tui.text.formatting import number, share, table
from tui.text.pages.run import YIELDS, yield_cells
from tui.text.streams import line_width

Document = dict[str, Any]

WIDTH = 78
HEIGHT = 12
"""Cells of a chart on a plain terminal, from left to right and from bottom to top."""

BRIEF = 6
"""Columns of yields for which a pane has room."""

_SIDES = (
    "",
    "name",
    "runs",
    "best cost",
    "±",
    "agreement",
    "calls",
    "children",
    "tokens",
    "evaluations",
    "seconds",
    "µs/decision",
)


def page_comparison(comparison: Comparison) -> str:
    """Everything but the tables of studies."""
    sections = [
        page_sides(comparison),
        page_differences(comparison),
        *page_charts(comparison, WIDTH, HEIGHT),
        page_worth(comparison),
        page_yields(comparison),
        page_failures(comparison),
        page_winners(comparison),
    ]
    return "\n\n".join(section for section in sections if section)


def page_sides(comparison: Comparison) -> str:
    """A line for each side: what it reached and what it used; warnings below."""
    rows = [_side_cells(sign(index), side) for index, side in enumerate(comparison.groups)]
    return "\n".join([table(_SIDES, rows, line_width()), *comparison.warnings])


def page_facts(comparison: Comparison) -> str:
    """The same with a column for each side, for a narrow place."""
    cells = [_side_cells(sign(index), side) for index, side in enumerate(comparison.groups)]
    rows = list(zip(_SIDES, *cells, strict=True))[2:]
    return table(("", *_signs(comparison)), rows)


def page_differences(comparison: Comparison) -> str:
    """The settings that differ, a column for each side; empty where none does."""
    rows = [(d.name, *map(_format_value, d.values)) for d in comparison.differences]
    return table(("setting", *_signs(comparison)), rows) if rows else ""


def page_charts(comparison: Comparison, width: int, height: int) -> list[str]:
    """The dynamics and the fronts of every problem, drawn in letters."""
    charts = []
    for problem in comparison.problems:
        series = {
            sign(index): side.series
            for index, side in enumerate(comparison.groups)
            if side.problem == problem
        }
        drawn = [chart_dynamics(series, clock, width, height) for clock in CLOCKS]
        legend = "  ".join(f"{letter} {one.name}" for letter, one in series.items())
        drawn += [chart_points(series, width, height)]
        charts += [f"{chart}\n{legend}" for chart in drawn if chart]
    return charts


def page_worth(comparison: Comparison) -> str:
    """How each signal of the teacher went with cost by the last generation; empty without one."""
    rows = [
        (sign(index), one.signal, f"{one.programs:.0f}", _correlation(one.all),
         _correlation(one.better))
        for index, side in enumerate(comparison.groups)
        for one in side.last_worth
    ]  # fmt: skip
    if not rows:
        return ""
    head = ("", "rank correlation with cost", "programs", "all", "better half")
    return table(head, rows) + "\nbelow 0: what the teacher prefers costs less"


def _correlation(found: Spread | None) -> str:
    if found is None:
        return NOTHING
    return f"{found.mean:+.2f}" + (f" ± {found.deviation:.2f}" if found.count > 1 else "")


def page_yields(comparison: Comparison) -> str:
    """What became of every operator's children; tokens and dollars are given for whole runs."""
    rows = [
        (sign(index), one.name, *yield_cells(one)[:BRIEF])
        for index, side in enumerate(comparison.groups)
        for one in side.yields
    ]
    return table(("", "operator", *YIELDS[:BRIEF]), rows)


def page_failures(comparison: Comparison) -> str:
    """How many children failed and how, a column for each side."""
    kinds = dict.fromkeys(kind for side in comparison.groups for kind, _ in side.failures)
    counts = [dict(side.failures) for side in comparison.groups]
    rows = [(kind, *(str(count.get(kind, 0)) for count in counts)) for kind in kinds]
    return table(("failure", *_signs(comparison)), rows) if rows else "no child failed"


def page_winners(comparison: Comparison) -> str:
    """What differs between the best programs."""
    return "\n\n".join(
        diff or f"{one.name} and {other.name} have the same best program"
        for one, other, diff in compare_winners(comparison)
    )


def _side_cells(letter: str, side: ComparedGroup) -> tuple[str, ...]:
    cost = side.cost
    agreement = side.agreement
    names = ("calls", "children", "tokens", "evaluations", "seconds", "work")
    return (
        letter,
        side.name,
        str(len(side.rows)),
        number(cost.mean if cost else None),
        number(cost.deviation) if cost and cost.count > 1 else NOTHING,
        share(agreement.mean if agreement else None),
        *(number(side.spent.mean(name)) for name in names),
    )


def _signs(comparison: Comparison) -> list[str]:
    return [f"{sign(index)} {side.name}" for index, side in enumerate(comparison.groups)]


def _format_value(value: object) -> str:
    if isinstance(value, list):
        value = ", ".join(value)
    return NOTHING if value in (None, "") else str(value)
