"""The JSON of `preceptor bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.text.formatting import in_milliseconds

if TYPE_CHECKING:
    from engine.api.measure.bench import BenchRow, BenchTable


def describe_table(found: BenchTable) -> dict[str, Any]:
    """One entry of `bench --json` (design 10)."""
    return {
        "problem": found.problem,
        "set": found.set,
        "instances": found.instances,
        "best_known_by": found.known_by or None,
        "rows": [_describe_row(row) for row in found.rows],
    }


def _describe_row(row: BenchRow) -> dict[str, Any]:
    failure = row.failure
    failures = [] if failure is None else [{"kind": failure.kind, "message": failure.message}]
    return {
        "solver": row.solver,
        "kind": row.kind,
        "mean": row.mean,
        "solved": row.solved,
        "partial_mean": row.partial_mean,
        "seconds": row.seconds,
        "milliseconds": in_milliseconds(row.pace),
        "costs": list(row.costs),
        "better_than_known": row.ahead,
        "failures": failures,
    }
