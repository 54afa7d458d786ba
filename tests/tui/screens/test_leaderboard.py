"""The best programs of a problem: over all runs, one figure a set, opened and exported by keys."""

from __future__ import annotations

from pathlib import Path

from engine.domain.records import Measurement
from engine.monitor.leaderboard import read_leaderboard
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.tui.exhibit import DONE, add_study, choose_another, open_app
from tui.screens.leaderboard import LeaderboardTable
from tui.screens.program import ProgramScreen


async def test_the_best_programs_stand_with_a_figure_for_every_set(exhibit: Path) -> None:
    study = add_study(exhibit)
    winner, _ = choose_another(exhibit)
    with Store(exhibit) as store:
        program = store.outline(DONE, winner)
        assert program is not None
        found = Measurement(
            "jssp", "random-10x10", program.program.hash, "program", (900.0,), 1.0, run=DONE
        )
        store.study_log.record_measurement(study, "key", found)
    app = open_app(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("L")
        await app.workers.wait_for_complete()
        table = app.screen.query_one(LeaderboardTable)
        heads = [column.name for column in table.shown_columns]
        assert heads[3:6] == ["design", "selection", "random-10x10"]
        costs = [float(table.row(key)[3].text) for key in table.row_keys]
        assert costs == sorted(costs)
        (measured,) = [table.row(key) for key in table.row_keys if table.row(key)[5].text != "-"]
        assert [cell.text for cell in measured[1:3]] == [str(DONE), winner]
        assert measured[4].text == "1990.25"
        assert measured[5].text == "900.000"
        await pilot.press("s", "s", "g", "enter")
        assert isinstance(app.screen, ProgramScreen)
        assert (app.screen.run, app.screen.id_shown) == (DONE, winner)


def test_programs_of_the_same_code_stand_once_and_other_problems_nowhere(exhibit: Path) -> None:
    with Reader(exhibit) as reader:
        board = read_leaderboard(reader, ProblemRef("jssp"))
        hashes = [standing.candidate.program.hash for standing in board.standings]
        assert len(set(hashes)) == len(hashes) > 10
        assert read_leaderboard(reader, ProblemRef("tsp")).standings == ()
        unloadable = read_leaderboard(reader, ProblemRef("./no-such-folder"))
        assert unloadable.sets == ()
        assert unloadable.standings == ()
