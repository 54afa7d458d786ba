"""Terminals that are closed, that stop reading, that look at the same: the run goes on."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.api.run import Run
from engine.store.reader import Reader, liveness
from tests.conftest import ALONE, SLOW
from tests.tui.terminal import PATIENCE, Pty, tmux
from tests.tui.test_terminal import PAINTED, hang_up, wait_until

Note = Callable[[str, str, int, int], None]

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]

TERMINALS = int(os.environ.get("TEST_PRECEPTOR_TERMINALS", "50"))
STALL = float(os.environ.get("TEST_PRECEPTOR_STALL", "30"))
SIZE = (160, 48)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """The store of a run at work, started from a terminal that was closed then."""
    db = tmp_path / "runs.db"
    options = ("--option", "generations=1000", "--db", str(db))
    terminal = Pty(("run", *ALONE, "--llm", SLOW, *options), SIZE)
    terminal.read(PATIENCE, until=b"running")
    wait_until(db, 1, lambda row: row.state == "running")
    hang_up(terminal)
    yield db
    if is_alive(db):
        Run(db, 1).stop()
    wait_until(db, 1, lambda row: liveness(row) != "alive")


def is_alive(db: Path) -> bool:
    """Whether the engine of the run lives."""
    with Reader(db) as reader:
        return liveness(reader.run(1)) == "alive"


def count_calls(db: Path, seconds: float) -> int:
    """Calls that the run makes in so many seconds."""
    with Reader(db) as reader:
        before = reader.count_calls(1)
        time.sleep(seconds)
        return reader.count_calls(1) - before


def test_an_engine_outlives_every_terminal(run: Path, note: Note) -> None:
    alive = int(is_alive(run))
    for _ in range(TERMINALS - 1):
        terminal = Pty(("watch", "1", "--db", str(run)), SIZE)
        terminal.read(PATIENCE, until=PAINTED)
        hang_up(terminal)
        alive += is_alive(run)
    note("closed terminals", f"engine alive {alive} of {TERMINALS}", 0, 0)
    assert alive == TERMINALS


def test_a_terminal_that_stops_reading_slows_no_engine(run: Path, note: Note) -> None:
    alone = count_calls(run, STALL)
    terminal = Pty(("watch", "1", "--db", str(run)), SIZE)
    terminal.read(PATIENCE, until=PAINTED)
    stalled = count_calls(run, STALL)
    hang_up(terminal)
    note("a reader that stops", f"{stalled} calls meanwhile, {alone} without a viewer", 0, 0)
    assert is_alive(run)
    assert stalled > alone / 2


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_two_viewers_agree(run: Path) -> None:
    with tmux() as one, tmux() as other:
        for terminal in (one, other):
            terminal.show("watch", "1", "--db", str(run))
            terminal.wait_for("running")
        Run(run, 1).stop()
        assert one.wait_for("stopped") == other.wait_for("stopped")
