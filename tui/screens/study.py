"""The screen of a study, at work or finished: its runs by arm and seed, what winners reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.coordinate import Coordinate
from textual.events import Resize
from textual.widgets import DataTable, Static

from engine.domain.names import NOTHING
from engine.domain.status import LIVE, Job, Status
from engine.domain.text.plain_text import clean
from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.monitor.run_summary import RunEntry
from engine.monitor.study_status import (
    FINISHED,
    MatrixRow,
    StudyMatrix,
    StudyStatus,
    read_study_matrix,
)
from engine.report.statistics import spread
from problems.errors import PreceptorError
from tui.screens.command import CommandScreen
from tui.screens.fields import STUDY_RESULTS
from tui.screens.panes import JobScreen
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.text.formatting import clock, join, number, status_colour, status_label, status_symbol
from tui.text.pages.run import entry_facts
from tui.text.pages.study import StudyProgress, count_measured, page_held_out
from tui.widgets import keymap as keys
from tui.widgets.detail import describe_run
from tui.widgets.frame import retitle
from tui.widgets.progress import bar
from tui.widgets.table import Cell, Column, RowTable
from tui.widgets.text_pane import ReadingPane

if TYPE_CHECKING:
    from engine.report.tables import ResultTable


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

    Seeds are shown in whole columns, as many as fit. Posts `Moved` for another seed, too.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("matrix")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("matrix", "a table")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.cursor_type = "cell"
        self._matrix: StudyMatrix | None = None
        self._seed = 0
        self._seeds = range(0)
        self._left = 0
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
        """The arms that the filter accepts, the seeds that fit next to the chosen one."""
        matrix = self._matrix
        if matrix is None:
            return
        heads = [f"seed {seed}" for seed in matrix.seeds]
        facts = {str(k): self._facts(row, heads) for k, row in enumerate(matrix.rows)}
        rows = {key: found for key, found in facts.items() if self.filter.accepts(found)}
        columns = self._fit(list(facts.values()), heads)
        cells = {
            key: tuple(
                Cell(found[one.name], self._role(key, k - self._left))
                for k, one in enumerate(columns)
            )
            for key, found in rows.items()
        }
        self.set_rows(columns, cells, self.cursor)
        with self.prevent(DataTable.CellHighlighted):
            self.move_cursor(column=self._left + self._seed - self._seeds.start)
        shown = f"{FIGURES[self.figure]} by arm and seed"
        retitle(self, f"{shown}{self.describe_filter(len(facts))}")

    def validate_cursor_coordinate(self, value: Coordinate) -> Coordinate:
        """The cursor stays on runs."""
        row, column = super().validate_cursor_coordinate(value)
        last = self._left + max(0, len(self._seeds) - 1)
        return Coordinate(row, min(max(column, self._left), last))

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        event.stop()
        self._seed = self._seeds.start + self.cursor_column - self._left
        if self.cursor is not None:
            self.post_message(self.Moved(self.cursor))

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        event.stop()
        self.action_select()

    def action_seed(self, step: int) -> None:
        last = len(self._matrix.seeds) - 1 if self._matrix else 0
        seed = min(max(self._seed + step, 0), last)
        if self.cursor is not None and seed != self._seed:
            self._seed = seed
            self.refill()
            self.post_message(self.Moved(self.cursor))

    def action_figure(self) -> None:
        names = list(FIGURES)
        self.figure = names[(names.index(self.figure) + 1) % len(names)]
        self.refill()

    def _fit(self, facts: Sequence[dict[str, str]], heads: Sequence[str]) -> list[Column]:
        """Problem where there are several, arm, seeds next to the chosen one, mean last."""
        several = len({one["problem"] for one in facts}) > 1
        left = [_fit_column(name, facts) for name in ["problem"] * several + ["arm"]]
        right = [_fit_column("mean", facts)] if self.figure == "best" else []
        seeds = [_fit_column(head, facts) for head in heads]
        room = self.room - sum(column.width for column in (*left, *right))
        if room < seeds[self._seed].width:
            right = []
            room = self.room - sum(column.width for column in left)
        first = 0
        while first < self._seed and _width(seeds[first : self._seed + 1]) > room:
            first += 1
        end = len(seeds)
        while end > self._seed + 1 and _width(seeds[first:end]) > room:
            end -= 1
        self._left = len(left)
        self._seeds = range(first, end)
        return [*left, *seeds[first:end], *right]

    def _role(self, key: str, place: int) -> str:
        """How the run in a place of the shown seeds looks; no role next to them."""
        assert self._matrix is not None
        if not 0 <= place < len(self._seeds):
            return ""
        entry = self._matrix.rows[int(key)].entries[self._seeds[place]]
        if entry is None:
            return "past"
        if entry.status in ("failed", "interrupted", "hung"):
            return "bad"
        return "busy" if entry.status in LIVE else ""

    def _facts(self, row: MatrixRow, heads: Sequence[str]) -> dict[str, str]:
        """What the columns hold, by their names."""
        facts = {"problem": row.problem, "arm": row.arm}
        for head, entry in zip(heads, row.entries, strict=True):
            facts[head] = _describe_cell(entry, self.figure)
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


def _describe_cell(entry: RunEntry | None, figure: str) -> str:
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


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns)


def _costs(row: MatrixRow) -> list[float]:
    """Best costs of the finished runs."""
    bests = [entry.best for entry in row.finished]
    return [best.cost for best in bests if best is not None and best.cost is not None]


def _mean_cost(row: MatrixRow) -> float | None:
    found = spread(_costs(row))
    return None if found is None else found.mean


def _fit_column(name: str, facts: Sequence[dict[str, str]]) -> Column:
    """A column as wide as its widest cell, with room before and behind."""
    widest = max(map(len, (name, *(one[name] for one in facts))))
    return Column(name, widest + 2 if name == "mean" else min(max(widest + 2, LEAST), WIDEST))


UNMEASURED = "nothing is measured yet: winners are, once all runs of their problem are over"


class StudyScreen(JobScreen):
    """One study: the matrix of its runs, the run under the cursor, the held-out table."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a study", "comparing")
    PANES = ("matrix", "run", "held-out")
    SCOPES = ("a study", "comparing", "a screen")

    def __init__(self, study: int) -> None:
        super().__init__()
        self.study = study
        self.job = Job("study", study)
        self.matrix: StudyMatrix | None = None
        self._progress: StudyProgress | None = None
        self._previewed: RunEntry | None = None
        self._tabulated: tuple[int, int, str] | None = None
        self._version = -1

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield from self.compose_panes(
            (MatrixTable(id="matrix", classes="pane"), ReadingPane(id="run", classes="pane")),
            (ReadingPane(id="held-out", classes="pane"),),
        )
        yield Static(id="change")
        yield from self.compose_frame()

    def on_mount(self) -> None:
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
            told = _study_progress(self.matrix.status, self._left(self.matrix.status))
        except PreceptorError as error:
            self.report(str(error))
            return
        self.report("")
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

    @property
    def status(self) -> Status | None:
        """The status of the study."""
        return self.matrix.status.status if self.matrix else None

    def idle(self) -> frozenset[str]:
        """What cannot be asked of a study in its state, and of a run that is not there."""
        return super().idle() if self.chosen() else super().idle() | {"winner"}

    def on_row_table_moved(self) -> None:
        self._show_run()

    def on_row_table_opened(self) -> None:
        entry = self._entry()
        if entry is None:
            self.notify("this run has not begun", severity="warning")
        else:
            self.app.push_screen(RunScreen(entry.row.number))

    def action_winner(self) -> None:
        chosen = self.chosen()
        if chosen is None:
            self.notify("this run has no program yet", severity="warning")
        else:
            self.app.push_screen(ProgramScreen(chosen[0], chosen[1].id))

    def action_turn(self, step: int) -> None:
        numbers = sorted(row.number for row in self.app.reader.studies())
        others = [n for n in numbers if (n > self.study if step > 0 else n < self.study)]
        if others:
            self.app.switch_screen(StudyScreen(others[0] if step > 0 else others[-1]))

    def action_export_results(self) -> None:
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
                write = partial(describe_run, entry, self.app.reader.path)
                self._pane("run").show(f"run {entry.row.number}", write)
            self._previewed = entry
        self.show_hints()

    def _tabulate(self, status: StudyStatus) -> None:
        """Make the held-out table again where a run or a measurement has ended."""
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
            self.app.call_from_thread(self.report, str(error))
            return
        if self.is_attached:
            self.app.call_from_thread(self._show_tables, tables)

    def _show_tables(self, tables: Sequence[ResultTable]) -> None:
        def write(width: int) -> Content:
            return Content(page_held_out(tables, width) if tables else UNMEASURED)

        self._pane("held-out").show("held-out sets", write, from_top=False)

    def _pane(self, name: str) -> ReadingPane:
        return self.query_one(f"#{name}", ReadingPane)

    def _put(self, selector: str, content: Content) -> None:
        """Set a line; the same again paints nothing."""
        line = self.query_one(selector, Static)
        if str(line.content) != str(content):
            line.update(content, layout=False)

    def _show_head(self, status: StudyStatus) -> None:
        self._put("#header", _study_head(status, self.size.width))


def _say(text: str) -> Callable[[int], Content]:
    return lambda width: Content(text)


def _study_head(status: StudyStatus, width: int) -> Content:
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


def _study_progress(status: StudyStatus, left: str) -> str:
    """Runs and measurements as bars, what its other runs do, what they spent, the time left."""
    others = Counter(state for state in status.runs.values() if state not in FINISHED)
    parts = [f"runs {bar(status.done, status.total)} {status.done}/{status.total}"]
    parts += [f"{count} {state}" for state, count in others.items()]
    measured = count_measured(status)
    if measured is not None:
        parts.append(f"measured {bar(*measured)} {measured[0]}/{measured[1]}")
    return f" {'   '.join(filter(None, (*parts, status.spending, left)))}"
