"""Benchmark tables: the solvers on one instance set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from engine.domain.records import BEST_KNOWN
from tui.text.formatting import milliseconds, number, table

if TYPE_CHECKING:
    from engine.api.measure.bench import BenchRow, BenchTable
    from engine.domain.values import Failure

HEAD = ("solver", "kind", "mean", "ms each", "ms a decision", "solved")


def page_table(found: BenchTable) -> str:
    """One set: what it is, a line a solver (mean objective, times), failures."""
    cells = [
        (
            row.solver,
            row.kind,
            number(row.mean),
            _milliseconds(row),
            milliseconds(row.pace),
            str(row.solved),
        )
        for row in found.rows
    ]
    failures = [_format_failure(row, row.failure) for row in found.rows if row.failure is not None]
    source = [f"{BEST_KNOWN}: {found.known_by}"] if found.known_by else []
    remarks = [_remark(row) for row in found.rows if row.ahead]
    return "\n".join([_title(found), table(HEAD, cells), *source, *remarks, *failures])


def _remark(row: BenchRow) -> str:
    """A solver that is better than what is best known: something is not as it seems."""
    return (
        f"{row.solver} is better than the best known on {row.ahead} of {len(row.costs)} "
        "instances: the reference is not optimal, or the problem solved lacks a constraint of it"
    )


def _format_failure(row: BenchRow, failure: Failure) -> str:
    """Why a solver failed, and what it had reached by then."""
    mean = row.partial_mean
    reached = "" if mean is None else f"{row.solved} of {len(row.costs)}, mean {number(mean)}; "
    return f"{row.solver} failed: {reached}{failure.kind}, {failure.message}"


def _title(found: BenchTable) -> str:
    described = found.described
    if described is None:
        return f"{found.set}: {found.instances} instances"
    whose = "own design set" if described.design else f"identity {described.identity}"
    return f"{found.set}: {described.about} ({found.instances} instances, {whose})"


def _milliseconds(row: BenchRow) -> str:
    return NOTHING if row.seconds is None else f"{1000 * row.seconds:.2f}"
