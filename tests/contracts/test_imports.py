"""What starting up may import: a command line that waits for torch is no command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "numba", "openai", "scipy", "numpy", "textual", "sqlite_utils")
NEVER = ("torch", "numba", "openai", "scipy", "textual")


def loaded(program: str, names: tuple[str, ...]) -> set[str]:
    """Those of `names` that a fresh interpreter has imported after a program."""
    report = f"\nimport sys\nprint([name for name in {names!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program + report], capture_output=True, text=True, check=True
    )
    return set(eval(done.stdout.splitlines()[-1]))


def test_the_check_would_see_a_heavy_import() -> None:
    assert loaded("import numpy", HEAVY) == {"numpy"}


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], ["runs"]])
def test_what_only_prints_imports_nothing_heavy(words: list[str]) -> None:
    program = f"""
from tui.cli import app
app({words!r}, standalone_mode=False)
"""
    assert loaded(program, HEAVY) == set()


def test_checking_a_run_never_imports_what_only_engines_need() -> None:
    program = """
from pathlib import Path
from engine.api.resolve import RunRequest, resolve_run
from engine.monitor import Reader
resolve_run(RunRequest("jssp", method="performance-only"), Reader(Path("none.db")))
import tui.commands.narrate
"""
    assert loaded(program, NEVER) == set()


def test_a_viewer_starts_foresees_and_exports_without_what_only_engines_need(
    tmp_path: Path,
) -> None:
    program = f"""
import asyncio, os
from pathlib import Path
from engine.api.resolve import RunRequest
from engine.api.run import Run
from tui.app.app import Preceptor

os.chdir({str(tmp_path)!r})
os.environ["OPENAI_API_KEY"] = "sk-secret"
SHORT = {{"generations": 0, "design": "random-6x6", "selection": "none"}}
SMALL = RunRequest("jssp", method="performance-only", options=SHORT)

async def view():
    app = Preceptor(Path("runs.db"))
    async with app.run_test() as pilot:
        await app.look_ahead(RunRequest("jssp", writer="openai:gpt-4o"))
        await pilot.press("n", "escape")
        app.start((SMALL,))
        await app.workers.wait_for_complete()
        ended = await asyncio.to_thread(Run(Path("runs.db"), 1).wait)
        await app.export(1, ended.best.id)

asyncio.run(view())
"""
    assert loaded(program, NEVER) == {"textual"}
    assert list(tmp_path.glob("run1_*.py"))
