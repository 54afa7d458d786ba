"""The runs of a store as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from engine.domain.names import NOTHING, short_name
from tui.text.formatting import moment, number, share
from tui.text.status_symbols import status_symbol
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.filter import Filter
from tui.widgets.table.quiet_table import Cell, Column, QuietTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.events import Resize

    from engine.monitor.run_summary import RunEntry

WIDE = (
    Column("run", 5, right=True),
    Column("status", 14),
    Column("problem", 11),
    Column("method", 20),
    Column("seed", 5, right=True),
    Column("gen", 6, right=True),
    Column("best", 10, right=True),
    Column("agree", 7, right=True),
    Column("started", 17),
)
STUDY = Column("study", 6, right=True)
"""Stands first once a store holds a study."""

MARK = "▸"
"""Stands before the number of a run that is marked."""

NARROW = tuple(column for column in WIDE if column.name != "started")


class RunsTable(QuietTable):
    """One line a run, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("runs")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("runs", "a table")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._entries: tuple[RunEntry, ...] = ()
        self.filter = Filter("")
        self._marked: dict[str, None] = {}

    @property
    def marked(self) -> list[int]:
        """The runs that are marked, in the order in which they were."""
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
        self.show(self._entries)
        self.action_cursor_down()

    def show(self, entries: Sequence[RunEntry]) -> None:
        """Show runs; the cursor stays on its run."""
        self._entries = tuple(entries)
        columns = WIDE if sum(c.width for c in WIDE) <= self.size.width else NARROW
        if any(entry.study for entry in entries):
            columns = (STUDY, *columns)
        told = {str(entry.row.number): _facts(entry) for entry in entries}
        rows = {
            run: tuple(self._cell(facts, column.name) for column in columns)
            for run, facts in told.items()
            if self.filter.accepts(facts)
        }
        self.tell(columns, rows, self.cursor)
        marked = f" · {len(self._marked)} marked" if self._marked else ""
        filtered = f" of {len(told)} · filter {self.filter.text}" if self.filter.text else ""
        retitle(self, f"runs {len(rows)}{filtered}{marked}")

    def _cell(self, facts: dict[str, str], name: str) -> Cell:
        """One cell; the number of a marked run has a sign."""
        marked = name == "run" and facts[name] in self._marked
        return Cell(f"{MARK}{facts[name]}" if marked else facts[name])

    def on_resize(self, _: Resize) -> None:
        """Another width may hold other columns."""
        self.show(self._entries)

    def sift(self, filter: Filter) -> None:
        """Show only what a filter lets through."""
        self.filter = filter
        self.show(self._entries)


def _facts(entry: RunEntry) -> dict[str, str]:
    """What the columns hold, by their names."""
    spec, best = entry.row.spec, entry.best
    return {
        "study": NOTHING if entry.study is None else str(entry.study),
        "run": str(entry.row.number),
        "status": f"{status_symbol(entry.status)} {entry.status}",
        "problem": short_name(spec.problem.name),
        "method": spec.method,
        "seed": str(spec.seed),
        "gen": entry.reached,
        "best": number(best.cost if best else None),
        "agree": share(best.agreement if best else None),
        "started": moment(entry.row.created),
    }
