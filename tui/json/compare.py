"""The JSON of `preceptor compare`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.monitor.run_result import natural_objective
from engine.monitor.timeline import CLOCKS
from engine.report.layouts import itemise
from engine.report.side_by_side import compare_winners
from tui.json.runs import describe_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.report.side_by_side import ComparedGroup, Comparison, Difference
    from engine.report.statistics import Spread
    from engine.report.tables import ResultTable
    from tui.json.runs import Document


def describe_comparison(comparison: Comparison, tables: Sequence[ResultTable]) -> Document:
    """`compare --json`."""
    return {
        "sides": [_describe_side(side) for side in comparison.groups],
        "settings": [_describe_difference(one) for one in comparison.differences],
        "winners": [
            {"from": one.name, "to": other.name, "diff": diff}
            for one, other, diff in compare_winners(comparison)
        ],
        "warnings": list(comparison.warnings),
        "tables": [_describe_table(table) for table in tables],
    }


def _describe_side(side: ComparedGroup) -> Document:
    return {
        "name": side.name,
        "study": side.study,
        "problem": side.problem.name,
        "method": side.rows[0].spec.method,
        "runs": [row.number for row in side.rows],
        "seeds": [row.spec.seed for row in side.rows],
        "best": _describe_winner(side),
        "cost": _describe_spread(side.cost),
        "agreement": _describe_spread(side.agreement),
        "operators": [asdict(one) for one in side.yields],
        "failures": dict(side.failures),
        "used": [asdict(expense) for expense in side.spent.runs],
        "curves": {
            clock: [asdict(moment) for moment in side.series.dynamics[clock]] for clock in CLOCKS
        },
        "fronts": [[list(point) for point in front] for front in side.series.fronts],
        "teacher_worth": [asdict(row) for row in side.worth],
    }


def _describe_winner(side: ComparedGroup) -> Document | None:
    best = side.best
    run = next((row for row in side.rows if row.number == side.best_run), None)
    if best is None or run is None:
        return None
    return {"run": run.number, **describe_best(best, natural_objective(run, best.cost))}


def _describe_spread(spread: Spread | None) -> Document | None:
    return None if spread is None else asdict(spread)


def _describe_difference(one: Difference) -> Document:
    return {"name": one.name, "values": list(one.values)}


def _describe_table(table: ResultTable) -> Document:
    return {
        "name": table.shape.name,
        "title": table.shape.title,
        "problem": table.shape.problem,
        "minimised": table.minimised,
        "notes": list(table.notes),
        "rows": [asdict(detail) for detail in itemise(table)],
    }
