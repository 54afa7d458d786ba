"""The list of runs: signs of their states, opening, filtering, keeping up with the store."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from textual.widgets import Static

from engine.domain.specs.settings import RunSpec
from engine.domain.status import Job
from engine.store.store import Store
from problems import ProblemRef
from tests.tui.exhibit import DONE, FAILED, LIVE, LOST, NOW, add_study, open_app
from tui.app.app import Preceptor, open_screen
from tui.app.palette import is_meant
from tui.screens.boxes import Confirm
from tui.screens.forms import LaunchScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen, RunsTable
from tui.widgets.frame import Hints

WIDE, SMALL = (160, 48), (80, 24)


def table_of(app: Preceptor) -> RunsTable:
    """The table of runs."""
    return app.screen.query_one(RunsTable)


def preview_of(app: Preceptor) -> str:
    """What the preview says."""
    return str(app.screen.query_one("#preview Static", Static).content)


async def test_every_state_has_a_sign_besides_its_colour(exhibit: Path) -> None:
    with Store(exhibit) as store:
        store.jobs.release(Job("run", LOST), "running")
    app = open_app(exhibit)
    async with app.run_test(size=SMALL):
        states = {run: table_of(app).row(run)[1].text for run in table_of(app).row_keys}
        assert states == {
            str(LIVE): "● running",
            str(DONE): "✓ done",
            str(FAILED): "✗ failed",
            str(LOST): "! interrupted",
        }


async def test_enter_opens_a_run_and_escape_comes_back(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "enter")
        assert isinstance(app.screen, RunScreen)
        assert app.screen.run == DONE
        await pilot.press("escape")
        assert isinstance(app.screen, RunsScreen)
        assert table_of(app).cursor == str(DONE)


async def test_a_second_click_on_a_run_opens_it(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.click(RunsTable, offset=(10, 3))
        assert isinstance(app.screen, RunsScreen)
        assert table_of(app).cursor == str(DONE)
        await pilot.click(RunsTable, offset=(10, 3))
        assert isinstance(app.screen, RunScreen)


async def test_the_preview_goes_with_the_cursor(exhibit: Path) -> None:
    with Store(exhibit) as store:
        store.jobs.release(Job("run", LOST), "running")
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        assert "best p0008" in preview_of(app)
        await pilot.press("G")
        assert f"resume with: preceptor resume {LOST}" in preview_of(app)
        await pilot.press("k")
        assert "the problem folder ./shop has no problem.py" in preview_of(app)


async def test_runs_are_filtered(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("slash", *"status:done", "enter")
        assert table_of(app).row_keys == [str(DONE)]
        assert "filter status:done" in str(table_of(app).border_title)
        await pilot.press("slash", "escape")
        assert len(table_of(app).row_keys) == 4


async def test_runs_are_sorted_and_stand_in_groups(exhibit: Path) -> None:
    add_study(exhibit)
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        table = table_of(app)
        assert table.row_keys == ["8", "7", "6", "5", "4", "3", "2", "1"]
        await pilot.press("s")
        costs = [app.screen._entries[int(run)].best for run in table.row_keys]  # type: ignore[attr-defined]
        known = [best.cost for best in costs if best is not None]
        assert known == sorted(known)
        assert costs[len(known) :] == [None] * (len(costs) - len(known)) != []
        assert "sort best" in str(table.border_title)
        await pilot.press("S")
        assert table.row_keys[: len(known)] == [
            str(run) for run in reversed([int(run) for run in table.row_keys[: len(known)]])
        ] or "reversed" in str(table.border_title)
        await pilot.press("S", *"sssss", "o", "o")
        assert "by study" in str(table.border_title)
        assert table.shown_columns[0].name == "study"
        named = [table.row(run)[0].text for run in table.row_keys]
        assert named == ["1", "", "", "", "-", "", "", ""]
        await pilot.press("o")
        assert "by" not in str(table.border_title)


async def test_a_new_run_appears(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL):
        with Store(exhibit) as store:
            number = store.jobs.create_run(RunSpec(ProblemRef("jssp"), method="no-pareto"))
        assert isinstance(app.screen, RunsScreen)
        app.screen.look()
        assert table_of(app).row_keys[0] == str(number)
        assert table_of(app).cursor == str(LIVE)


async def test_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    app = open_app(tmp_path / "runs.db")
    async with app.run_test(size=SMALL) as pilot:
        assert "preceptor run PROBLEM" in str(app.screen.query_one("#empty", Static).content)
        await pilot.press("enter", "y")
        assert isinstance(app.screen, RunsScreen)
    assert not (tmp_path / "runs.db").exists()


async def test_the_palette_finds_runs_and_programs_by_name(exhibit: Path) -> None:
    app = open_app(exhibit, LIVE)
    async with app.run_test(size=SMALL) as pilot:
        screen = app.screen
        commands = {command.title: command for command in app.get_system_commands(screen)}
        assert f"Open run {DONE}" in commands
        assert isinstance(screen, RunScreen)
        commands["Program p0004"].callback()
        await pilot.pause()
        assert screen.snapshot is not None
        assert screen.snapshot.at(screen.selected) == screen.snapshot.member("p0004")
        await commands["Pause the run until it is resumed"].callback()
        assert list(Path(f"{exhibit}.ctl").glob(f"{LIVE}/*.json"))


async def test_the_palette_knows_every_verb_from_the_list(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        titles = [command.title for command in app.get_system_commands(app.screen)]
        for verb in (
            "Export",
            "Copy",
            "Resume",
            "Quit",
            "Runs",
            "New",
            "Teachers",
            "Sets",
            "Theme",
        ):
            assert any(title.startswith(verb) for title in titles), verb
        assert f"Stop run {LIVE}" in titles
        assert f"Pause run {LIVE}" in titles
        assert f"Stop run {DONE}" not in titles
        assert f"Remove run {DONE} for good" in titles
        assert f"Export run {DONE} to a file" in titles
        assert f"Resume run {DONE}" not in titles
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands[f"Stop run {LIVE}"].callback()
        await pilot.pause()
        assert isinstance(app.screen, Confirm)
        await pilot.press("y")
        assert list(Path(f"{exhibit}.ctl").glob(f"{LIVE}/*.json"))


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("stop run", "Stop run 4"),
        ("kill run", "Stop run 4"),
        ("delete", "Remove run 3 for good"),
        ("exit", "Quit"),
        ("leaderboard", "Rank the best programs of jssp"),
        ("continue run 1", "Resume run 1"),
    ],
)
def test_another_word_for_a_verb_finds_it(typed: str, title: str) -> None:
    assert is_meant(typed, title)
    assert not is_meant(f"{typed} nonsense", title)


async def test_a_screen_opened_by_the_palette_is_not_opened_twice(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(2):
            commands = {one.title: one for one in app.get_system_commands(app.screen)}
            commands["Teachers: who they are and what they reach"].callback()
            await pilot.pause()
        assert [type(screen).__name__ for screen in app.screen_stack[-2:]] == [
            "RunsScreen",
            "TeachersScreen",
        ]


@pytest.mark.parametrize(
    ("run", "named", "unnamed"), [(DONE, "Enter open", "x stop"), (LIVE, "x stop", "r resume")]
)
async def test_hints_name_what_can_be_done_to_the_run_now(
    exhibit: Path, run: int, named: str, unnamed: str
) -> None:
    app = open_app(exhibit, run)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        line = str(app.screen.query_one(Hints).content)
        assert named in " ".join(line.split())
        assert unnamed not in " ".join(line.split())


async def test_stopping_a_run_that_has_ended_asks_nothing(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("x")
        await pilot.pause()
        assert isinstance(app.screen, RunScreen)
        assert "has ended already" in next(iter(app._notifications)).message


async def test_the_clock_of_a_list_never_ticks(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL):
        before = [table_of(app).row(run) for run in table_of(app).row_keys]
        app.clock = lambda: NOW + 5
        assert isinstance(app.screen, RunsScreen)
        app.screen.look()
        assert [table_of(app).row(run) for run in table_of(app).row_keys] == before


def test_a_screen_ends_with_its_terminal_where_hangups_are_ignored(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Preceptor, "run", lambda self: None)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        open_screen(exhibit)
        now = signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert now == signal.SIG_DFL


@pytest.mark.parametrize("width", [160, 120, 80, 60])
async def test_best_cost_and_agreement_are_there_in_any_width(exhibit: Path, width: int) -> None:
    add_study(exhibit)
    app = open_app(exhibit)
    async with app.run_test(size=(width, 40)):
        shown = table_of(app).shown_columns
        assert {"run", "status", "best", "agree"} <= {column.name for column in shown}
        assert sum(column.width for column in shown) <= table_of(app).size.width


async def test_a_click_on_a_hint_does_what_its_key_does(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        line = str(app.screen.query_one(Hints).content)
        await pilot.click(Hints, offset=(line.index("n new") + 2, 0))
        assert isinstance(app.screen, LaunchScreen)
        line = str(app.screen.query_one(Hints).content)
        await pilot.click(Hints, offset=(line.index("Esc back"), 0))
        assert isinstance(app.screen, RunsScreen)
        await pilot.click(Hints, offset=(str(app.screen.query_one(Hints).content).index("^P"), 0))
        assert not isinstance(app.screen, RunsScreen)


async def test_the_focus_survives_a_terminal_that_was_too_small(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        for keys in ((), ("n", "tab")):
            await pilot.press(*keys)
            focused = app.screen.focused
            await pilot.resize_terminal(30, 8)
            await pilot.pause()
            await pilot.resize_terminal(*SMALL)
            await pilot.pause()
            assert app.screen.focused is focused is not None


async def test_an_empty_list_names_no_key_that_is_about_a_run(tmp_path: Path) -> None:
    app = open_app(tmp_path / "runs.db")
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        hints = str(app.screen.query_one(Hints).content)
    assert "n new" in hints
    assert "t teachers" in hints
    for word in ("mark", "open", "label", "file", "more", "group", "best", "filter"):
        assert word not in hints.split()
