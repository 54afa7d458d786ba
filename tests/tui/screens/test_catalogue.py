"""Teachers and instance sets: what is listed, what is said of each, and how little it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Static

from problems.sets.library import holdings
from tests.tui.exhibit import open_app
from tui.app.app import Preceptor
from tui.screens.catalogue import NARROWEST, CatalogueTable, fit_columns
from tui.screens.runs import RunsScreen
from tui.widgets.table import Column

WIDE, SMALL = (160, 48), (80, 24)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that this machine's user imported or trained."""
    monkeypatch.setenv("PRECEPTOR_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(tmp_path / "teachers"))


def table_of(app: Preceptor) -> CatalogueTable:
    """The table of the screen."""
    return app.screen.query_one(CatalogueTable)


def told_by(app: Preceptor) -> str:
    """What is said of the item under the cursor."""
    return str(app.screen.query_one("#about Static", Static).content)


async def test_a_teacher_is_told_with_origin_figures_and_how_to_check_it(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("t")
        await app.workers.wait_for_complete()
        assert "offline-l2d" in table_of(app).row_keys
        await pilot.press("slash", *"offline-l2d", "enter")
        assert table_of(app).row_keys == ["offline-l2d"]
        cells = [cell.text for cell in table_of(app).row("offline-l2d")]
        assert cells[:4] == ["offline-l2d", "jssp", "the paper's", "shipped"]
        for part in ("random-20x20", "seed: 0", "preceptor teachers verify offline-l2d"):
            assert part in told_by(app)
        await pilot.press("escape", "escape")  # the filter, then the screen
        assert isinstance(app.screen, RunsScreen)


async def test_a_broken_header_is_told_not_thrown(exhibit: Path, tmp_path: Path) -> None:
    (tmp_path / "teachers").mkdir()
    (tmp_path / "teachers/mine.json").write_text("{")
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("t")
        await app.workers.wait_for_complete()
        assert "mine.json is not a teacher header" in next(t.message for t in app._notifications)


async def test_every_set_is_listed_with_what_is_known_of_it(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await app.workers.wait_for_complete()
        assert table_of(app).row_keys == [f"{one.problem} {one.name}" for one in holdings()]
        await pilot.press("slash", *"set:tsplib", "enter")
        assert "preceptor data fetch tsplib" in told_by(app)
        await pilot.press("slash", "escape")
        await pilot.press("slash", *"problem:tsp set:design", "enter")
        row = [cell.text for cell in table_of(app).row("tsp design")]
        assert row[3:5] == ["generated", "own"]
        assert "best known by LKH" in told_by(app) and f"mean {row[5]}" in told_by(app)


async def test_one_pane_at_a_time_shows_the_text_behind_enter(exhibit: Path) -> None:
    app = open_app(exhibit)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("b")
        await app.workers.wait_for_complete()
        about = app.screen.query_one("#about")
        assert not about.display or not about.region
        await pilot.press("enter")
        assert about.region.width == SMALL[0]


def test_a_screen_of_sets_loads_nothing_heavy(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from tui.screens.catalogue import BenchmarksScreen
from tui.screens.forms import LaunchScreen
from tui.screens.catalogue import TeachersScreen
for screen in (BenchmarksScreen(), TeachersScreen()):
    assert screen.collect(Path("runs.db"))
print([name for name in ("torch", "numba", "scipy", "openai") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_the_application_loads_neither_prompts_nor_what_runs_a_search() -> None:
    program = """
import sys
import tui.app.app
heavy = ("torch", "numba", "scipy", "openai", "numpy")
own = ("engine.search.prompts", "engine.runtime", "engine.evaluate", "engine.report.layouts")
print([name for name in (*heavy, *own) if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_watching_a_run_loads_nothing_that_starts_one() -> None:
    program = """
import sys
import engine.api.store, tui.commands.narrate, tui.app.app
heavy = ("torch", "numba", "scipy", "openai", "numpy")
own = ("engine.api.export", "engine.api.resolve", "engine.evaluate", "engine.diagnosis")
print([name for name in (*heavy, *own) if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 160))
def test_columns_fill_the_width_and_none_is_left_out_while_there_is_room(
    widths: list[int], width: int
) -> None:
    columns = [Column(f"column {k}", each) for k, each in enumerate(widths)]
    fitting = fit_columns(columns, width)
    room = width - sum(column.width for column in fitting)
    assert [column.name for column in fitting] == [c.name for c in columns[: len(fitting)]]
    assert len(fitting) == 1 or room >= 0
    for column in columns[len(fitting) :][:1]:
        assert room < min(column.width, NARROWEST)
