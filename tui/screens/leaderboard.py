"""The leaderboard of a problem: its best programs over all runs."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from engine.domain.names import name_variant
from engine.domain.text.plain_text import clean
from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.monitor.leaderboard import Leaderboard, RankedProgram, read_leaderboard
from problems import ProblemRef
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.screens.program import ProgramScreen
from tui.text.formatting import figure, share
from tui.widgets import keymap as keys
from tui.widgets.detail import describe_best
from tui.widgets.frame import retitle
from tui.widgets.table import Cell, Column, SortedTable, fit_columns
from tui.widgets.text_pane import ReadingPane

PLACE = Column("place", 6, right=True)
WHOSE = (Column("run", 5, right=True), Column("program", 9))
ORIGIN = (Column("method", 16, rank=1), Column("seed", 5, right=True, rank=2))
AGREE = Column("agree", 7, right=True)
WIDEST = 20
"""Cells of the column of a set at most."""


class LeaderboardTable(SortedTable):
    """A line for each program, by its figure on the first set at the beginning."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a leaderboard")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a leaderboard", "a sorted table", "a table")

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._board: Leaderboard | None = None

    @property
    def standing(self) -> RankedProgram | None:
        """The program under the cursor."""
        if self._board is None or self.cursor is None:
            return None
        return self._board.standings[int(self.cursor)]

    def show(self, board: Leaderboard) -> None:
        self._board = board
        self.refill()

    def orders(self) -> tuple[str, ...]:
        """The sets."""
        return self._board.sets if self._board else ()

    def refill(self) -> None:
        """The programs that the filter lets through, the best on the chosen set first."""
        board = self._board
        if board is None:
            return
        by = self.order.by if self.order.by in board.sets else next(iter(board.sets), "")
        costs = [standing.costs.get(by) for standing in board.standings]
        places = self.order.apply(range(len(costs)), costs.__getitem__)
        columns = self._choose_columns(board, by)
        known = {
            str(k): _standing_facts(board, k, place) for place, k in enumerate(places, start=1)
        }
        texts = [standing.candidate.program.code for standing in board.standings]
        rows = {
            key: tuple(Cell(facts[column.name]) for column in columns)
            for key, facts in known.items()
            if self.filter.accepts(facts, {"code": texts[int(key)]})
        }
        self.set_rows(columns, rows, self.cursor)
        sifted = self.describe_filter(len(known))
        reverse = " reversed" if self.order.reverse else ""
        retitle(self, f"programs {len(rows)}{sifted} · by {by or 'cost'}{reverse}")

    def _choose_columns(self, board: Leaderboard, by: str) -> tuple[Column, ...]:
        """The set that is sorted by always; of the others, those that fit."""
        sets = [
            Column(
                name,
                min(WIDEST, max(len(name), 9) + 2),
                right=True,
                rank=0 if name == by else 3 + k,
            )
            for k, name in enumerate(board.sets)
        ]
        return fit_columns((PLACE, *WHOSE, *sets, AGREE, *ORIGIN), self.room)


def _standing_facts(board: Leaderboard, index: int, place: int) -> dict[str, str]:
    """What the columns hold, by their names."""
    standing = board.standings[index]
    found = board.objectives[index]
    spec = standing.run.spec
    return {
        **{name: figure(found.get(name)) for name in board.sets},
        "place": str(place),
        "run": str(standing.run.number),
        "program": standing.candidate.id,
        "agree": share(standing.candidate.agreement),
        "method": spec.label,
        "seed": str(spec.seed),
    }


class LeaderboardScreen(PaneScreen):
    """The programs as they stand when the screen opens; beside them the one under the cursor."""

    PANES = ("programs", "code")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a screen",)

    def __init__(self, problem: ProblemRef) -> None:
        super().__init__()
        self.problem = problem

    def compose(self) -> ComposeResult:
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
        self._show_code()

    def on_row_table_opened(self) -> None:
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
