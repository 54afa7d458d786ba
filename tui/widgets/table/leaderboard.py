"""The best programs of a problem as a table, a column for every set that was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tui.text.formatting import figure, share
from tui.widgets import keymap as keys
from tui.widgets.frame.titles import retitle
from tui.widgets.table.table import Cell, Column, SortedTable, fit_columns

if TYPE_CHECKING:
    from textual.binding import BindingType

    from engine.monitor.leaderboard import Leaderboard, Standing

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
    def standing(self) -> Standing | None:
        """The program under the cursor."""
        if self._board is None or self.cursor is None:
            return None
        return self._board.standings[int(self.cursor)]

    def show(self, board: Leaderboard) -> None:
        """Show the programs."""
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
        known = {str(k): _facts(board, k, place) for place, k in enumerate(places, start=1)}
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
        return fit_columns((PLACE, *WHOSE, *sets, AGREE, *ORIGIN), self.size.width)


def _facts(board: Leaderboard, index: int, place: int) -> dict[str, str]:
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
