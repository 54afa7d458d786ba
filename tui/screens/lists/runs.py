"""The list of runs: live and finished ones, each to be opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.widgets import Static

from engine.domain.status import Job
from engine.monitor.run_summary import RunEntry, refresh_entry
from problems.errors import StoreError
from tui.screens.forms.command import CommandScreen
from tui.screens.forms.launch import LaunchScreen, StudyFormScreen
from tui.screens.jobs.run import RunScreen
from tui.screens.jobs.study import StudyScreen
from tui.screens.lists.benchmarks import BenchmarksScreen
from tui.screens.lists.examination import DoctorScreen, SettingsScreen
from tui.screens.lists.leaderboard import LeaderboardScreen
from tui.screens.lists.teachers import TeachersScreen
from tui.screens.panes import PaneScreen
from tui.widgets import keymap as keys
from tui.widgets.form.commands import IMPORT_RUN
from tui.widgets.panes import preview
from tui.widgets.panes.reading import ReadingPane
from tui.widgets.table.runs_table import RunsTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.domain.records import RunRow
    from engine.domain.values import Candidate

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
        """Header, table and preview, hints."""
        yield Static(Content(f" preceptor  {self.app.reader.path}"), id="header")
        table = RunsTable(id="runs", classes="pane")
        yield from self.compose_panes((table, ReadingPane(id="preview", classes="pane")))
        yield Static(EMPTY, id="empty")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Look every second."""
        super().on_mount()
        self.look_every(1.0)

    def look(self) -> None:
        """Read what is new; a run that did not change is not read again."""
        try:
            self._entries = {row.number: self._entry(row) for row in self._rows()}
        except StoreError as error:
            self.notify(str(error), severity="error")
            return
        self.query_one("#empty").display = not self._entries
        self.query_one(RunsTable).show(tuple(self._entries.values()))
        self._preview()

    def on_row_table_moved(self) -> None:
        """Preview the run under the cursor."""
        self._preview()

    def on_row_table_opened(self, event: RunsTable.Opened) -> None:
        """Open a run, live or finished."""
        self.app.push_screen(RunScreen(int(event.key)))

    def action_new(self) -> None:
        """Ask for a new run."""
        self.app.push_screen(LaunchScreen())

    def action_new_study(self) -> None:
        """Ask for a study."""
        self.app.push_screen(StudyFormScreen())

    def action_resume(self) -> None:
        """Resume the run under the cursor."""
        entry = self._pointed()
        if entry is not None:
            self.app.resume(Job("run", entry.row.number))

    def action_more(self) -> None:
        """Ask with what the run under the cursor shall go on."""
        entry = self._pointed()
        if entry is not None:
            self.app.ask_for_more(entry.row.number)

    def action_compare(self) -> None:
        """Show the marked runs side by side."""
        from tui.screens.jobs.compare import CompareScreen  # it takes the engine's modules to load

        marked = self.query_one(RunsTable).marked
        if len(marked) < 2:
            self.notify("mark two or more runs with Space", severity="warning")
        else:
            self.app.push_screen(CompareScreen(marked))

    def action_teachers(self) -> None:
        """Show the teachers."""
        self.app.push_screen(TeachersScreen())

    def action_benchmarks(self) -> None:
        """Show the instance sets."""
        self.app.push_screen(BenchmarksScreen())

    def action_label(self) -> None:
        """Ask what the run under the cursor is called."""
        entry = self._pointed()
        if entry is not None:
            self.app.ask_for_label(entry.row.number)

    def action_export_run(self) -> None:
        """Ask for the file that the run under the cursor shall be written to."""
        entry = self._pointed()
        if entry is not None:
            self.app.export_run(entry.row.number)

    def action_import_run(self) -> None:
        """Ask for a file with runs."""
        self.app.push_screen(CommandScreen("import runs", ("import",), IMPORT_RUN))

    def action_remove(self) -> None:
        """Remove the marked runs, or the one under the cursor, if the user means it."""
        entry = self._pointed()
        runs = self.query_one(RunsTable).marked or ([entry.row.number] if entry else [])
        if runs:
            self.app.ask_to_remove(runs)

    def action_doctor(self) -> None:
        """Show how the installation is."""
        self.app.push_screen(DoctorScreen())

    def action_settings(self) -> None:
        """Show the settings."""
        self.app.push_screen(SettingsScreen())

    def action_leaderboard(self) -> None:
        """Show the best programs of the problem of the run under the cursor."""
        entry = self._pointed()
        if entry is not None:
            self.app.push_screen(LeaderboardScreen(entry.row.spec.problem))

    def action_studies(self) -> None:
        """Show the study of the run under the cursor, else the latest one."""
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
            write = partial(preview.describe, entry, self.app.reader.path)
            self.query_one("#preview", ReadingPane).show(f"run {entry.row.number}", write)
        self.show_hints()

    def _rows(self) -> Iterable[RunRow]:
        """The runs, read again only when the store has changed."""
        version = self.app.reader.data_version()
        if version == self._version:
            return [entry.row for entry in self._entries.values()]
        self._version = version
        return self.app.reader.runs()

    def _entry(self, row: RunRow) -> RunEntry:
        known = self._entries.get(row.number)
        return refresh_entry(self.app.reader, row, known, self.app.clock())
