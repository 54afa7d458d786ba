"""Runs side by side as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.curves import CLOCKS
from engine.details import itemise
from tui.documents import describe_best
from tui.ending import natural
from tui.lineup import compare_winners
from tui.pages.chart import chart_dynamics, chart_points, sign
from tui.words import NOTHING, number, share, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.statistics import Spread
    from engine.tables import Table
    from tui.lineup import Difference, Lineup, Side

    Document = dict[str, Any]

WIDTH, HEIGHT = 78, 12
"""Cells of a chart on a plain terminal."""

_SIDES = (
    *("", "name", "runs", "best cost", "±", "agreement", "calls", "children", "tokens"),
    *("evaluations", "seconds", "µs/decision"),
)


def page_lineup(lineup: Lineup) -> str:
    """Everything but the tables of studies."""
    sections = [
        page_sides(lineup),
        page_differences(lineup),
        *page_charts(lineup, WIDTH, HEIGHT),
        page_yields(lineup),
        page_failures(lineup),
        page_winners(lineup),
    ]
    return "\n\n".join(section for section in sections if section)


def page_sides(lineup: Lineup) -> str:
    """A line a side, what it reached and what it used; warnings below."""
    rows = [_side_cells(sign(index), side) for index, side in enumerate(lineup.sides)]
    return "\n".join([table(_SIDES, rows), *lineup.warnings])


def page_facts(lineup: Lineup) -> str:
    """The same upright, a column a side, for a narrow place."""
    cells = [_side_cells(sign(index), side) for index, side in enumerate(lineup.sides)]
    rows = list(zip(_SIDES, *cells, strict=True))[2:]
    return table(("", *_signs(lineup)), rows)


def page_differences(lineup: Lineup) -> str:
    """The settings that differ, a column a side; empty where none does."""
    rows = [(d.name, *map(_word, d.values)) for d in lineup.differences]
    return table(("setting", *_signs(lineup)), rows) if rows else ""


def page_charts(lineup: Lineup, width: int, height: int) -> list[str]:
    """The dynamics and the fronts of every problem, drawn in letters."""
    charts = []
    for problem in lineup.problems:
        series = {
            sign(index): side.series
            for index, side in enumerate(lineup.sides)
            if side.problem == problem
        }
        drawn = [chart_dynamics(series, clock, width, height) for clock in CLOCKS]
        legend = "  ".join(f"{letter} {one.name}" for letter, one in series.items())
        drawn += [chart_points(series, width, height)]
        charts += [f"{chart}\n{legend}" for chart in drawn if chart]
    return charts


def page_yields(lineup: Lineup) -> str:
    """What became of every operator's children."""
    head = ("", "operator", "children", "valid", "kept", "best cost")
    rows = [
        (sign(index), y.operator, *map(str, (y.children, y.valid, y.kept)), number(y.best))
        for index, side in enumerate(lineup.sides)
        for y in side.yields
    ]
    return table(head, rows)


def page_failures(lineup: Lineup) -> str:
    """How many children died of what, a column a side."""
    kinds = dict.fromkeys(kind for side in lineup.sides for kind, _ in side.failures)
    counts = [dict(side.failures) for side in lineup.sides]
    rows = [(kind, *(str(count.get(kind, 0)) for count in counts)) for kind in kinds]
    return table(("died of", *_signs(lineup)), rows) if rows else "no child failed"


def page_winners(lineup: Lineup) -> str:
    """What differs between the best programs."""
    return "\n\n".join(
        diff or f"{one.name} and {other.name} have the same best program"
        for one, other, diff in compare_winners(lineup)
    )


def describe_lineup(lineup: Lineup, tables: Sequence[Table]) -> Document:
    """`compare --json`."""
    return {
        "sides": [_describe_side(side) for side in lineup.sides],
        "settings": [_describe_difference(one) for one in lineup.differences],
        "winners": [
            {"from": one.name, "to": other.name, "diff": diff}
            for one, other, diff in compare_winners(lineup)
        ],
        "warnings": list(lineup.warnings),
        "tables": [_describe_table(table) for table in tables],
    }


def _side_cells(letter: str, side: Side) -> tuple[str, ...]:
    bill, cost, agreement = side.bill, side.cost, side.agreement
    used = (bill.mean(name) for name in ("calls", "children", "tokens", "evaluations", "seconds"))
    return (
        letter,
        side.name,
        str(len(side.rows)),
        number(cost.mean if cost else None),
        number(cost.deviation) if cost and cost.count > 1 else NOTHING,
        share(agreement.mean if agreement else None),
        *map(number, used),
        number(bill.mean("work")),
    )


def _signs(lineup: Lineup) -> list[str]:
    return [f"{sign(index)} {side.name}" for index, side in enumerate(lineup.sides)]


def _word(value: object) -> str:
    return NOTHING if value in (None, "") else str(value)


def _describe_side(side: Side) -> Document:
    return {
        "name": side.name,
        "study": side.study,
        "problem": side.problem,
        "method": side.rows[0].spec.method,
        "runs": [row.number for row in side.rows],
        "seeds": [row.spec.seed for row in side.rows],
        "best": _describe_winner(side),
        "cost": _describe_spread(side.cost),
        "agreement": _describe_spread(side.agreement),
        "operators": [asdict(one) for one in side.yields],
        "failures": dict(side.failures),
        "used": [asdict(expense) for expense in side.bill.runs],
        "curves": {
            clock: [asdict(moment) for moment in side.series.dynamics[clock]] for clock in CLOCKS
        },
        "fronts": [[list(point) for point in front] for front in side.series.fronts],
    }


def _describe_winner(side: Side) -> Document | None:
    best, run = side.best, next((r for r in side.rows if r.number == side.best_run), None)
    if best is None or run is None:
        return None
    return {"run": run.number, **describe_best(best, natural(run, best.cost))}


def _describe_spread(spread: Spread | None) -> Document | None:
    return None if spread is None else asdict(spread)


def _describe_difference(one: Difference) -> Document:
    return {"name": one.name, "values": list(one.values)}


def _describe_table(table: Table) -> Document:
    return {
        "name": table.shape.name,
        "title": table.shape.title,
        "problem": table.shape.problem,
        "minimised": table.minimised,
        "notes": list(table.notes),
        "rows": [asdict(detail) for detail in itemise(table)],
    }
