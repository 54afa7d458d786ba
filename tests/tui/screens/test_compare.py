"""The screen of runs side by side: marking them in the list, and what it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widgets import Static

from engine.report import side_by_side
from engine.report.side_by_side import Comparison
from problems.errors import StoreError
from tests.tui.exhibit import DONE, LIVE, open_app, until
from tui.app.app import Preceptor
from tui.screens.compare import CompareScreen, _format_facts
from tui.screens.runs import RunsScreen, RunsTable
from tui.widgets.code import DiffPane

if TYPE_CHECKING:
    import pytest

MARKED = ("space", "j", "space", "c")
"""Marks the first two runs of the list, which are LIVE and DONE, and compares them."""


def told(app: Preceptor, pane: str) -> str:
    """What a pane says."""
    return str(app.screen.query_one(f"#{pane} Static", Static).content)


async def test_marked_runs_are_compared_in_the_order_of_their_marks(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*MARKED)
        assert isinstance(app.screen, CompareScreen)
        await until(pilot, lambda: "run 4" in told(app, "facts"))
        assert app.screen.runs == (LIVE, DONE)
        facts = told(app, "facts")
        assert "A run 4" in facts
        assert "B run 3" in facts
        assert "1 seed: too few for a claim about methods" in facts
        assert "best cost so far, by generation" in told(app, "curves")
        charts = app.screen.query_one("#curves Static", Static).content
        assert isinstance(charts, Content)
        colours = {charts.plain[s.start : s.end][:1]: str(s.style) for s in charts.spans}
        assert colours["A"] != colours["B"] and colours.keys() == {"A", "B"}
        assert "timeout" in told(app, "operators")
        assert str(app.screen.query_one(DiffPane).border_title) == "diff B run 3 → A run 4"
        await pilot.press("escape")
        assert isinstance(app.screen, RunsScreen)


async def test_a_warning_breaks_between_words(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*MARKED)
        assert isinstance(app.screen, CompareScreen)
        screen = app.screen
        await until(pilot, lambda: screen._comparison)
        assert screen._comparison is not None
        long = replace(screen._comparison, warnings=("compared " * 20,))
        lines = _format_facts(long, 50).plain.splitlines()
    assert [set(line.split()) for line in lines if "compa" in line] == [{"compared"}] * 4


async def test_a_mark_can_be_taken_away_and_one_run_is_not_compared(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=(80, 24)) as pilot:
        table = app.screen.query_one(RunsTable)
        await pilot.press("space", "j", "space")
        assert table.cursor == str(DONE)
        assert table.row(str(LIVE))[0].text == f"▸{LIVE}"
        assert "2 marked" in str(table.border_title)
        await pilot.press("g", "space", "c")
        assert table.marked == [DONE]
        assert isinstance(app.screen, RunsScreen)


async def test_a_comparison_that_takes_its_time_says_what_it_reads(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Event()
    compare = side_by_side.compare_groups

    def wait(*words: Any) -> Comparison:
        read.wait()
        return compare(*words)

    monkeypatch.setattr("tui.screens.compare.compare_groups", wait)
    app = open_app(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*MARKED)
        facts = app.screen.query_one("#facts")
        await until(pilot, lambda: "reading 31 programs" in str(facts.border_title))
        await pilot.press("2")
        assert app.focused is app.screen.query_one("#curves")
        read.set()
        await until(pilot, lambda: "run 4" in told(app, "facts"))


async def test_a_comparison_that_cannot_be_read_is_told(
    exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("runs.db: disk I/O error")

    monkeypatch.setattr("tui.screens.compare.compare_groups", fail)
    app = open_app(exhibit)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*MARKED)
        await until(pilot, lambda: app._notifications)
        assert [toast.message for toast in app._notifications] == ["runs.db: disk I/O error"]
