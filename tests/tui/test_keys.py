"""Every line of the table of keys, pressed where it works, and chosen from the palette."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from problems import ProblemRef
from tests.tui.exhibit import DONE, LIVE, add_study, open_app
from tui.app import palette
from tui.app.app import Preceptor
from tui.screens.catalogue import BenchmarksScreen, TeachersScreen
from tui.screens.command import OutputScreen
from tui.screens.forms import LaunchScreen
from tui.screens.leaderboard import LeaderboardScreen
from tui.screens.panes import PaneScreen
from tui.screens.program import DecisionScreen, ProgramScreen, ReflectionScreen, RolloutScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen
from tui.widgets import keymap as keys

PROGRAM = "p0013"


TABLE = {key.action.format(key=word) for key in keys.KEYS for word in key.keys.split()}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What keys and the palette asked for; nothing of the table is done."""
    actions: list[Any] = []
    do = Preceptor.run_action

    async def note(app: Preceptor, action: Any, *place: Any) -> bool:
        if action not in TABLE:  # Textual's own, such as copying a text that is selected
            return await do(app, action, *place)
        actions.append(action)
        return True

    monkeypatch.setattr(Preceptor, "run_action", note)
    return actions


def list_screens() -> Iterator[Screen[Any]]:
    """A screen of every kind."""
    yield RunsScreen()
    yield RunScreen(LIVE)
    program = ProgramScreen(DONE, PROGRAM)
    yield program
    yield DecisionScreen(DONE, PROGRAM, program._cases)
    yield ReflectionScreen(LIVE, [1, 2], 0)
    yield StudyScreen(1)
    yield LeaderboardScreen(ProblemRef("jssp"))
    yield TeachersScreen()
    yield BenchmarksScreen()
    yield RolloutScreen(DONE, PROGRAM)
    yield OutputScreen(("--version",))
    yield LaunchScreen()


async def test_every_key_and_every_line_of_the_palette_does_what_the_table_says(
    exhibit: Path, heard: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OutputScreen, "_follow", lambda self: None)
    add_study(exhibit)
    app = open_app(exhibit)
    known: set[keys.Scope] = {"a list"}
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        await press_all(pilot, "a list", heard)
        for screen in list_screens():
            await app.push_screen(screen)
            await pilot.pause()
            for pane in range(len(screen.PANES) if isinstance(screen, PaneScreen) else 1):
                if isinstance(screen, PaneScreen):
                    screen.action_pane(pane + 1)
                    await pilot.pause()
                for _, scope in palette.places(app, screen):
                    if scope not in known:
                        known.add(scope)
                        await press_all(pilot, scope, heard)
                await choose_all(app, heard)
    assert known == set(keys.scopes())


async def press_all(pilot: Pilot[None], scope: keys.Scope, heard: list[Any]) -> None:
    """Press every key of a scope in which the focus is."""
    for entry in (entry for entry in keys.KEYS if entry.scope == scope):
        for word in entry.keys.split():
            heard.clear()
            await pilot.press(word)
            assert heard == [entry.action.format(key=word)], (scope, word)


async def choose_all(app: Preceptor, heard: list[Any]) -> None:
    """Choose every action that the palette offers here: each does what its line of keys says."""
    here = {key.title for _, scope in palette.places(app, app.screen) for key in of(scope)}
    offered = {command.title: command for command in palette._offer_keys(app, app.screen)}
    assert set(offered) <= here
    for title, command in offered.items():
        heard.clear()
        await command.callback()
        assert len(heard) == 1, title
        same = [key.first_action for key in keys.KEYS if key.title == title]
        assert heard[0] in same, title


def of(scope: keys.Scope) -> list[keys.Key]:
    """The lines of a scope."""
    return [key for key in keys.KEYS if key.scope == scope]
