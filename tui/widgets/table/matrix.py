"""The runs of a study as a table: a row for each arm, a column for each seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from textual.binding import BindingType
from textual.coordinate import Coordinate
from textual.widgets import DataTable

from engine.domain.names import NOTHING
from engine.domain.status import LIVE
from engine.monitor.run_summary import RunEntry
from engine.monitor.study_status import MatrixRow, StudyMatrix
from engine.report.statistics import spread
from tui.text.formatting import number
from tui.text.pages.runs import entry_facts
from tui.text.status_symbols import status_symbol
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.table import Cell, Column, RowTable

FIGURES = {
    "best": "cost",
    "selection": "selection cost",
    "agree": "agreement",
    "gen": "generation",
}
"""What the cells may show, by the names of the facts of a run."""

BEFORE = "·"
"""Stands for a run that has not begun."""

LEAST = 11
"""Cells of a column at least: the first figures do not move those beside them."""

WIDEST = 24
"""Cells of a column at most, but for that of the mean."""


class MatrixTable(RowTable):
    """The runs of a study by arm and seed; the cursor covers one of them.

    Arm and mean stay in sight, seeds are scrolled. Posts `Moved` for another seed, too.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("matrix")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("matrix", "a table")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.cursor_type = "cell"
        self._matrix: StudyMatrix | None = None
        self.figure = "best"

    @property
    def entry(self) -> RunEntry | None:
        """The run under the cursor, None where it has not begun."""
        if self._matrix is None or self.cursor is None:
            return None
        entries = self._matrix.rows[int(self.cursor)].entries
        seed = self.cursor_column - self.fixed_columns
        return entries[seed] if 0 <= seed < len(entries) else None

    def show(self, matrix: StudyMatrix) -> None:
        """Show a study; the cursor stays where it is."""
        self._matrix = matrix
        self.refill()

    def refill(self) -> None:
        """The arms that the filter accepts."""
        matrix = self._matrix
        if matrix is None:
            return
        heads = [f"seed {seed}" for seed in matrix.seeds]
        facts = {str(k): self._facts(row, heads) for k, row in enumerate(matrix.rows)}
        rows = {key: found for key, found in facts.items() if self.filter.accepts(found)}
        several = len({row.problem for row in matrix.rows}) > 1
        left = ["problem"] * several + ["arm"] + ["mean"] * (self.figure == "best")
        columns = [_column(name, list(facts.values())) for name in (*left, *heads)]
        if sum(column.width for column in columns[: len(left) + 1]) > self.size.width:
            columns = [column for column in columns if column.name != "mean"]
        fixed = len(columns) - len(heads)
        seed = self.cursor_column - self.fixed_columns
        self.fixed_columns = fixed
        cells = {
            key: tuple(
                Cell(found[column.name], _role(self._entry(key, place - fixed)))
                for place, column in enumerate(columns)
            )
            for key, found in rows.items()
        }
        self.set_rows(columns, cells, self.cursor)
        with self.prevent(DataTable.CellHighlighted):
            self.move_cursor(column=fixed + max(0, seed))
        shown = f"{FIGURES[self.figure]} by arm and seed"
        retitle(self, f"{shown}{self.describe_filter(len(facts))}")

    def validate_cursor_coordinate(self, value: Coordinate) -> Coordinate:
        """The cursor stays on runs."""
        row, column = super().validate_cursor_coordinate(value)
        return Coordinate(row, max(column, self.fixed_columns))

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Say that the user moved to another run."""
        event.stop()
        if self.cursor is not None:
            self.post_message(self.Moved(self.cursor))

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        """Open the run that was clicked on once more."""
        event.stop()
        self.action_select()

    def action_seed(self, step: int) -> None:
        """To the next seed or the one before."""
        self.move_cursor(column=self.cursor_column + step)

    def action_figure(self) -> None:
        """Show the next figure in the cells."""
        names = list(FIGURES)
        self.figure = names[(names.index(self.figure) + 1) % len(names)]
        self.refill()

    def _entry(self, key: str, seed: int) -> RunEntry | Literal["text"] | None:
        """The run of an arm and a seed, None before it has begun; left of the seeds is text."""
        assert self._matrix is not None
        return "text" if seed < 0 else self._matrix.rows[int(key)].entries[seed]

    def _facts(self, row: MatrixRow, heads: Sequence[str]) -> dict[str, str]:
        """What the columns hold, by their names."""
        facts = {"problem": row.problem, "arm": row.arm}
        for head, entry in zip(heads, row.entries, strict=True):
            facts[head] = _describe(entry, self.figure)
        return facts | ({"mean": self._mean(row)} if self.figure == "best" else {})

    def _mean(self, row: MatrixRow) -> str:
        """Mean best cost of the finished runs; `★` where that is the lowest of the problem."""
        assert self._matrix is not None
        rivals = [one for one in self._matrix.rows if one.problem == row.problem]
        means = [mean for one in rivals if (mean := _mean_cost(one)) is not None]
        own = spread(_costs(row))
        if own is None:
            return NOTHING
        star = "★ " if len(means) > 1 and own.mean == min(means) else ""
        error = f" ± {own.deviation:.3g}" if own.count > 1 else ""
        return f"{star}{number(own.mean)}{error}"


def _describe(entry: RunEntry | None, figure: str) -> str:
    """A run in a cell: its status as a symbol, how far it is while it is open, a figure."""
    if entry is None:
        return BEFORE
    facts = entry_facts(entry)
    parts = [status_symbol(entry.status)]
    if entry.status != "done" and figure != "gen":
        parts.append(facts["gen"])
    if entry.status == "failed":
        return f"{parts[0]} failed"
    return " ".join([*parts, facts[figure]]).removesuffix(f" {NOTHING}")


def _role(entry: RunEntry | Literal["text"] | None) -> str:
    if entry is None or entry == "text":
        return "" if entry else "past"
    if entry.status in ("failed", "interrupted", "hung"):
        return "bad"
    return "busy" if entry.status in LIVE else ""


def _costs(row: MatrixRow) -> list[float]:
    """Best costs of the finished runs."""
    bests = [entry.best for entry in row.finished]
    return [best.cost for best in bests if best is not None and best.cost is not None]


def _mean_cost(row: MatrixRow) -> float | None:
    found = spread(_costs(row))
    return None if found is None else found.mean


def _column(name: str, facts: Sequence[dict[str, str]]) -> Column:
    """A column as wide as its widest cell, with room before and behind."""
    widest = max(map(len, (name, *(one[name] for one in facts))))
    return Column(name, widest + 2 if name == "mean" else min(max(widest + 2, LEAST), WIDEST))
