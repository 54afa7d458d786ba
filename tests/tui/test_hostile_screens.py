"""Every screen over hostile texts, over thousands of programs, and over none."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest
from textual.pilot import Pilot
from textual.worker import Worker

from engine.domain.text.plain_text import clean
from engine.domain.values import FailureKind
from engine.store.reader import Reader
from tests.tui import hostile_run
from tests.tui.every_screen import MAKERS, Kind, Place, settle
from tests.tui.exhibit import DONE, FAILED, LOST, open_app
from tests.tui.hostile_run import CROWDED, EMPTY, IDEA
from tui.app.app import Preceptor
from tui.screens.command import CommandScreen
from tui.screens.compare import CompareScreen
from tui.screens.forms import LabelScreen, ResumeScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.panes import PaneScreen
from tui.screens.program import DecisionScreen, ProgramScreen, ReflectionScreen, RolloutScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen

SMALL, WIDE = (80, 24), (160, 48)

OF_PROGRAMS: frozenset[Kind] = frozenset(
    {ProgramScreen, RolloutScreen, DecisionScreen, ReflectionScreen}
)
"""Screens that are opened from a program or a brief, of which an empty run has none."""

OF_RUNS: frozenset[Kind] = OF_PROGRAMS | {RunsScreen, RunScreen, CompareScreen, LeaderboardScreen}
"""Screens on which the number of programs counts."""

SAYS = (sys.executable, "-X", "utf8", "-c", f"print({IDEA!r})")
"""A command that writes what a terminal would obey."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile store with its crowd, built once."""
    db = tmp_path_factory.mktemp("crowd") / "runs.db"
    hostile_run.build(db, crowd=2000)
    return db


@pytest.fixture
def db(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store, nothing else in the working folder, and no look at this machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tui.screens.forms.PAUSE", 0.01)
    monkeypatch.setattr("tui.screens.command.COMMAND", SAYS)
    monkeypatch.setattr("engine.api.doctor._ask", lambda _: IDEA)
    monkeypatch.setattr("engine.api.resolve.local_writers", lambda: (IDEA,))
    return built


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """What was raised beside the screens, where nobody would see it."""
    raised: list[BaseException] = []
    run = Worker.run

    async def noted(worker: Worker[Any]) -> Any:
        try:
            return await run(worker)
        except Exception as error:
            raised.append(error)
            raise

    monkeypatch.setattr(Worker, "run", noted)
    return raised


def test_the_crowd_fails_in_every_way(db: Path) -> None:
    with Reader(db) as reader:
        found = reader.outlines(CROWDED)
        assert len(found) > 2000
        assert {one.failure.kind for one in found if one.failure} == set(get_args(FailureKind))
        assert not reader.outlines(EMPTY)


async def test_every_screen_of_a_hostile_run_is_plain(
    db: Path, broken: list[BaseException]
) -> None:
    await walk(open_app(db), Place(DONE, "p0013", LOST, 1, IDEA), MAKERS, SMALL)
    assert broken == []


async def test_every_screen_of_thousands_of_programs_is_plain(
    db: Path, broken: list[BaseException]
) -> None:
    await walk(open_app(db), Place(CROWDED, "p0000", EMPTY, 1, IDEA), OF_RUNS, WIDE)
    assert broken == []


async def test_every_screen_of_a_run_without_programs_is_plain(
    db: Path, broken: list[BaseException]
) -> None:
    forms: frozenset[Kind] = frozenset({ResumeScreen, LabelScreen, CommandScreen})
    kinds = (OF_RUNS - OF_PROGRAMS) | forms
    await walk(open_app(db), Place(EMPTY, "p0000", FAILED, 1), kinds, SMALL)
    assert broken == []


async def walk(app: Preceptor, place: Place, kinds: Iterable[Kind], size: tuple[int, int]) -> None:
    """Open screens one after the other; look at every pane, too."""
    async with app.run_test(size=size) as pilot:
        for kind in kinds:
            screen = MAKERS[kind](app, place)
            await app.push_screen(screen)
            await settle(pilot, screen)
            assert_plain(app, kind)
            if isinstance(screen, PaneScreen):
                await turn(pilot, screen)
            app.pop_screen()
            await pilot.pause()


async def turn(pilot: Pilot[None], screen: PaneScreen) -> None:
    """Through the panes of a screen, to the end of each."""
    for number in range(len(screen.PANES)):
        await pilot.press(str(number + 1), "G")
        assert_plain(screen.app, type(screen))
    await settle(pilot, screen)
    assert_plain(screen.app, type(screen))


def assert_plain(app: Any, kind: Kind) -> None:
    """No line of what is painted holds an unsafe character."""
    assert type(app.screen) is kind
    lines = [strip.text for strip in app.screen._compositor.render_strips()]
    assert any(lines)
    assert [line for line in lines if clean(line) != line] == []
