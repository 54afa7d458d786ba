"""The runs of a store as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from engine.domain.names import name_variant
from tui.text.pages.runs import entry_facts
from tui.text.status_symbols import status_label
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.table import Cell, Column, Order, SortedTable, fit_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    Column("calls", 6, right=True, rank=8),
    Column("name", 14, rank=9),
)
"""All of them; study and name only once a run has one."""

GROUPS = ("", "problem", "study")
"""What the runs may stand in groups by, in turn."""

MARK = "▸"
"""Precedes the number of a marked run."""


class RunsTable(SortedTable):
    """A line for each run, newest first at the beginning, or in groups."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("runs")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("runs", "a sorted table", "a table")
    ORDERS: ClassVar[tuple[str, ...]] = ("run", "best", "agree", "started", "problem", "calls")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._entries: tuple[RunEntry, ...] = ()
        self._marked: dict[str, None] = {}
        self.group = ""

    @property
    def marked(self) -> list[int]:
        """The marked runs, in the order in which they were marked."""
        return [int(run) for run in self._marked]

    def action_mark(self) -> None:
        """Mark the run under the cursor, or take its mark away; the cursor stays."""
        run = self.cursor
        if run is None:
            return
        if run in self._marked:
            del self._marked[run]
        else:
            self._marked[run] = None
        self.refill()

    def show(self, entries: Sequence[RunEntry]) -> None:
        """Show runs; the cursor stays on its run."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.refill()

    def action_group(self) -> None:
        """Put the runs in groups by the next of `GROUPS`, or in none."""
        self.group = GROUPS[(GROUPS.index(self.group) + 1) % len(GROUPS)]
        self.rearrange()

    def refill(self) -> None:
        """The runs that the filter lets through, in their order and groups."""
        columns = self._choose_columns()
        entries = self._arrange()
        rows = {}
        before = ""
        for entry in entries:
            facts = _facts(entry)
            group = facts.get(self.group, "")
            rows[facts["run"]] = tuple(
                self._cell(facts, column.name, group == before) for column in columns
            )
            before = group
        self.set_rows(columns, rows, self.cursor)
        retitle(self, f"runs {len(rows)}{self._describe()}")

    def _choose_columns(self) -> tuple[Column, ...]:
        """Those that fit; the one that the runs stand in groups by is the first and stays."""
        empty = {"study", "name"} - {
            name for entry in self._entries for name, text in _optional(entry).items() if text
        }
        shown = [column for column in COLUMNS if column.name not in empty - {self.group}]
        shown.sort(key=lambda column: column.name != self.group)
        ranked = [replace(one, rank=0) if one.name == self.group else one for one in shown]
        return fit_columns(ranked, self.size.width)

    def _arrange(self) -> list[RunEntry]:
        """The runs that the filter lets through, sorted, those of a group together."""
        wanted = [entry for entry in self._entries if self.filter.accepts(_facts(entry))]
        key, down = _KEYS[self.order.by]
        entries = self.order.apply(wanted, key, down)
        if not self.group:
            return entries
        places = {_facts(entry)[self.group]: k for k, entry in reversed([*enumerate(entries)])}
        return sorted(entries, key=lambda entry: places[_facts(entry)[self.group]])

    def _describe(self) -> str:
        """What the title says of filter, marks, order and groups; the usual is not named."""
        parts = [
            f"{len(self._marked)} marked" if self._marked else "",
            "" if self.order == Order(self.ORDERS[0]) else str(self.order),
            f"by {self.group}" if self.group else "",
        ]
        told = "".join(f" · {part}" for part in parts if part)
        return f"{self.describe_filter(len(self._entries))}{told}"

    def _cell(self, facts: dict[str, str], name: str, again: bool) -> Cell:
        """One cell; a marked run has a sign, and a group is named by its first run alone."""
        if name == self.group and again:
            return Cell("")
        marked = name == "run" and facts[name] in self._marked
        return Cell(f"{MARK}{facts[name]}" if marked else facts[name])


def _facts(entry: RunEntry) -> dict[str, str]:
    """What the columns hold, by their names."""
    calls = {"calls": str(entry.calls), "status": status_label(entry.status)}
    return {**entry_facts(entry), **calls}


def _optional(entry: RunEntry) -> dict[str, object]:
    """What few runs have, by column."""
    return {"study": entry.study, "name": entry.row.label.name}


_KEYS: dict[str, tuple[Callable[[RunEntry], Any], bool]] = {
    "run": (lambda entry: entry.row.number, True),
    "best": (lambda entry: entry.best and entry.best.cost, False),
    "agree": (lambda entry: entry.best and entry.best.agreement, True),
    "started": (lambda entry: entry.row.created, True),
    "problem": (lambda entry: name_variant(entry.row.spec.problem, short=True), False),
    "calls": (lambda entry: entry.calls, True),
}
"""What each column is sorted by, and whether the largest come first."""
