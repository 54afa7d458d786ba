"""The forms that measure a program: the command that they type, and what it says."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Static

from engine.domain.text.plain_text import clean
from engine.store.store import Store
from tests.tui.exhibit import DONE, open_app, until
from tests.tui.hostile_run import ATTACK, IDEA
from tui.app.app import Preceptor
from tui.screens.command import MeasureScreen, OutputScreen
from tui.screens.run import RunScreen

SMALL = (80, 24)

SAYING = f"import sys; print({ATTACK!r}); print({IDEA!r}, end='x'); sys.exit(3)"
WAITING = "import time; print('begun', flush=True); time.sleep(600)"


def told_by(app: Preceptor) -> str:
    """What the command has written."""
    pane = app.screen.query_one("#output")
    return "\n".join(str(one.content) for one in pane.query(Static))


def end(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let any command be this program."""
    monkeypatch.setattr("tui.screens.command.COMMAND", (sys.executable, "-c", program))


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("T", "bench jssp --program run:3/p0013"),
        ("U", "tune jssp run:3/p0013 --output run3_p0013_tuned.py"),
        ("D", "diagnose jssp --program run:3/p0013"),
    ],
)
async def test_a_key_fills_in_the_form_for_the_program(
    key: str, command: str, exhibit: Path
) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.chosen())
        await pilot.press(key)
        assert isinstance(app.screen, MeasureScreen)
        typed = str(app.screen.query_one("#command", Static).content)
        assert typed == f"preceptor {command}"


@pytest.mark.parametrize(
    ("key", "words"),
    [("T", "--set random-6x6"), ("U", "--option design=random-6x6"), ("D", "--set random-6x6")],
)
async def test_the_form_begins_with_the_set_that_the_run_was_on(
    key: str, words: str, exhibit: Path
) -> None:
    with Store(exhibit) as store:
        spec = store.run(DONE).spec
        small = replace(spec, settings=replace(spec.settings, design="random-6x6"))
        store.jobs.extend_run(DONE, small)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.chosen())
        await pilot.press(key)
        assert words in str(app.screen.query_one("#command", Static).content)


async def test_what_a_command_writes_is_shown_plainly_with_its_code(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(monkeypatch, SAYING)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await app.push_screen(OutputScreen(("bench", "jssp")))
        pane = app.screen.query_one("#output")
        await until(pilot, lambda: "ended with code 3" in str(pane.border_title))
        assert clean(ATTACK) in told_by(app)
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        assert [line for line in lines if clean(line) != line] == []


@pytest.mark.parametrize("key", ["x", "escape"])
async def test_a_command_ends_by_a_key_and_with_its_screen(
    key: str, exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(monkeypatch, WAITING)
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        screen = OutputScreen(("bench", "jssp"))
        await app.push_screen(screen)
        await until(pilot, lambda: "begun" in told_by(app))
        assert screen._process is not None
        await pilot.press(key)
        assert await screen._process.wait() != 0
        assert (app.screen is screen) == (key == "x")


async def test_words_that_no_command_line_can_hold_are_told(exhibit: Path) -> None:
    app = open_app(exhibit, DONE)
    async with app.run_test(size=SMALL) as pilot:
        await app.push_screen(OutputScreen(("bench", "a\0b")))
        pane = app.screen.query_one("#output")
        await until(pilot, lambda: "ended with code 2" in str(pane.border_title))
        assert "null byte" in told_by(app)
