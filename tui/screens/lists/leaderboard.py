"""The leaderboard of a problem: its best programs over all runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.content import Content
from textual.widgets import Static

from engine.domain.names import name_variant
from engine.domain.text.plain_text import clean
from engine.monitor import Reader
from engine.monitor.leaderboard import read_leaderboard
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.screens.programs.program import ProgramScreen
from tui.widgets.panes.preview import describe_best
from tui.widgets.panes.reading import ReadingPane
from tui.widgets.table.leaderboard import LeaderboardTable

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from engine.domain.values import Candidate
    from engine.monitor.leaderboard import Leaderboard
    from problems import ProblemRef
    from tui.widgets import keymap as keys


class LeaderboardScreen(PaneScreen):
    """The programs as they stand when the screen opens; beside them the one under the cursor."""

    PANES = ("programs", "code")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a screen",)

    def __init__(self, problem: ProblemRef) -> None:
        super().__init__()
        self.problem = problem

    def compose(self) -> ComposeResult:
        """Header, table and code, hints."""
        name = clean(name_variant(self.problem, short=True))
        yield Static(Content(f" {name}  the best programs of all runs"), id="header")
        table = LeaderboardTable(id="programs", classes="pane list")
        yield from self.compose_panes((table, ReadingPane(id="code", classes="pane")))
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Read the runs once, in a thread."""
        super().on_mount()
        self._read()

    def on_row_table_moved(self) -> None:
        """Show the program under the cursor."""
        self._show_code()

    def on_row_table_opened(self) -> None:
        """Open the program in full."""
        chosen = self.chosen()
        if chosen is not None:
            self.app.push_screen(ProgramScreen(chosen[0], chosen[1].id))

    def chosen(self) -> tuple[int, Candidate] | None:
        """The program under the cursor."""
        standing = self.query_one(LeaderboardTable).standing
        return (standing.run.number, standing.candidate) if standing else None

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        try:
            with Reader(self.app.reader.path) as reader:
                board = read_leaderboard(reader, self.problem)
        except PreceptorError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error", timeout=15)
            return
        if self.is_attached:
            self.app.call_from_thread(self._show, board)

    def _show(self, board: Leaderboard) -> None:
        self.query_one(LeaderboardTable).show(board)
        self._show_code()

    def _show_code(self) -> None:
        chosen = self.chosen()
        if chosen is not None:
            run, candidate = chosen
            write = partial(describe_best, candidate)
            self.query_one(ReadingPane).show(f"run {run} {candidate.id}", write)
