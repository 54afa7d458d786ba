"""Runs that are left, paused, stopped and cut off, from a second terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.status import Job
from engine.runtime import control
from engine.store.reader import Reader, liveness, status
from tests.conftest import ALONE, ROOT, SLOW, Shell, open_viewer
from tests.tui.schemas import read_document
from tests.tui.writers import CLOSED

SHORT = ("--option", "generations=3")
GATED = f"{ROOT / 'tests/tui/writers.py'}:Gated"


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another terminal, watching run 1 of the folder's store at work."""
    yield from watching(tmp_path, SLOW)


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """The same of a run whose writer does not answer, however slow the machine is."""
    gate = tmp_path / "closed"
    gate.touch()
    monkeypatch.setenv(CLOSED, str(gate))
    yield from watching(tmp_path, GATED)


def watching(folder: Path, writer: str) -> Iterator[subprocess.Popen[str]]:
    """A viewer of a run that this writer has begun; both are ended behind it."""
    viewer = open_viewer("run", *ALONE, "--llm", writer, *SHORT, folder=folder)
    read_until(viewer, "generation 0 closed")
    yield viewer
    viewer.kill()
    viewer.communicate()
    end_engine(folder / "runs.db")


def read_until(viewer: subprocess.Popen[str], word: str) -> None:
    """Wait for a line of progress."""
    assert viewer.stderr is not None
    said = []
    for line in viewer.stderr:
        said.append(line)
        if word in line:
            return
    raise AssertionError("".join(said))


def end_engine(db: Path) -> None:
    """Kill the engine of run 1, if it lives, and wait until it is gone."""
    with Reader(db) as reader:
        row = reader.run(1)
    if row.identity is not None and liveness(row) != "gone":
        os.kill(row.identity.pid, signal.SIGKILL)
    while liveness(row) != "gone":
        time.sleep(0.02)


def test_ctrl_c_ends_the_viewer_and_leaves_the_run_at_work(
    held: subprocess.Popen[str], preceptor: Shell, tmp_path: Path
) -> None:
    os.killpg(held.pid, signal.SIGINT)
    _, said = held.communicate(timeout=120)
    assert held.returncode == 130
    assert "preceptor watch 1" in said
    assert "preceptor stop 1" in said
    assert "Traceback" not in said
    with Reader(tmp_path / "runs.db") as reader:
        row = reader.run(1)
    assert (status(row), liveness(row)) == ("running", "alive")
    assert "run 1 is at work" in preceptor("resume", "1").complaint


def test_a_stopped_run_ends_and_its_viewers_say_so(
    viewer: subprocess.Popen[str], preceptor: Shell
) -> None:
    stopped = preceptor("stop", "--json")
    assert stopped.code == 0
    assert read_document(stopped.out, "stop")["acknowledged"]
    _, said = viewer.communicate(timeout=120)
    assert viewer.returncode == 1
    assert "run 1 is stopped" in said
    assert "preceptor resume 1" in said


def test_a_paused_run_goes_on_to_its_end(viewer: subprocess.Popen[str], preceptor: Shell) -> None:
    assert preceptor("pause", "1").code == 0
    _, said = viewer.communicate(timeout=120)
    assert "run 1 is paused" in said
    assert "no engine is at work" in preceptor("pause", "1").complaint
    resumed = preceptor("resume", "1")
    assert resumed.code == 0
    assert "generation 0 closed" not in resumed.err
    assert "generation 3 closed" in resumed.err


def test_an_engine_that_vanished_is_told_from_one_that_ended(
    viewer: subprocess.Popen[str], preceptor: Shell, tmp_path: Path
) -> None:
    end_engine(tmp_path / "runs.db")
    _, said = viewer.communicate(timeout=120)
    assert viewer.returncode == 1
    assert "preceptor resume 1" in said
    assert "interrupted" in preceptor("runs").out
    assert preceptor("stop", "1").out == "run 1 is stopped\n"


def test_an_order_that_nobody_took_does_not_end_the_resumed_run(
    viewer: subprocess.Popen[str], preceptor: Shell, tmp_path: Path
) -> None:
    end_engine(tmp_path / "runs.db")
    control.send(tmp_path / "runs.db", Job("run", 1), control.Command("stop"))
    assert preceptor("resume", "1").code == 0


def test_a_fork_begins_where_the_run_stood(
    viewer: subprocess.Popen[str], preceptor: Shell, tmp_path: Path
) -> None:
    end_engine(tmp_path / "runs.db")
    forked = preceptor("resume", "1", "--fork")
    assert forked.code == 0, forked.err
    shown = read_document(preceptor("show", "2", "--json").out, "show")
    assert (shown["forked_from"], shown["generation"]) == (1, 3)
    seed = read_document(preceptor("show", "2", "p0000", "--json").out, "show")
    assert len(seed["costs"]) == 8


def test_an_engine_that_stands_still_is_called_hung_and_heard_again(
    viewer: subprocess.Popen[str], preceptor: Shell, tmp_path: Path
) -> None:
    with Reader(tmp_path / "runs.db") as reader:
        owner = reader.run(1).identity
    assert owner is not None
    os.kill(owner.pid, signal.SIGSTOP)
    try:
        read_until(viewer, "has not been heard of for 15 s")
        assert "hung" in preceptor("runs").out
        shown = read_document(preceptor("show", "1", "--json").out, "show")
        assert shown["status"] == "hung"
    finally:
        os.kill(owner.pid, signal.SIGCONT)
    read_until(viewer, "heard of again")
