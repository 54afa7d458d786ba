"""Benchmark tables: the solvers on one instance set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from tui.text.formatting import number, table

if TYPE_CHECKING:
    from engine.api.measure.bench import BenchRow, BenchTable

HEAD = ("solver", "kind", "mean", "ms each", "solved")


def page_table(found: BenchTable) -> str:
    """One set: what it is, a line a solver (mean objective, time an instance), failures."""
    cells = [
        (row.solver, row.kind, number(row.mean), _milliseconds(row), str(row.solved))
        for row in found.rows
    ]
    failures = [
        f"{row.solver} failed: {row.failure.kind}, {row.failure.message}"
        for row in found.rows
        if row.failure is not None
    ]
    return "\n".join([_title(found), table(HEAD, cells), *failures])


def _title(found: BenchTable) -> str:
    described = found.described
    if described is None:
        return f"{found.set}: {found.instances} instances"
    whose = "own design set" if described.design else f"identity {described.identity}"
    return f"{found.set}: {described.about} ({found.instances} instances, {whose})"


def _milliseconds(row: BenchRow) -> str:
    return NOTHING if row.seconds is None else f"{1000 * row.seconds:.2f}"
