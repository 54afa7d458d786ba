"""The list of runs: live and finished ones, each to be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from engine.domain.names import NOTHING, name_variant
from engine.domain.records import RunRow
from engine.domain.status import LIVE, Job
from engine.domain.text.figures import dollars
from engine.domain.values import Candidate
from engine.monitor.run_summary import RunEntry, refresh_entry
from problems.errors import StoreError
from tui.screens.catalogue import BenchmarksScreen, DoctorScreen, SettingsScreen, TeachersScreen
from tui.screens.command import CommandScreen
from tui.screens.fields import IMPORT_RUN
from tui.screens.forms import LaunchScreen, StudyFormScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.panes import PaneScreen
from tui.screens.run import RunScreen
from tui.screens.study import StudyScreen
from tui.text.formatting import age, clock, number, short_writer, status_label
from tui.text.pages.run import entry_facts
from tui.widgets import keymap as keys
from tui.widgets.detail import describe_run
from tui.widgets.frame import retitle
from tui.widgets.table import Cell, Column, Order, SortedTable, fit_columns
from tui.widgets.text_pane import ReadingPane

COLUMNS = (
    Column("study", 6, right=True, rank=9),
    Column("run", 5, right=True),
    Column("status", 14),
    Column("problem", 11, rank=1),
    Column("set", 13, rank=5),
    Column("method", 14, rank=2),
    Column("seed", 5, right=True, rank=1),
    Column("gen", 6, right=True, rank=4),
    Column("best", 10, right=True),
    Column("calls", 6, right=True, rank=3),
    Column("$", 9, right=True, rank=6),
    Column("age", 5, right=True, rank=3),
    Column("agree", 7, right=True),
    Column("name", 12, rank=7),
    Column("selection", 10, right=True, rank=10),
    Column("writer", 14, rank=11),
    Column("time", 9, right=True, rank=12),
)
"""All of them; those of `NAMED` only once a run has one."""

NAMED = ("study", "name", "set", "$")
"""Columns that tell runs apart where they are not empty."""

NAMED_LIVE = 3
"""Live runs that the head names, the newest first."""

GROUPS = ("", "problem", "study")
"""What the runs may stand in groups by, in turn."""

MARK = "▸"
"""Precedes the number of a marked run."""


class RunsTable(SortedTable):
    """A line for each run, newest first at the beginning, or in groups."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("runs")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("runs", "a sorted table", "a table")
    ORDERS: ClassVar[tuple[str, ...]] = ("run", "best", "agree", "age", "problem", "calls")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._entries: tuple[RunEntry, ...] = ()
        self._minute = 0
        self._marked: dict[str, None] = {}
        self.group = ""

    @property
    def marked(self) -> list[int]:
        """The marked runs, in the order in which they were marked."""
        return [int(run) for run in self._marked]

    def action_mark(self) -> None:
        run = self.cursor
        if run is None:
            return
        if run in self._marked:
            del self._marked[run]
        else:
            self._marked[run] = None
        self.refill()

    def show(self, entries: Sequence[RunEntry], now: float) -> None:
        """Show runs at a Unix time in seconds; the cursor stays on its run."""
        if (tuple(entries), int(now // 60)) != (self._entries, self._minute):
            self._entries = tuple(entries)
            self._minute = int(now // 60)
            self.refill()

    def action_group(self) -> None:
        self.group = GROUPS[(GROUPS.index(self.group) + 1) % len(GROUPS)]
        self.rearrange()

    def refill(self) -> None:
        """The runs that the filter lets through, in their order and groups."""
        columns = self._choose_columns()
        entries = self._arrange()
        rows = {}
        before = ""
        for entry in entries:
            facts = self._facts(entry)
            group = facts.get(self.group, "")
            rows[facts["run"]] = tuple(
                self._cell(facts, column.name, group == before) for column in columns
            )
            before = group
        self.set_rows(columns, rows, self.cursor)
        retitle(self, f"runs {len(rows)}{self._describe()}")

    def _choose_columns(self) -> tuple[Column, ...]:
        """Those that fit; the one that the runs stand in groups by is the first and stays."""
        known = [self._facts(entry) for entry in self._entries]
        empty = {name for name in NAMED if all(one[name] in ("", NOTHING) for one in known)}
        shown = [column for column in COLUMNS if column.name not in empty - {self.group}]
        shown.sort(key=lambda column: column.name != self.group)
        ranked = [replace(one, rank=0) if one.name == self.group else one for one in shown]
        return fit_columns(ranked, self.room)

    def _arrange(self) -> list[RunEntry]:
        """The runs that the filter lets through, sorted, those of a group together."""
        wanted = [entry for entry in self._entries if self.filter.accepts(self._facts(entry))]
        key, down = _SORT_KEYS[self.order.by]
        entries = self.order.apply(wanted, key, down)
        if not self.group:
            return entries
        places = {
            self._facts(entry)[self.group]: k for k, entry in reversed([*enumerate(entries)])
        }
        return sorted(entries, key=lambda entry: places[self._facts(entry)[self.group]])

    def _facts(self, entry: RunEntry) -> dict[str, str]:
        return _run_facts(entry, 60 * self._minute)

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


def _run_facts(entry: RunEntry, now: float) -> dict[str, str]:
    """What the columns hold, by their names."""
    row = entry.row
    return {
        **entry_facts(entry),
        "calls": str(entry.calls),
        "status": status_label(entry.status),
        "set": row.spec.settings.design,
        "$": dollars(entry.usd) if entry.usd else "",
        "age": age(now - row.created),
        "writer": short_writer(row.spec.writer),
        "time": clock(row.seconds),
    }


def describe_live(entries: Iterable[RunEntry]) -> str:
    """`2 live: run 7 3/5 1764.1, run 6 1/5`: what is at work in the store; empty for nothing."""
    live = [entry for entry in entries if entry.status in LIVE]
    words = [
        " ".join(filter(None, (f"run {e.row.number} {e.reached}", _best(e))))
        for e in live[:NAMED_LIVE]
    ]
    more = ", …" if len(live) > NAMED_LIVE else ""
    return f"{len(live)} live: {', '.join(words)}{more}" if live else ""


def _best(entry: RunEntry) -> str:
    return number(entry.best.cost) if entry.best else ""


_SORT_KEYS: dict[str, tuple[Callable[[RunEntry], Any], bool]] = {
    "run": (lambda entry: entry.row.number, True),
    "best": (lambda entry: entry.best and entry.best.cost, False),
    "agree": (lambda entry: entry.best and entry.best.agreement, True),
    "age": (lambda entry: entry.row.created, True),
    "problem": (lambda entry: name_variant(entry.row.spec.problem, short=True), False),
    "calls": (lambda entry: entry.calls, True),
}
"""What each column is sorted by, and whether the largest come first."""


EMPTY = "no runs yet; press n to start one (or type: preceptor run PROBLEM)"

ABOUT_A_RUN = frozenset(
    (
        *("select", "mark", "group", "sort", "reverse", "screen.filter", "resume", "more"),
        *("leaderboard", "label", "export_run", "remove", "copy", "export", "start_from"),
        *("measure('bench')", "measure('tune')", "measure('diagnose')"),
    )
)
"""The actions that a list without a run leaves nothing to do for."""


class RunsScreen(PaneScreen):
    """All runs of the store, newest first; beside them the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("the list")
    PANES = ("runs", "preview")
    SCOPES = ("the list",)

    def __init__(self) -> None:
        super().__init__()
        self._version = -1
        self._entries: dict[int, RunEntry] = {}
        self._previewed: RunEntry | None = None

    def compose(self) -> ComposeResult:
        yield Static(Content(f" preceptor  {self.app.reader.path}"), id="header")
        table = RunsTable(id="runs", classes="pane")
        yield from self.compose_panes((table, ReadingPane(id="preview", classes="pane")))
        yield Static(EMPTY, id="empty")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        super().on_mount()
        self.look_every(1.0)

    def look(self) -> None:
        """Read what is new; a run that did not change is not read again."""
        try:
            known, now = self._entries, self.app.clock()
            self._entries = {
                row.number: refresh_entry(self.app.reader, row, known.get(row.number), now)
                for row in self._rows()
            }
        except StoreError as error:
            self.notify(str(error), severity="error")
            return
        self.query_one("#empty").display = not self._entries
        told = "  ".join(filter(None, ("preceptor", describe_live(self._entries.values()))))
        head = Content(f" {told}  {self.app.reader.path}")
        if str(head) != str(self.query_one("#header", Static).content):
            self.query_one("#header", Static).update(head, layout=False)
        self.query_one(RunsTable).show(tuple(self._entries.values()), now)
        self._preview()

    def on_row_table_moved(self) -> None:
        self._preview()

    def on_row_table_opened(self, event: RunsTable.Opened) -> None:
        self.app.push_screen(RunScreen(int(event.key)))

    def action_new(self) -> None:
        self.app.push_screen(LaunchScreen())

    def action_new_study(self) -> None:
        self.app.push_screen(StudyFormScreen())

    def action_resume(self) -> None:
        entry = self._pointed()
        if entry is not None:
            self.app.resume(Job("run", entry.row.number))

    def action_more(self) -> None:
        entry = self._pointed()
        if entry is not None:
            self.app.ask_for_more(entry.row.number)

    def action_compare(self) -> None:
        from tui.screens.compare import CompareScreen  # it takes the engine's modules to load

        marked = self.query_one(RunsTable).marked
        if len(marked) < 2:
            self.notify("mark two or more runs with Space", severity="warning")
        else:
            self.app.push_screen(CompareScreen(marked))

    def action_teachers(self) -> None:
        self.app.push_screen(TeachersScreen())

    def action_benchmarks(self) -> None:
        self.app.push_screen(BenchmarksScreen())

    def action_label(self) -> None:
        entry = self._pointed()
        if entry is not None:
            self.app.ask_for_label(entry.row.number)

    def action_export_run(self) -> None:
        entry = self._pointed()
        if entry is not None:
            self.app.export_run(entry.row.number)

    def action_import_run(self) -> None:
        self.app.push_screen(CommandScreen("import runs", ("import",), IMPORT_RUN))

    def action_remove(self) -> None:
        entry = self._pointed()
        runs = self.query_one(RunsTable).marked or ([entry.row.number] if entry else [])
        if runs:
            self.app.ask_to_remove(runs)

    def action_doctor(self) -> None:
        self.app.push_screen(DoctorScreen())

    def action_settings(self) -> None:
        self.app.push_screen(SettingsScreen())

    def action_leaderboard(self) -> None:
        entry = self._pointed()
        if entry is not None:
            self.app.push_screen(LeaderboardScreen(entry.row.spec.problem))

    def action_studies(self) -> None:
        entry = self._pointed()
        known = [row.number for row in self.app.reader.studies()]
        own = [entry.study] if entry is not None and entry.study is not None else []
        if found := (*own, *known):
            self.app.push_screen(StudyScreen(found[0]))
        else:
            begin = "A starts one from its file"
            self.notify(f"there is no study in this store; {begin}", severity="warning")

    def idle(self) -> frozenset[str]:
        """What the run under the cursor, and the marks, leave nothing to do for."""
        entry = self._pointed()
        idle = keys.idle_actions(entry.status) if entry else frozenset({"resume"})
        if not self._entries:
            idle |= ABOUT_A_RUN
        return idle if len(self.query_one(RunsTable).marked) > 1 else idle | {"compare"}

    def chosen(self) -> tuple[int, Candidate] | None:
        """The best program of the run under the cursor."""
        entry = self._pointed()
        return (entry.row.number, entry.best) if entry and entry.best else None

    def _pointed(self) -> RunEntry | None:
        return self._entries.get(int(self.query_one(RunsTable).cursor or 0))

    def _preview(self) -> None:
        entry = self._pointed()
        if entry is not None and entry != self._previewed:
            self._previewed = entry
            write = partial(describe_run, entry, self.app.reader.path)
            self.query_one("#preview", ReadingPane).show(f"run {entry.row.number}", write)
        self.show_hints()

    def _rows(self) -> Iterable[RunRow]:
        """The runs, read again only when the store has changed."""
        version = self.app.reader.data_version()
        if version == self._version:
            return [entry.row for entry in self._entries.values()]
        self._version = version
        return self.app.reader.runs()
