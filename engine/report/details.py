"""The figures of a table solver by solver, with all that can be said of each: for CSV and JSON."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from engine.report.grid import EMPTY, Grid, GridCell, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.domain.records import Kind
    from engine.report.results import Result
    from engine.report.tables import Place, ResultTable


@dataclass(frozen=True, slots=True)
class SolverDetail:
    """One solver on one set, its figures unrounded and in the natural sense.

    `identity` says how sure it is that `set` is the paper's `paper_set`; `paper` and
    `paper_seconds` are quoted; `deviation` needs two runs. `minus_ours` is the mean of its
    objectives minus those of ours, instance by instance; `p` the paired test of that, for these
    programs.
    """

    paper_set: str
    set: str
    identity: str
    solver: str
    kind: Kind
    runs: int
    instances: int
    unsolved: int
    mean: float | None
    deviation: float | None
    low: float | None
    high: float | None
    seconds: float | None
    device: str
    minus_ours: float | None
    p: float | None
    paper: float | None
    paper_seconds: float | None


NOTE = (
    "interval: 95 % bootstrap over seeds, then instances; p: paired sign-flip test over instances "
    "against {}, for these programs"
)
_HEAD = (
    *("Set", "Solver", "Mean", "±", "95 % interval", "Time (s)"),
    *("minus {}", "p (these programs)", "paper"),
)


def itemise(table: ResultTable) -> Iterator[SolverDetail]:
    """Everybody who was measured on the sets of a table, set by set, the best first."""
    for place in table.places:
        here = [one for one in table.results if one.set == place.set]
        worst = float("inf")
        sign = 1 if table.minimised else -1
        for one in sorted(here, key=lambda r: worst if r.mean is None else sign * r.mean):
            yield _detail(table, place, one)


def _detail(table: ResultTable, place: Place, one: Result) -> SolverDetail:
    column = table.column(one)
    spread, interval, versus = one.spread, one.interval, one.versus
    return SolverDetail(
        paper_set=place.line.label,
        set=place.set,
        identity=place.described.identity if place.described else "",
        solver=one.name,
        kind=one.kind,
        runs=len(one.means),
        instances=one.instances,
        unsolved=one.missing,
        mean=one.mean,
        deviation=spread.deviation if spread and spread.count > 1 else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        seconds=one.seconds,
        device=one.device,
        minus_ours=versus.mean if versus else None,
        p=one.p,
        paper=table.quoted(place, column) if column else None,
        paper_seconds=table.quoted_seconds(place, column) if column else None,
    )


def to_csv(details: Iterable[SolverDetail]) -> str:
    """One line a solver and set, below the names of the fields."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [f.name for f in fields(SolverDetail)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(detail) for detail in details)
    return text.getvalue()


def lay_out_details(table: ResultTable) -> Grid:
    """Everybody on every set with interval and test."""
    decimals = table.shape.decimals
    rows = [_row(detail, decimals) for detail in itemise(table)]
    head = tuple(word.format(table.baseline) for word in _HEAD)
    notes = (NOTE.format(table.baseline), *table.notes)
    return Grid(
        f"{table.shape.name}-solvers",
        f"{table.shape.title}: solver by solver",
        head,
        tuple(rows),
        notes,
    )


def _row(one: SolverDetail, decimals: int) -> tuple[GridCell, ...]:
    def figure(value: float | None, sign: str = "") -> str:
        return show(value, decimals, sign)

    interval = EMPTY if one.low is None else f"{figure(one.low)} to {figure(one.high)}"
    cells = (
        one.set,
        one.solver,
        f"{one.unsolved} unsolved" if one.unsolved else figure(one.mean),
        figure(one.deviation),
        interval,
        show(one.seconds, 2),
        figure(one.minus_ours, "+"),
        EMPTY if one.p is None else f"{one.p:.4f}",
    )
    return (*map(GridCell, cells), GridCell(figure(one.paper), "quoted"))
