"""A disk that fills up and is freed again: nothing is lost, nothing is paid twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.domain.events import Event, Note
from engine.domain.status import Job
from engine.runtime.job import BEAT, LISTEN
from engine.runtime.launch import launch
from engine.store import process_identity as identity
from engine.store.connection import RESERVE, refuse_full, reserve_path
from engine.store.reader import Reader
from engine.store.store import Store
from engine.store.transaction import bytes_free
from problems.errors import DiskFull
from tests.engine.runtime.test_resume import book, drive, population
from tests.engine.samples import SPEC
from tests.scripted import LOG

PATIENCE = 90.0
"""Seconds that an engine may take on a busy machine."""


ENGINES: list[subprocess.Popen[str]] = []
"""Engines of the test under way; a test that fails leaves none behind."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB, where this process may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    while ENGINES:
        engine = ENGINES.pop()
        engine.kill()
        engine.wait()
    subprocess.run(["umount", "-l", str(folder)], check=True)


def wait_until(holds: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait for what another process does."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def fill(folder: Path) -> Path:
    """A file that takes all that is left."""
    file = folder / "filler"
    with file.open("ab", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            return file


def rests(reader: Reader, folder: Path) -> bool:
    """Whether run 1 stays paused and writes nothing; the disk of one that goes on fills again."""
    beat = reader.run(1).heartbeat
    time.sleep(3 * LISTEN * BEAT)
    row = reader.run(1)
    if row.state == "paused":
        return row.heartbeat == beat
    fill(folder)
    return False


def start(db: Path, number: int, log: Path, kind: str = "run") -> subprocess.Popen[str]:
    """An engine at work in the background."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"engine.runtime.{kind}", str(db), str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=os.environ | {LOG: str(log)},
    )
    assert process.stdin is not None
    process.stdin.write("{}\n")
    process.stdin.close()
    ENGINES.append(process)
    return process


def test_a_run_waits_for_space_and_goes_on_by_itself(small_disk: Path, tmp_path: Path) -> None:
    undisturbed = tmp_path / "runs.db"
    assert drive(undisturbed, book(undisturbed)) == 0
    db, log = small_disk / "runs.db", tmp_path / "asked.log"
    engine = start(db, book(db), log)
    with Reader(db) as reader:
        wait_until(lambda: len(reader.calls(1)) >= 3)
        filler = fill(small_disk)
        wait_until(lambda: reader.run(1).state == "paused")
        row = reader.run(1)
        assert "the disk is full; free some space" in row.reason
        assert engine.poll() is None and row.identity is not None
        filler.unlink()
        wait_until(lambda: engine.poll() is not None)
        assert (engine.returncode, reader.run(1).state) == (0, "done")
        assert all(call.reply is not None for call in reader.calls(1))
    assert population(db, 1) == population(undisturbed, 1)
    assert set(Counter(log.read_text().split()).values()) == {1}


def test_what_is_only_shown_leaves_the_last_space_alone(small_disk: Path, tmp_path: Path) -> None:
    db, log = small_disk / "runs.db", tmp_path / "asked.log"
    engine = start(db, book(db), log)
    with Reader(db) as reader:
        wait_until(lambda: len(reader.calls(1)) >= 3)
        filler = fill(small_disk)
        wait_until(lambda: reader.run(1).state == "paused")
        assert not reserve_path(db).exists()
        wait_until(lambda: rests(reader, small_disk))
        wait_until(lambda: bytes_free(db) > RESERVE / 2)
        filler.unlink()
        wait_until(lambda: engine.poll() is not None)
        assert reader.run(1).state == "done"


def test_the_log_stays_short_on_a_small_disk(small_disk: Path) -> None:
    db = small_disk / "runs.db"
    with Store(db) as store:
        job = Job("run", store.jobs.create_run(SPEC))
        for _ in range(500):  # 2 MB of log, were it not written back
            store.jobs.set_reason(job, "x")
        assert Path(f"{db}-wal").stat().st_size < 200_000


def test_an_engine_is_not_started_on_a_disk_that_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.connection.FREE", 10**18)
    db = tmp_path / "runs.db"
    with Store(db) as store:
        store.jobs.create_run(SPEC)
    with pytest.raises(DiskFull, match="nearly full"):
        launch(db, Job("run", 1), {})
    with Reader(db) as reader:
        row = reader.run(1)
    assert row.state == "failed" and "free some space" in row.reason


def test_enough_space_is_enough(tmp_path: Path) -> None:
    refuse_full(tmp_path / "runs.db", 1)


def test_the_last_words_are_written_in_the_space_set_aside(
    small_disk: Path, tmp_path: Path
) -> None:
    db = small_disk / "runs.db"
    with Store(db) as store:
        run = store.jobs.create_run(SPEC)
        job = Job("run", run)
        store.jobs.claim(job, identity.current())
        fill(small_disk)
        with pytest.raises(DiskFull):
            while True:
                store.search_log.record_events(run, [Event(Note("note", "x" * 500))])
        assert reserve_path(db).exists()
        store.jobs.release(job, "paused", "the disk is full")
        assert (store.run(run).state, store.run(run).reason) == ("paused", "the disk is full")
