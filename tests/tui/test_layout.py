"""The pane that is shown alone: as it was when one comes back, in the next viewer, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tui.exhibit import DONE, LIVE, open_app, until
from tui.app.app import Preceptor, open_screen
from tui.commands.viewing import READ_ONLY, kept_layout
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen

ALONE = {"RunScreen": "diff"}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that this machine's user has chosen."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def shown(app: Preceptor) -> list[str]:
    """The panes of the screen of a run that take part in it."""
    if not isinstance(app.screen, RunScreen):
        return []
    panes = [app.screen.query_one(f"#{name}") for name in RunScreen.PANES]
    return [str(pane.id) for pane in panes if pane.size.width]


async def test_a_pane_alone_stays_so_behind_other_screens_and_on_the_next_run(
    exhibit: Path,
) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("5", "z")
        await until(pilot, lambda: shown(app) == ["diff"])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ProgramScreen))
        await pilot.press("escape")
        await until(pilot, lambda: shown(app) == ["diff"])
        await app.push_screen(RunScreen(LIVE))
        await until(pilot, lambda: shown(app) == ["diff"])
        await until(pilot, lambda: app.focused is not None and app.focused.id == "diff")
        await pilot.press("tab")
        await until(pilot, lambda: app.layout == {"RunScreen": "events"})
        await pilot.press("z")
        await until(pilot, lambda: app.layout == {})


async def test_a_pane_that_a_screen_has_not_is_passed_over(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    app.layout["RunScreen"] = "no-such-pane"
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: shown(app) == list(RunScreen.PANES))


def test_the_layout_is_that_of_the_last_time(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[dict[str, str]] = []

    def zoom(app: Preceptor) -> None:
        begun.append(dict(app.layout))
        app.layout.update(ALONE)

    monkeypatch.setattr(Preceptor, "run", zoom)
    open_screen(exhibit)
    open_screen(exhibit)
    assert begun == [{}, ALONE]


def test_a_viewer_that_only_reads_keeps_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_ONLY, "1")
    layout: dict[str, str] = {}
    with kept_layout(layout):
        layout.update(ALONE)
    after: dict[str, str] = {}
    with kept_layout(after):
        assert after == {}


@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(kept=st.binary(max_size=80))
def test_whatever_stands_in_the_file_is_read(kept: bytes, tmp_path: Path) -> None:
    file = tmp_path / "config/preceptor/layout"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"RunScreen diff\n" + kept)
    layout: dict[str, str] = {}
    with kept_layout(layout):
        assert all(word.isascii() for pair in layout.items() for word in pair)
