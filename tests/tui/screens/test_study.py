"""The screen of a study: its matrix fills, runs and winners open by a key, orders are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Static

from engine.domain.status import Job
from engine.monitor.study_status import StudyMatrix, read_study_matrix
from engine.report.tables import read_tables
from engine.store.reader import Reader
from engine.store.store import Store
from tests.tui.exhibit import NOW, add_study, measure_study, open_app, until
from tui.app.app import Preceptor
from tui.screens.boxes import Confirm
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import MatrixTable, StudyScreen
from tui.text.pages.study import count_measured, page_held_out

WIDE, SMALL = (160, 48), (80, 24)
DONE, WORKING, FAILED, OTHER = 5, 6, 7, 8
"""The runs of the study, in the order in which they were booked."""


@pytest.fixture
def db(exhibit: Path) -> Path:
    """The fixed store with a study."""
    assert add_study(exhibit) == 1
    return exhibit


def table_of(app: Preceptor) -> MatrixTable:
    """The matrix."""
    return app.screen.query_one(MatrixTable)


def cells_of(app: Preceptor, row: int) -> list[str]:
    """The texts of one arm."""
    return [cell.text for cell in table_of(app).row(str(row))]


def told_by(app: Preceptor, pane: str) -> str:
    """What a pane, or a line, says."""
    return "\n".join(str(one.content) for one in app.screen.query_one(pane).query(Static))


async def test_the_matrix_has_a_row_for_each_arm_and_a_cell_for_each_seed(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=WIDE):
        ours, blind = cells_of(app, 0), cells_of(app, 1)
        means = (ours[4], blind[4])
        assert [cell.split()[0] for cell in ours] == ["ours", "✓", "●", "✗", means[0].split()[0]]
        assert ours[2].split()[1] == "1/5"
        assert blind[2:4] == ["·", "·"]
        assert [mean.startswith("★") for mean in means].count(True) == 1
        assert "2/6" in str(app.screen.query_one("#change", Static).content)


async def test_the_matrix_fills_while_it_is_looked_at(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=WIDE):
        with Store(db) as store:
            spec = store.study(1).spec
            store.study_log.enlist(1, 4, spec.runs()[4])
            store.jobs.release(Job("run", WORKING), "budget")
        assert isinstance(app.screen, StudyScreen)
        app.screen.look()
        assert cells_of(app, 0)[2].startswith("$ 1/5")
        assert cells_of(app, 1)[2].startswith("◌")
        assert "3/6" in str(app.screen.query_one("#change", Static).content)


async def test_a_run_that_did_not_change_is_not_read_again(db: Path) -> None:
    with Reader(db) as reader:
        first = read_study_matrix(reader, 1, now=NOW)
        second = read_study_matrix(reader, 1, first, NOW)
        assert second == first
        assert all(
            a is b for a, b in zip(first.rows[0].entries, second.rows[0].entries, strict=True)
        )


async def test_a_study_at_rest_is_read_once_and_again_when_it_changes(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(db) as store:
        store.jobs.release(Job("run", WORKING), "budget")
        store.jobs.release(Job("study", 1), "paused")
    read: list[int] = []

    def count(reader: Reader, study: int, *known: Any) -> StudyMatrix:
        read.append(study)
        return read_study_matrix(reader, study, *known)

    monkeypatch.setattr("tui.screens.study.read_study_matrix", count)
    app = open_app(db, study=1)
    async with app.run_test(size=WIDE) as pilot:
        assert isinstance(app.screen, StudyScreen)
        app.screen.look()
        app.screen.look()
        assert read == [1]
        await pilot.resize_terminal(*SMALL)
        assert len(str(app.screen.query_one("#header", Static).content)) == SMALL[0]
        with Store(db) as store:
            spec = store.study(1).spec
            store.study_log.enlist(1, 4, spec.runs()[4])
        app.screen.look()
        assert read == [1, 1]
        assert cells_of(app, 1)[2].startswith("◌")


async def test_enter_opens_the_run_and_w_its_winner(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("w")
        assert isinstance(app.screen, ProgramScreen)
        assert app.screen.run == DONE
        await pilot.press("escape", "l", "enter")
        assert isinstance(app.screen, RunScreen)
        assert app.screen.run == WORKING
        await pilot.press("escape", "j", "enter", "w")
        assert isinstance(app.screen, StudyScreen)
        told = [note.message for note in app._notifications]
        assert told == ["this run has not begun", "this run has no program yet"]


async def test_a_click_chooses_a_run_and_a_second_one_opens_it(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.click(MatrixTable, offset=(26, 2))
        entry = table_of(app).entry
        assert entry is not None
        assert entry.row.number == WORKING
        await pilot.click(MatrixTable, offset=(26, 2))
        assert isinstance(app.screen, RunScreen)


async def test_the_chosen_seed_is_in_sight_however_narrow(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=(60, 16)) as pilot:
        for key in ("l", "l", "h", "h"):
            await pilot.press(key)
            heads = [column.name for column in table_of(app).shown_columns]
            assert heads[table_of(app).cursor_column] == f"seed {table_of(app)._seed}"


async def test_the_figure_in_the_cells_changes(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("v", "v")
        assert cells_of(app, 0)[1].startswith("✓ 0.")
        assert "agreement" in str(table_of(app).border_title)
        await pilot.press("v")
        assert cells_of(app, 0)[1] == "✓ 2/2"


async def test_the_study_is_paused_and_stopped_by_keys(db: Path) -> None:
    app = open_app(db, study=1)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("p")
        assert len(list(Path(f"{db}.ctl").glob("study-1/*.json"))) == 1
        await pilot.press("x")
        assert isinstance(app.screen, Confirm)
        await pilot.press("y")
        assert len(list(Path(f"{db}.ctl").glob("study-1/*.json"))) == 2


async def test_a_paused_study_is_resumed_by_a_key(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed: list[int] = []
    monkeypatch.setattr(
        "engine.api.study.Study.launch", lambda study: resumed.append(study.number)
    )
    with Store(db) as store:
        store.jobs.release(Job("study", 1), "paused")
    app = open_app(db, study=1)
    async with app.run_test(size=SMALL) as pilot:
        assert "pause" in app.screen.idle() if isinstance(app.screen, StudyScreen) else False
        await pilot.press("r")
        await app.workers.wait_for_complete()
        assert resumed == [1]
        assert isinstance(app.screen, StudyScreen)


@pytest.mark.parametrize("size", [WIDE, SMALL, (60, 16)], ids=str)
async def test_held_out_sets_show_intervals_and_the_papers_figures(
    db: Path, size: tuple[int, int]
) -> None:
    measure_study(db, 1)
    app = open_app(db, study=1)
    async with app.run_test(size=size) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: "spt" in told_by(app, "#held-out"))
        told = told_by(app, "#held-out")
        head = next(line for line in told.split("\n") if "solver" in line)
        assert all(name in head for name in ("mean", "95 % interval", "paper"))
        ours = next(line for line in told.split("\n") if line.startswith("★ "))
        assert "ours" in ours
        assert "910.50" in ours
        assert "915.87" in ours
        assert "4/10" in str(app.screen.query_one("#change", Static).content)


async def test_the_studies_are_behind_a_key_of_the_list_and_in_the_palette(db: Path) -> None:
    app = open_app(db)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("u")
        assert isinstance(app.screen, StudyScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, RunsScreen)
        commands = {one.title: one for one in app.get_system_commands(app.screen)}
        assert {"Open study 1", "Pause study 1", "Stop study 1"} <= set(commands)


async def test_a_store_without_a_study_says_how_to_begin_one(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("u")
        assert isinstance(app.screen, RunsScreen)
        (note,) = app._notifications
        assert "A starts one from its file" in note.message


async def test_neighbouring_studies_are_a_key_away(db: Path) -> None:
    assert add_study(db) == 2
    app = open_app(db, study=1)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("full_stop")
        assert isinstance(app.screen, StudyScreen)
        assert app.screen.study == 2
        await pilot.press("full_stop", "comma")
        assert isinstance(app.screen, StudyScreen)
        assert app.screen.study == 1


@given(st.text())
def test_no_reason_of_a_study_breaks_its_progress(reason: str) -> None:
    from unittest.mock import Mock

    status = Mock()
    status.row.reason = f"{reason} measured 9{'9' * 5000} of 1"
    count_measured(status)
    status.row.reason = f"measured 3 of 80{reason}"
    found = count_measured(status)
    assert found is not None
    assert found[0] == 3


@pytest.mark.parametrize("width", [58, 78])
def test_notes_of_the_held_out_table_are_broken_between_words(db: Path, width: int) -> None:
    measure_study(db, 1)
    with Reader(db) as reader:
        tables = read_tables(reader, 1)
    notes = page_held_out(tables, width).rpartition("\n\n")[2]
    assert max(map(len, notes.split("\n"))) <= width
    told = " ".join(notes.split())
    assert all(" ".join(note.replace("bold:", "★:").split()) in told for note in tables[-1].notes)
