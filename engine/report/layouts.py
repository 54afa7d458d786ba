"""How the tables of a study are laid out: as the paper prints them, and solver by solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.report.grid import EMPTY, Grid, GridCell, show

if TYPE_CHECKING:
    from engine.report.results import Result
    from engine.report.tables import Place, ResultTable

    Laid = tuple[tuple[str, ...], tuple[tuple[GridCell, ...], ...]]


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
        name = place.line.label if place.line.label == place.set else _name(place)
        reached, took = (
            [GridCell(name), GridCell(table.shape.objective)],
            [GridCell(""), GridCell("Time (s)")],
        )
        for column, quotes in zip(table.columns, quoting, strict=True):
            found = table.result(place, column)
            reached.append(_reached(table, place, found))
            took.append(GridCell(show(found.seconds if found else None, 2)))
            if quotes:
                reached.append(_quote(table.quoted(place, column), table.shape.decimals))
                took.append(_quote(table.quoted_seconds(place, column), 2))
        rows += [tuple(reached), tuple(took)]
    return tuple(head), tuple(rows)


def _lay_out_ablation(table: ResultTable) -> Laid:
    """A row a variant; for every set its mean, the paper's, and the difference to the full one."""
    full, decimals = table.columns[0], table.shape.decimals
    head = ["Variant"]
    for place in table.places:
        head += [_name(place), "Δ", *(["paper"] if place.quotes else [])]
    rows = []
    for column in table.columns:
        cells = [GridCell(column.label)]
        for place in table.places:
            found, base = table.result(place, column), table.result(place, full)
            delta = show(_minus(found, base), decimals, "+")
            cells += [_reached(table, place, found), GridCell(delta)]
            if place.quotes:
                cells.append(_quote(table.quoted(place, column), decimals))
        rows.append(tuple(cells))
    return tuple(head), tuple(rows)


def _minus(one: Result | None, other: Result | None) -> float | None:
    if one is None or other is None or one.mean is None or other.mean is None:
        return None
    return one.mean - other.mean


def _name(place: Place) -> str:
    return f"{place.line.label} ({place.set})"


def _reached(table: ResultTable, place: Place, found: Result | None) -> GridCell:
    """Mean and spread over seeds; how many instances are missing where some are."""
    if found is None:
        return GridCell(EMPTY)
    if found.spread is None:
        return GridCell(f"{found.missing} unsolved")
    text = show(found.spread.mean, table.shape.decimals)
    if found.spread.count > 1:
        text += f" ± {show(found.spread.deviation, table.shape.decimals)}"
    best = found.is_heuristic and found.mean == table.best(place)
    return GridCell(text, "best" if best else "plain")


def _quote(figure: float | None, decimals: int) -> GridCell:
    return GridCell(show(figure, decimals), "quoted")
