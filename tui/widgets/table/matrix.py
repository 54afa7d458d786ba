"""The runs of a study as a table: a row for each arm, a column for each seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.message import Message

from engine.domain.names import NOTHING
from engine.domain.status import LIVE
from engine.report.statistics import spread
from tui.text.formatting import number
from tui.text.pages.runs import entry_facts
from tui.text.status_symbols import status_symbol
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.quiet_table import HEAD, Cell, Column, QuietTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.events import Click

    from engine.monitor.run_summary import RunEntry
    from engine.monitor.study_status import MatrixRow, StudyMatrix

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


class MatrixTable(QuietTable):
    """The runs of a study by arm and seed; the cursor covers one of them.

    Posts `Pointed` when it is on another run.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("matrix")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("matrix", "a table")

    class Pointed(Message):
        """The cursor is on another run."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._matrix: StudyMatrix | None = None
        self._seed = 0
        self.figure = "best"

    @property
    def entry(self) -> RunEntry | None:
        """The run under the cursor, None where it has not begun."""
        if self._matrix is None or self.cursor is None:
            return None
        entries = self._matrix.rows[int(self.cursor)].entries
        return entries[self._seed] if self._seed < len(entries) else None

    def show(self, matrix: StudyMatrix) -> None:
        """Show a study; the cursor stays where it is."""
        self._matrix = matrix
        self._seed = min(self._seed, len(matrix.seeds) - 1)
        self.refill()

    def refill(self) -> None:
        """The arms that the filter lets through, the seeds that fit beside the chosen one."""
        if self._matrix is None:
            return
        facts = {str(k): self._facts(row) for k, row in enumerate(self._matrix.rows)}
        rows = {key: found for key, found in facts.items() if self.filter.accepts(found)}
        columns = self._fit(list(facts.values()))
        cells = {
            key: tuple(self._cell(int(key), found, column) for column in columns)
            for key, found in rows.items()
        }
        self.set_rows(columns, cells, self.cursor)
        shown = f"{FIGURES[self.figure]} by arm and seed"
        retitle(self, f"{shown}{self.describe_filter(len(facts))}")

    def is_covered(self, column: Column) -> bool:
        """The cursor is on one run."""
        return column.name == self._head(self._seed)

    def on_click(self, event: Click) -> None:
        """A click on another run of the row moves there; a second one opens it."""
        offset = event.get_content_offset(self)
        column = self.column_at(offset.x) if offset and offset.y >= HEAD else None
        seeds = self._matrix.seeds if self._matrix else ()
        heads = [self._head(place) for place in range(len(seeds))]
        if column is None or column.name not in heads or self.is_covered(column):
            return
        at_once = offset is not None and self._index_at(offset.y) == self._index()
        self.action_seed(heads.index(column.name) - self._seed)
        if at_once:
            event.prevent_default()

    def action_seed(self, step: int) -> None:
        """To the next seed or the one before."""
        seeds = self._matrix.seeds if self._matrix else ()
        seed = min(max(self._seed + step, 0), len(seeds) - 1)
        if seeds and seed != self._seed:
            self._seed = seed
            self.refill()
            self.refresh()
            self.post_message(self.Pointed())

    def action_figure(self) -> None:
        """Show the next figure in the cells."""
        names = list(FIGURES)
        self.figure = names[(names.index(self.figure) + 1) % len(names)]
        self.refill()

    def _head(self, place: int) -> str:
        """The name of the column of a seed, by its place; seeds are told apart by it."""
        assert self._matrix is not None
        return f"seed {self._matrix.seeds[place]}"

    def _facts(self, row: MatrixRow) -> dict[str, str]:
        """What the columns hold, by their names."""
        facts = {"problem": row.problem, "arm": row.arm}
        for place, entry in enumerate(row.entries):
            facts[self._head(place)] = _describe(entry, self.figure)
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

    def _fit(self, facts: Sequence[dict[str, str]]) -> tuple[Column, ...]:
        """Problem where there are several, arm, seeds beside the chosen one, mean last."""
        assert self._matrix is not None
        several = len({one["problem"] for one in facts}) > 1
        names = ["problem", "arm"] if several else ["arm"]
        left = [_column(name, facts) for name in names]
        right = [_column("mean", facts)] if self.figure == "best" else []
        seeds = [_column(self._head(k), facts) for k in range(len(self._matrix.seeds))]
        room = self.size.width - sum(column.width for column in (*left, *right))
        if room < seeds[self._seed].width:
            right = []
            room = self.size.width - sum(column.width for column in left)
        return (*left, *_window(seeds, self._seed, room), *right)

    def _cell(self, row: int, facts: dict[str, str], column: Column) -> Cell:
        """One cell with the role of its run."""
        assert self._matrix is not None
        heads = [self._head(place) for place in range(len(self._matrix.seeds))]
        if column.name not in heads:
            return Cell(facts[column.name])
        entry = self._matrix.rows[row].entries[heads.index(column.name)]
        return Cell(facts[column.name], _role(entry))


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


def _role(entry: RunEntry | None) -> str:
    if entry is None:
        return "past"
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


def _window(seeds: Sequence[Column], chosen: int, room: int) -> Sequence[Column]:
    """As many seeds as fit, from the first one on or as late as the chosen one needs."""
    first = 0
    while first < chosen and sum(one.width for one in seeds[first : chosen + 1]) > room:
        first += 1
    end = len(seeds)
    while end > chosen + 1 and sum(one.width for one in seeds[first:end]) > room:
        end -= 1
    return seeds[first:end]
