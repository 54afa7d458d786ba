"""What tests share: how they are run; typing a command, and the store that it works on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import hypothesis
import pytest

from tests.slow import SlowTests
from tui import cli

ROOT = Path(__file__).parents[1]
TOY = str(ROOT / "tests/toy")
TEACHER = f"program:{ROOT / 'tests/toy/teacher.py'}"
WRITER = f"{ROOT / 'tests/scripted.py'}:Scripted"
SLOW = f"{ROOT / 'tests/tui/writers.py'}:Slow"
ABSENT = f"{ROOT / 'tests/tui/writers.py'}:Absent"
ALONE = (TOY, "--method", "performance-only")
"""A run that needs no teacher."""


os.environ["PRECEPTOR_TEACHERS"] = str(ROOT / "tests/no-teachers")
"""A user's own teachers change what runs do: tests have theirs, or none."""

PACKAGES = ("problems", "teachers", "engine", "tui")
FIND = f"from importlib.util import find_spec; print(*(find_spec(p).origin for p in {PACKAGES}))"

hypothesis.settings.register_profile("default loop", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, derandomize=False)
hypothesis.settings.load_profile("default loop")
"""No example is timed, and all runs see the same; with `--hypothesis-profile search` others."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--record-slow`."""
    parser.addoption("--record-slow", action="store_true", help="add slow tests to slow.txt")


def pytest_configure(config: pytest.Config) -> None:
    """Tell slow tests from quick ones; engines that tests start have to be of this tree."""
    if not hasattr(config, "workerinput"):
        _require_own_tree()
    config.pluginmanager.register(SlowTests(config))


def _require_own_tree() -> None:
    """Raises UsageError where a process started as an engine is would find other code than ours.

    With another tree installed, tests of engines would pass, or fail, on that.
    """
    command = [sys.executable, "-P", "-c", FIND]
    found = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    for file in found.stdout.split() or [found.stderr]:
        if not Path(file).is_relative_to(ROOT):
            raise pytest.UsageError(f"engines would run {file}, not {ROOT}: pip install -e {ROOT}")


def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core: many tests wait for terminals and engines most of their time."""
    return 2 * len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 4


@dataclass(frozen=True, slots=True)
class Typed:
    """What came of a command: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line that a refused command leaves on stderr."""
        assert self.out == ""
        assert self.err.count("\n") == 1, self.err
        return self.err.strip()


class Shell(Protocol):
    """Types a command line; the words that follow `preceptor`."""

    def __call__(self, *words: str) -> Typed:
        """The command's exit code and output."""


@pytest.fixture
def preceptor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Shell:
    """A shell in an empty folder, without settings of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("PRECEPTOR_DB", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def type_in(*words: str) -> Typed:
        monkeypatch.setattr(sys, "argv", ["preceptor", *words])
        with pytest.raises(SystemExit) as exit:
            cli.main()
        said = capsys.readouterr()
        return Typed(_code(exit.value.code), said.out, said.err)

    return type_in


@pytest.fixture(scope="session")
def exhibited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixed store, built once."""
    from tests.tui.exhibit import build

    db = tmp_path_factory.mktemp("exhibit") / "runs.db"
    build(db)
    return db


@pytest.fixture
def exhibit(exhibited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the fixed store in the working folder, on a machine that lives by UTC."""
    shutil.copy(exhibited, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield Path("runs.db")
    monkeypatch.undo()
    time.tzset()


def open_viewer(*words: str, folder: Path = ROOT) -> subprocess.Popen[str]:
    """The command in a process and a session of its own, as in another terminal.

    Ctrl-C reaches it even where the tests are a shell's background job, which ignores it.
    """
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    return subprocess.Popen(
        [sys.executable, "-c", f"{heed}; from tui.cli import main; main()", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _code(code: Any) -> int:
    return 0 if code is None else int(code)
