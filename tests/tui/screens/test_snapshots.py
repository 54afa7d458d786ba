"""Pictures of every screen at both sizes; after a wanted change: pytest --snapshot-update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.content import Content
from textual.widgets import Static

from tests.engine.builders import import_demo
from tests.tui.captures import ROOT, draw, file_of, insert
from tests.tui.exhibit import DONE, LIVE, add_study, measure_study, open_app, until
from tui.screens.lists.benchmarks import BenchmarksScreen
from tui.screens.programs.program import ProgramScreen
from tui.widgets.code.diff import DiffPane
from tui.widgets.table.catalogue import CatalogueTable, Item
from tui.widgets.table.leaderboard import LeaderboardTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from engine.api.resolve import RunRequest
    from tui.app.app import Preceptor

    Snap = Callable[..., bool]

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=lambda s: f"{s[0]}x{s[1]}")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour settings of the developer's own."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)


@SIZES
def test_picture_of_a_run_at_work(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    assert snap_compare(open_app(exhibit, LIVE), terminal_size=size)


@SIZES
def test_picture_of_a_finished_run_in_the_light(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    app = open_app(exhibit, DONE)
    app.theme = "textual-light"
    assert snap_compare(app, press=["5"], terminal_size=size)


@SIZES
def test_picture_of_a_program(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit, DONE), press=["enter", "3"], terminal_size=size)


@SIZES
def test_picture_of_a_decision(snap_compare: Snap, tmp_path: Path, size: tuple[int, int]) -> None:
    import_demo(tmp_path / "runs.db")
    app = open_app(tmp_path / "runs.db", 1)

    async def open_decision(pilot: Pilot[None]) -> None:
        await app.push_screen(ProgramScreen(1, "p0010"))
        await pilot.press("d")
        pane = app.screen.query_one("#decision")
        await until(
            pilot, lambda: any("teacher's choice" in str(s.content) for s in pane.query(Static))
        )
        await pilot.pause()

    assert snap_compare(app, run_before=open_decision, terminal_size=size)


@SIZES
def test_picture_of_the_runs(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit), press=["j"], terminal_size=size)


@SIZES
def test_picture_of_runs_side_by_side(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    async def compare(pilot: Pilot[None]) -> None:
        await pilot.press("space", "j", "space", "c", "2")
        diff = pilot.app.screen.query_one(DiffPane)
        await until(pilot, lambda: "run 3" in str(diff.border_title))
        await pilot.pause()

    assert snap_compare(open_app(exhibit), run_before=compare, terminal_size=size)


@SIZES
def test_picture_of_a_study(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    measure_study(exhibit, add_study(exhibit))

    async def measured(pilot: Pilot[None]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    assert snap_compare(open_app(exhibit, study=1), run_before=measured, terminal_size=size)


@SIZES
def test_picture_of_the_leaderboard(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int]
) -> None:
    async def rank(pilot: Pilot[None]) -> None:
        await pilot.press("L")
        table = pilot.app.screen.query_one(LeaderboardTable)
        await until(pilot, lambda: table.row_keys)
        await pilot.press("j")

    assert snap_compare(open_app(exhibit), run_before=rank, terminal_size=size)


@SIZES
def test_picture_of_the_help(snap_compare: Snap, exhibit: Path, size: tuple[int, int]) -> None:
    assert snap_compare(open_app(exhibit, DONE), press=["?"], terminal_size=size)


def test_picture_of_the_question_before_a_stop(snap_compare: Snap, exhibit: Path) -> None:
    assert snap_compare(open_app(exhibit, LIVE), press=["x"], terminal_size=(80, 24))


@SIZES
def test_picture_of_the_form(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_: Preceptor, request: RunRequest) -> str:
        return "jssp: 64 instances of design\nours: 5 generations of 5 children\nteacher: none"

    monkeypatch.setattr("tui.app.app.Preceptor.look_ahead", answer)
    monkeypatch.setattr("tui.screens.forms.form.PAUSE", 0.01)

    async def open_form(pilot: Pilot[None]) -> None:
        await pilot.press("n", "tab", "tab")
        forecast = pilot.app.screen.query_one("#forecast", Static)
        await until(pilot, lambda: "✓" in str(forecast.content))

    assert snap_compare(open_app(exhibit), run_before=open_form, terminal_size=size)


@SIZES
def test_picture_of_a_catalogue(
    snap_compare: Snap, exhibit: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def item(name: str) -> Item:
        cells = {column.name: f"{column.name[:4]} {name}" for column in BenchmarksScreen.COLUMNS}
        return Item(name, cells, lambda width: Content(f"all that is known of {name}"))

    monkeypatch.setattr(BenchmarksScreen, "collect", lambda *_: [item("one"), item("two")])

    async def open_sets(pilot: Pilot[None]) -> None:
        await pilot.press("b")
        table = pilot.app.screen.query_one(CatalogueTable)
        await until(pilot, lambda: table.row_keys)
        await pilot.press("j")

    assert snap_compare(open_app(exhibit), run_before=open_sets, terminal_size=size)


@SIZES
async def test_the_manual_shows_the_screens_as_they_are(
    exhibit: Path, size: tuple[int, int]
) -> None:
    picture = await draw(exhibit, size)
    assert file_of(size).read_text("utf-8") == picture, "redraw: python -m tests.tui.captures"
    if size == (80, 24):
        readme = (ROOT / "README.md").read_text("utf-8")
        assert insert(readme, picture) == readme
