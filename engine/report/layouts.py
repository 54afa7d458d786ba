"""How the tables of a study are laid out: as the paper prints them, and solver by solver."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace

from engine.domain.names import NOTHING
from engine.domain.records import Kind
from engine.report.grid import Grid, GridCell, show
from engine.report.paper_figures import PaperColumn
from engine.report.results import Result
from engine.report.tables import ResultTable, TableRow

Laid = tuple[tuple[str, ...], tuple[tuple[GridCell, ...], ...]]


@dataclass(frozen=True, slots=True)
class SolverDetail:
    """One solver on one set, its figures unrounded and in the natural sense.

    `identity` says how sure it is that `set` is the paper's `paper_set`; `paper` and
    `paper_seconds` are quoted; `deviation` is that over runs and needs two. `minus_ours` is its
    mean minus that of ours, paired by `seeds` seeds, also in `percent`; `low` and `high` bound
    that at 95 %, `p` is its paired t test, `p_holm` that after Holm over the problem's programs
    and sets.
    `minus_ours_instances` and `p_instances` are the difference instance by instance and its
    sign-flip test: about these programs, not about methods.
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
    seconds: float | None
    device: str
    minus_ours: float | None
    percent: float | None
    seeds: int
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    minus_ours_instances: float | None
    p_instances: float | None
    paper: float | None
    paper_seconds: float | None


NOTE = (
    "minus {}: paired by seed, with its 95 % interval (t); p: paired t test over seeds; "
    "Holm: p adjusted over all programs and sets of the problem"
)
_HEAD = (
    "Set",
    "Solver",
    "Mean",
    "±",
    "Time (s)",
    "minus {}",
    "95 % interval",
    "%",
    "p",
    "Holm",
    "paper",
)


def lay_out(table: ResultTable) -> Grid:
    """A table as the paper prints it."""
    shape = table.shape
    lay = _lay_out_ablation if shape.ablation else _lay_out_results
    head, rows = lay(table)
    return Grid(shape.name, shape.title, head, rows, table.notes)


def _lay_out_results(table: ResultTable) -> Laid:
    """Two rows a set, objective and seconds; a column a solver, the paper's figure beside it."""
    quoting = [any(table.quoted(p, column) for p in table.places) for column in table.columns]
    head = ["Set", "Metric"]
    for column, quotes in zip(table.columns, quoting, strict=True):
        head += [column.label, "paper"] if quotes else [column.label]
    rows = []
    for place in table.places:
        reached = [GridCell(_name(place)), GridCell(table.shape.objective)]
        took = [GridCell(""), GridCell("Time (s)")]
        for column, quotes in zip(table.columns, quoting, strict=True):
            found = table.result(place, column)
            reached.append(_reached(table, place, found))
            took.append(GridCell(show(found.seconds if found else None, 2)))
            if quotes:
                reached.append(_quote(table.quoted(place, column), table.shape.decimals))
                took.append(_quote(table.quoted_seconds(place, column), 2))
        rows += [tuple(reached), tuple(took)]
    return tuple(head), tuple(rows)


def lay_out_print(table: ResultTable) -> Grid:
    """A table for a page: a row a solver, a column a set, the paper's figure below ours."""
    shape = table.shape
    if shape.ablation:
        return lay_out(table)
    head = ("Solver", *(_name(place) for place in table.places))
    rows = [
        (GridCell(column.label), *(_with_quote(table, place, column) for place in table.places))
        for column in table.columns
    ]
    better = "lower" if table.minimised else "higher"
    title = f"{shape.title}: {shape.objective.lower()}, {better} is better"
    return Grid(shape.name, title, head, tuple(rows), table.notes)


def _with_quote(table: ResultTable, place: TableRow, column: PaperColumn) -> GridCell:
    cell = _reached(table, place, table.result(place, column))
    quote = table.quoted(place, column)
    return replace(cell, quoted="" if quote is None else show(quote, table.shape.decimals))


def _lay_out_ablation(table: ResultTable) -> Laid:
    """A row a variant; for every set its mean, the paper's, and the difference to the full one."""
    full = table.columns[0]
    decimals = table.shape.decimals
    head = ["Variant"]
    for place in table.places:
        head += [_name(place), "Δ", *(["paper"] if place.quotes else [])]
    rows = []
    for column in table.columns:
        cells = [GridCell(column.label)]
        for place in table.places:
            found = table.result(place, column)
            delta = show(_minus(found, table.result(place, full)), decimals, "+")
            cells += [_reached(table, place, found), GridCell(delta)]
            if place.quotes:
                cells.append(_quote(table.quoted(place, column), decimals))
        rows.append(tuple(cells))
    return tuple(head), tuple(rows)


def _minus(one: Result | None, other: Result | None) -> float | None:
    if one is None or other is None or one.mean is None or other.mean is None:
        return None
    return one.mean - other.mean


def _name(place: TableRow) -> str:
    if place.line.label == place.set:
        return place.set
    return f"{place.line.label} ({place.set})"


def _reached(table: ResultTable, place: TableRow, found: Result | None) -> GridCell:
    """Mean and spread over seeds; how many instances are missing where some are."""
    if found is None:
        return GridCell(NOTHING)
    if found.spread is None:
        return GridCell(f"{found.missing} unsolved")
    text = show(found.spread.mean, table.shape.decimals)
    if found.spread.count > 1:
        text += f" ± {show(found.spread.deviation, table.shape.decimals)}"
    return GridCell(text, "best" if table.leads(place, found) else "plain")


def _quote(figure: float | None, decimals: int) -> GridCell:
    return GridCell(show(figure, decimals), "quoted")


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

    cells = (
        one.set,
        one.solver,
        f"{one.unsolved} unsolved" if one.unsolved else figure(one.mean),
        figure(one.deviation),
        show(one.seconds, 2),
        figure(one.minus_ours, "+"),
        NOTHING if one.low is None else f"{figure(one.low, '+')} to {figure(one.high, '+')}",
        show(one.percent, 2, "+"),
        show(one.p, 4),
        show(one.p_holm, 4),
    )
    return (*map(GridCell, cells), GridCell(figure(one.paper), "quoted"))


def itemise(table: ResultTable) -> Iterator[SolverDetail]:
    """Everybody who was measured on the sets of a table, set by set, the best first."""
    for place in table.places:
        here = [one for one in table.results if one.set == place.set]
        worst = float("inf")
        sign = 1 if table.minimised else -1
        for one in sorted(here, key=lambda r: worst if r.mean is None else sign * r.mean):
            yield _detail(table, place, one)


def _detail(table: ResultTable, place: TableRow, one: Result) -> SolverDetail:
    column = table.column(one)
    spread = one.spread
    apart = one.contrast
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
        seconds=one.seconds,
        device=one.device,
        minus_ours=apart.mean if apart else None,
        percent=apart.percent if apart else None,
        seeds=apart.seeds if apart else 0,
        low=apart.low if apart else None,
        high=apart.high if apart else None,
        p=apart.p if apart else None,
        p_holm=one.adjusted,
        minus_ours_instances=one.versus.mean if one.versus else None,
        p_instances=one.p_instances,
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
