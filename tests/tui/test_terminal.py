"""The screens in a real terminal: coming, going, coming back, and how many bytes they write."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.api.run import Run
from engine.domain.events import Event, read_fact
from engine.domain.records import RunRow
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from tests.conftest import ALONE, SLOW
from tests.tui.exhibit import DONE, LIVE
from tests.tui.terminal import PATIENCE, Pty, tmux

NEEDS_TMUX = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
PAINTED = b"population"
WIDE = (160, 48)
_COLOUR = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)")


def wait_until(db: Path, run: int, wanted: Callable[[RunRow], bool]) -> RunRow:
    """The run's row once it is as wanted. Raises AssertionError when it never is."""
    end = time.monotonic() + PATIENCE
    with Reader(db) as reader:
        while not (reader.latest() and wanted(reader.run(run))):
            assert time.monotonic() < end, reader.run(run)
            time.sleep(0.05)
        return reader.run(run)


def hang_up(terminal: Pty) -> None:
    """The line to a terminal drops; its viewer ends."""
    terminal.close()
    terminal.process.wait(PATIENCE)


def test_the_engine_outlives_the_terminals_of_its_start_and_of_its_viewers(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    words = ("run", *ALONE, "--llm", SLOW, "--option", "generations=1000", "--db", str(db))
    terminal = Pty(words, (80, 24))
    assert b"running" in terminal.read(PATIENCE, until=b"running")
    wait_until(db, 1, lambda row: row.state == "running")
    hang_up(terminal)
    for _ in range(2):
        viewer = Pty(("watch", "1", "--db", str(db)), (80, 24))
        assert PAINTED in viewer.read(PATIENCE, until=PAINTED)
        hang_up(viewer)
        with Reader(db) as reader:
            assert liveness(reader.run(1)) == "alive"
    Run(db, 1).stop()
    assert status(wait_until(db, 1, lambda row: liveness(row) != "alive")) == "stopped"


@NEEDS_TMUX
def test_watching_comes_back_to_the_same_picture(exhibit: Path, tmp_path: Path) -> None:
    pictures = []
    for _ in range(2):
        with tmux() as terminal:
            terminal.show("watch", str(DONE), "--db", str(tmp_path / exhibit))
            pictures.append(terminal.wait_for("? help"))
            terminal.press("q")
            left = terminal.wait_for("left with 0")
    assert "★ p0013" in pictures[0]
    assert pictures[0] == pictures[1]
    assert "export it with:  preceptor export 3 -o jssp_3.py" in left


@NEEDS_TMUX
def test_leaving_says_how_to_come_back_and_leaves_the_run_alone(
    exhibit: Path, tmp_path: Path
) -> None:
    db = tmp_path / exhibit
    with tmux() as terminal:
        terminal.show("watch", str(LIVE), "--db", str(db))
        terminal.wait_for("? hung")
        terminal.press("q")
        left = terminal.wait_for("left with 0")
    assert f"run {LIVE} goes on; come back with: preceptor watch {LIVE} --db" in left
    with Reader(db) as reader:
        assert reader.run(LIVE).state == "running"


@NEEDS_TMUX
def test_another_size_is_another_layout(exhibit: Path, tmp_path: Path) -> None:
    with tmux() as terminal:
        terminal.show("watch", str(DONE), "--db", str(tmp_path / exhibit))
        assert "pareto" not in terminal.wait_for("[1 Population]")
        terminal.resize(160, 48)
        terminal.wait_for("2 on the front")
        terminal.resize(50, 12)
        terminal.wait_for("too small")


@NEEDS_TMUX
def test_what_another_program_wrote_is_painted_over(exhibit: Path, tmp_path: Path) -> None:
    with tmux() as terminal:
        terminal.show("watch", str(DONE), "--db", str(tmp_path / exhibit))
        before = terminal.wait_for("? help")
        terminal.scribble("\x1b[5;5Hbroadcast message")
        terminal.wait_for("broadcast message")
        terminal.press("C-l")
        assert terminal.wait_for("? help") == before


@NEEDS_TMUX
def test_preceptor_alone_lists_the_runs(
    exhibit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_DB", str(tmp_path / exhibit))
    with tmux() as terminal:
        terminal.show()
        terminal.wait_for("✓ done")
        terminal.press("j", "Enter")
        terminal.wait_for("★ p0013")


def test_a_finished_run_writes_nothing(exhibit: Path, tmp_path: Path) -> None:
    terminal = Pty(("watch", str(DONE), "--db", str(tmp_path / exhibit)), WIDE)
    assert PAINTED in terminal.read(PATIENCE, until=PAINTED)
    terminal.settle()
    assert terminal.read(3.0) == b""
    terminal.press("q")
    assert b"preceptor export" in terminal.read(PATIENCE, until=b"preceptor export")
    assert terminal.process.wait(PATIENCE) == 0
    terminal.close()


def test_a_form_at_rest_writes_nothing(exhibit: Path, tmp_path: Path) -> None:
    terminal = Pty((), WIDE, PRECEPTOR_DB=str(tmp_path / exhibit))
    assert b"runs 4" in terminal.read(PATIENCE, until=b"runs 4")
    terminal.press("n")
    forecast = b"instances of"
    assert forecast in terminal.read(PATIENCE, until=forecast)
    terminal.settle()
    assert terminal.read(3.0) == b""
    terminal.close()
    terminal.process.wait(PATIENCE)


def test_a_run_at_work_writes_less_than_ten_kilobytes_a_second(
    exhibit: Path, tmp_path: Path
) -> None:
    terminal = Pty(("watch", str(LIVE), "--db", str(tmp_path / exhibit)), WIDE)
    assert PAINTED in terminal.read(PATIENCE, until=PAINTED)
    terminal.settle(most=1000)
    began = time.monotonic()
    heard = b""
    with Store(exhibit) as store:
        for step in range(12):
            cost = 1500.0 - step if step < 11 else 8765.43  # no digit stays where it was
            data = (("program", "p0015"), ("cost", cost), ("cpu", 0.4), ("failure", None))
            store.search_log.record_events(LIVE, [Event(read_fact("evaluated", dict(data)), 3, 2)])
            heard += terminal.read(1 / 3)
    if b"8765.43" not in heard:
        heard += terminal.read(PATIENCE, until=b"8765.43")
    assert b"8765.43" in heard
    assert len(heard) < 10_000 * (time.monotonic() - began)
    terminal.close()
    terminal.process.wait(PATIENCE)


def test_without_colour_everything_is_grey(exhibit: Path, tmp_path: Path) -> None:
    words = ("watch", str(DONE), "--db", str(tmp_path / exhibit))
    terminal = Pty(words, WIDE, NO_COLOR="1")
    heard = terminal.read(PATIENCE, until=PAINTED) + terminal.settle()
    colours = {tuple(map(int, found)) for found in _COLOUR.findall(heard)}
    assert colours
    assert all(red == green == blue for red, green, blue in colours)
    terminal.close()
    terminal.process.wait(PATIENCE)
