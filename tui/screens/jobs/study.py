"""The screen of a study, at work or finished: its runs by arm and seed, what winners reached."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.content import Content
from textual.widgets import Static

from engine.domain.status import Job
from engine.domain.text.plain_text import clean
from engine.monitor import Reader
from engine.monitor.study_status import FINISHED, read_study_matrix
from problems.errors import PreceptorError
from tui.screens.forms.command import CommandScreen
from tui.screens.jobs.run import RunScreen
from tui.screens.panes import PaneScreen
from tui.screens.programs.program import ProgramScreen
from tui.text.formatting import clock, join
from tui.text.status_symbols import status_colour, status_label
from tui.text.study_progress import StudyProgress, count_measured
from tui.widgets import keymap as keys
from tui.widgets.form.commands import STUDY_RESULTS
from tui.widgets.frame.progress import bar
from tui.widgets.panes import preview
from tui.widgets.panes.reading import ReadingPane
from tui.widgets.table.matrix import MatrixTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize

    from engine.domain.values import Candidate
    from engine.monitor.run_summary import RunEntry
    from engine.monitor.study_status import StudyMatrix, StudyStatus
    from engine.report.tables import ResultTable

UNMEASURED = "nothing is measured yet: winners are, once all runs of their problem are over"


class StudyScreen(PaneScreen):
    """One study: the matrix of its runs, the run under the cursor, the held-out table."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a study", "comparing")
    PANES = ("matrix", "run", "held-out")
    SCOPES = ("a study", "comparing", "a screen")

    def __init__(self, study: int) -> None:
        super().__init__()
        self.study = study
        self.matrix: StudyMatrix | None = None
        self._progress: StudyProgress | None = None
        self._previewed: RunEntry | None = None
        self._tabulated: tuple[int, int, str] | None = None
        self._version = -1
        self._error = ""

    def compose(self) -> ComposeResult:
        """Header, matrix and run above, the held-out table below, progress."""
        yield Static(id="header")
        yield from self.compose_panes(
            (MatrixTable(id="matrix", classes="pane"), ReadingPane(id="run", classes="pane")),
            (ReadingPane(id="held-out", classes="pane"),),
        )
        yield Static(id="change")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Look every second."""
        super().on_mount()
        self._pane("run").show("run", _say("this run has not begun"))
        self._pane("held-out").show("held-out sets", _say(UNMEASURED))
        self.look_every(1.0)

    def look(self) -> None:
        """Read what is new: runs that did not change, or a study at rest, are not read again."""
        try:
            version = self.app.reader.data_version()
            if version == self._version and self.matrix and not self.matrix.is_live:
                return
            self._progress = self._progress or StudyProgress(self.app.reader, self.study)
            self.matrix = read_study_matrix(
                self.app.reader, self.study, self.matrix, self.app.clock()
            )
            told = _progress(self.matrix.status, self._left(self.matrix.status))
        except PreceptorError as error:
            self._report(str(error))
            return
        self._error = ""
        self._version = version
        self._show_head(self.matrix.status)
        self._put("#change", Content(told))
        self.query_one(MatrixTable).show(self.matrix)
        self._show_run()
        self._tabulate(self.matrix.status)

    def on_resize(self, event: Resize) -> None:
        """Fit the panes and the line above them to the terminal."""
        super().on_resize(event)
        if self.matrix is not None:
            self._show_head(self.matrix.status)

    def idle(self) -> frozenset[str]:
        """What cannot be asked of a study in its state, and of a run that is not there."""
        idle = keys.idle_actions(self.matrix.status.status) if self.matrix else frozenset[str]()
        return idle if self.chosen() else idle | {"winner"}

    def urgent(self) -> frozenset[str]:
        """How a study goes on that rests."""
        return keys.urgent_actions(self.matrix.status.status) if self.matrix else frozenset()

    def on_row_table_moved(self) -> None:
        """Another run."""
        self._show_run()

    def on_row_table_opened(self) -> None:
        """Open the run under the cursor."""
        entry = self._entry()
        if entry is None:
            self.notify("this run has not begun", severity="warning")
        else:
            self.app.push_screen(RunScreen(entry.row.number))

    def action_winner(self) -> None:
        """Show the best program of the run under the cursor in full."""
        chosen = self.chosen()
        if chosen is None:
            self.notify("this run has no program yet", severity="warning")
        else:
            self.app.push_screen(ProgramScreen(chosen[0], chosen[1].id))

    def action_turn(self, step: int) -> None:
        """Show the study before or after this one."""
        numbers = sorted(row.number for row in self.app.reader.studies())
        others = [n for n in numbers if (n > self.study if step > 0 else n < self.study)]
        if others:
            self.app.switch_screen(StudyScreen(others[0] if step > 0 else others[-1]))

    def action_pause(self) -> None:
        """Tell the engine to pause."""
        self.app.order(Job("study", self.study), "pause")

    def action_stop(self) -> None:
        """Tell the engine to stop, if the user means it."""
        if "stop" in self.idle() and self.matrix is not None:
            now = self.matrix.status.status
            self.notify(f"study {self.study} has ended already: it is {now}")
        else:
            self.app.ask_to_stop(Job("study", self.study))

    def action_resume(self) -> None:
        """Resume the study."""
        self.app.resume(Job("study", self.study))

    def action_export_results(self) -> None:
        """Ask where tables, plots and a report shall be written."""
        words = ("compare", f"study:{self.study}")
        self.app.push_screen(CommandScreen("write results", words, STUDY_RESULTS))

    def chosen(self) -> tuple[int, Candidate] | None:
        """The best program of the run under the cursor."""
        entry = self._entry()
        return (entry.row.number, entry.best) if entry and entry.best else None

    def _entry(self) -> RunEntry | None:
        return self.query_one(MatrixTable).entry

    def _left(self, status: StudyStatus) -> str:
        """How long it will still take; empty where nothing is under way."""
        if self._progress is None or status.over:
            return ""
        return self._progress.left(status, self.app.clock())

    def _show_run(self) -> None:
        entry = self._entry()
        if entry != self._previewed:
            if entry is None:
                self._pane("run").show("run", _say("this run has not begun"))
            else:
                write = partial(preview.describe, entry, self.app.reader.path)
                self._pane("run").show(f"run {entry.row.number}", write)
            self._previewed = entry
        self.show_hints()

    def _tabulate(self, status: StudyStatus) -> None:
        """Make the held-out table anew where a run or a measurement has ended."""
        stands = (self.study, status.done, f"{status.status} {status.row.reason}")
        if stands != self._tabulated:
            self._tabulated = stands
            self._read_tables()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _read_tables(self) -> None:
        from engine.report.tables import read_tables  # it takes the engine's modules to load

        try:
            with Reader(self.app.reader.path) as reader:
                tables = read_tables(reader, self.study)
        except PreceptorError as error:
            self.app.call_from_thread(self._report, str(error))
            return
        if self.is_attached:
            self.app.call_from_thread(self._show_tables, tables)

    def _show_tables(self, tables: Sequence[ResultTable]) -> None:
        write = partial(_write_tables, tables) if tables else _say(UNMEASURED)
        self._pane("held-out").show("held-out sets", write, from_top=False)

    def _pane(self, name: str) -> ReadingPane:
        return self.query_one(f"#{name}", ReadingPane)

    def _put(self, selector: str, content: Content) -> None:
        """Set a line; the same again paints nothing."""
        line = self.query_one(selector, Static)
        if str(line.content) != str(content):
            line.update(content, layout=False)

    def _show_head(self, status: StudyStatus) -> None:
        self._put("#header", _head(status, self.size.width))

    def _report(self, error: str) -> None:
        """Show an error once, however often it occurs in a row."""
        if error != self._error:
            self._error = error
            self.notify(error, severity="error", timeout=10)


def _write_tables(tables: Sequence[ResultTable], width: int) -> Content:
    from tui.text.pages.study import page_held_out  # it takes the engine's reports to load

    return Content(page_held_out(tables, width))


def _say(text: str) -> Callable[[int], Content]:
    return lambda width: Content(text)


def _head(status: StudyStatus, width: int) -> Content:
    """The study in one line; its name is cut where the line is short."""
    left = Content.assemble(
        (f" study {status.row.number} ", "bold"),
        (f" {status_label(status.status)} ", f"bold {status_colour(status.status)}"),
    )
    right = Content(f" {clock(status.row.seconds)} ")
    reason = "" if count_measured(status) else status.row.reason
    name = f" {join(clean(status.row.name), clean(reason))}"
    room = width - left.cell_length - right.cell_length
    return left + Content(name).truncate(max(0, room), ellipsis=True, pad=True) + right


def _progress(status: StudyStatus, left: str) -> str:
    """Runs and measurements as bars, what its other runs do, what they spent, the time left."""
    others = Counter(state for state in status.runs.values() if state not in FINISHED)
    parts = [f"runs {bar(status.done, status.total)} {status.done}/{status.total}"]
    parts += [f"{count} {state}" for state, count in others.items()]
    measured = count_measured(status)
    if measured is not None:
        parts.append(f"measured {bar(*measured)} {measured[0]}/{measured[1]}")
    return f" {'   '.join(filter(None, (*parts, status.spending, left)))}"
