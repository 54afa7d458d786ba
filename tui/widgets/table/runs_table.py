"""The runs of a store as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tui.text.pages.runs import entry_facts
from tui.text.status_symbols import status_label
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.quiet_table import Cell, Column, QuietTable, fit_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from engine.monitor.run_summary import RunEntry

COLUMNS = (
    Column("study", 6, right=True, rank=5),
    Column("run", 5, right=True),
    Column("status", 14),
    Column("problem", 11, rank=1),
    Column("method", 20, rank=2),
    Column("seed", 5, right=True, rank=4),
    Column("gen", 6, right=True, rank=3),
    Column("best", 10, right=True),
    Column("selection", 10, right=True, rank=7),
    Column("agree", 7, right=True),
    Column("started", 17, rank=6),
)
"""All of them; that of the study only once a store holds one."""

MARK = "▸"
"""Precedes the number of a marked run."""


class RunsTable(QuietTable):
    """A line for each run, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("runs")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("runs", "a table")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._entries: tuple[RunEntry, ...] = ()
        self._marked: dict[str, None] = {}

    @property
    def marked(self) -> list[int]:
        """The marked runs, in the order in which they were marked."""
        return [int(run) for run in self._marked]

    def action_mark(self) -> None:
        """Mark the run under the cursor, or take its mark away."""
        run = self.cursor
        if run is None:
            return
        if run in self._marked:
            del self._marked[run]
        else:
            self._marked[run] = None
        self.refill()
        self.action_cursor_down()

    def show(self, entries: Sequence[RunEntry]) -> None:
        """Show runs; the cursor stays on its run."""
        self._entries = tuple(entries)
        self.refill()

    def refill(self) -> None:
        """The runs that the filter lets through."""
        is_study = any(entry.study for entry in self._entries)
        shown = [column for column in COLUMNS if is_study or column.name != "study"]
        columns = fit_columns(shown, self.size.width)
        known = {str(entry.row.number): _facts(entry) for entry in self._entries}
        rows = {
            run: tuple(self._cell(facts, column.name) for column in columns)
            for run, facts in known.items()
            if self.filter.accepts(facts)
        }
        self.set_rows(columns, rows, self.cursor)
        marked = f" · {len(self._marked)} marked" if self._marked else ""
        retitle(self, f"runs {len(rows)}{self.describe_filter(len(known))}{marked}")

    def _cell(self, facts: dict[str, str], name: str) -> Cell:
        """One cell; the number of a marked run is preceded by a sign."""
        marked = name == "run" and facts[name] in self._marked
        return Cell(f"{MARK}{facts[name]}" if marked else facts[name])


def _facts(entry: RunEntry) -> dict[str, str]:
    """What the columns hold, by their names."""
    return {**entry_facts(entry), "status": status_label(entry.status)}
