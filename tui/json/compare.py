"""The JSON of `preceptor compare`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import to_builtins

from engine.monitor.run_result import natural_objective
from engine.report.layouts import itemise
from engine.report.side_by_side import ComparedGroup, Comparison, compare_winners
from engine.report.tables import ResultTable
from tui.json.runs import Document, describe_best, describe_yields, pick


def describe_comparison(comparison: Comparison, tables: Sequence[ResultTable]) -> Document:
    """`compare --json`."""
    return {
        "sides": [_describe_side(side) for side in comparison.groups],
        "settings": [pick(one, "name", "values") for one in comparison.differences],
        "winners": [
            {"from": one.name, "to": other.name, "diff": diff}
            for one, other, diff in compare_winners(comparison)
        ],
        "warnings": list(comparison.warnings),
        "tables": [
            {
                **pick(table.shape, "name", "title", "problem"),
                **pick(table, "minimised", "notes"),
                "rows": to_builtins(list(itemise(table))),
            }
            for table in tables
        ],
    }


def _describe_side(side: ComparedGroup) -> Document:
    names = {"curves": "series.dynamics", "fronts": "series.fronts", "used": "spent.runs"}
    return {
        **pick(side, "name", "study", "cost", "agreement", problem="problem.name", **names),
        **pick(side, teacher_worth="worth"),
        "operators": describe_yields("operator", side.yields),
        "method": side.rows[0].spec.method,
        "runs": [row.number for row in side.rows],
        "seeds": [row.spec.seed for row in side.rows],
        "best": _describe_winner(side),
        "failures": dict(side.failures),
    }


def _describe_winner(side: ComparedGroup) -> Document | None:
    best = side.best
    run = next((row for row in side.rows if row.number == side.best_run), None)
    if best is None or run is None:
        return None
    return {"run": run.number, **describe_best(best, natural_objective(run, best.cost))}
