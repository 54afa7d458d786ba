"""What starting up may import: a command line that waits for torch is no command line."""

from __future__ import annotations

import subprocess
import sys

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
from engine.domain.specs.settings import RunSpec
from engine.store.reader import Reader
from problems import ProblemRef
from engine.api.book_run import check_run
check_run(RunSpec(ProblemRef("jssp"), method="performance-only"), Reader(Path("none.db")))
import tui.commands.launch.watch_run
"""
    assert loaded(program, NEVER) == set()
