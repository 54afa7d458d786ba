"""A study on a disk that fills up: it pauses, continues by itself, and finds what it had found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.domain.status import Job
from engine.runtime import control
from engine.runtime.control import Command
from engine.runtime.study import carry_out_study
from engine.store.jobs import Jobs
from engine.store.reader import Reader
from engine.store.store import Store
from engine.store.study_log import StudyLog
from problems.errors import DiskFull
from tests.engine.runtime.test_disk import fill, small_disk, start, wait_until
from tests.engine.runtime.test_study import book, drive, results

__all__ = ["small_disk"]
STUDY = Job("study", 1)
FULL = "the disk is full; free some space"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that nothing disturbs."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    book(db)
    assert drive(db) == 0
    return db


@contextmanager
def refusing(owner: type, name: str, times: int) -> Iterator[None]:
    """So many calls of a method that writes meet a full disk, then it works."""
    method = getattr(owner, name)
    left = [times]

    def write(self: Any, *arguments: Any, **named: Any) -> Any:
        job = arguments[0] if arguments else None
        if left[0] and job != STUDY:
            left[0] -= 1
            raise DiskFull(FULL)
        return method(self, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, write)
        patch.setattr("engine.runtime.job.PROBE", 0.01)
        yield


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the study was said to wait for."""
    said: list[str] = []
    hold = Jobs.hold

    def listen(self: Jobs, job: Job, reason: str) -> None:
        hold(self, job, reason)
        if job == STUDY:
            said.append(f"{self.reader.study(1).state} {reason}".strip())

    monkeypatch.setattr(Jobs, "hold", listen)
    return said


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (StudyLog, "enlist"),
        (Jobs, "claim"),
        (Jobs, "record_provenance"),
        (StudyLog, "find_measurement"),
        (StudyLog, "record_measurement"),
        (Jobs, "set_reason"),
    ],
)
def test_whatever_it_cannot_write_is_written_once_there_is_space(
    tmp_path: Path, undisturbed: Path, held: list[str], owner: type, name: str
) -> None:
    db = tmp_path / "runs.db"
    book(db)
    with refusing(owner, name, times=3), Store(db) as store:
        assert asyncio.run(carry_out_study(store, 1, {})) == "done"
    assert results(db) == results(undisturbed)
    if name != "set_reason":  # progress is not waited for
        assert held.count(f"paused {FULL}; the study continues by itself") == 3
        assert held[-1] == "running"


def test_a_study_that_waits_for_space_can_be_told_to_end(tmp_path: Path, held: list[str]) -> None:
    db = tmp_path / "runs.db"
    book(db)

    async def wait_and_stop() -> str:
        with refusing(StudyLog, "enlist", times=10**6), Store(db) as store:
            work = asyncio.create_task(carry_out_study(store, 1, {}))
            while not held:
                await asyncio.sleep(0.01)
            control.send(db, STUDY, Command("stop"))
            return await work

    assert asyncio.run(wait_and_stop()) == "stopped"
    with Reader(db) as reader:
        assert reader.study(1).reason == "stopped on request"


def test_a_study_on_a_small_disk_pauses_and_goes_on_by_itself(
    small_disk: Path, tmp_path: Path, undisturbed: Path
) -> None:
    db = small_disk / "runs.db"
    book(db)
    engine = start(db, 1, tmp_path / "asked.log", "study")
    with Reader(db) as reader:
        wait_until(lambda: reader.study(1).state == "running")
        filler = fill(small_disk)
        wait_until(lambda: reader.study(1).state == "paused")
        assert FULL in reader.study(1).reason
        assert engine.poll() is None
        filler.unlink()
        wait_until(lambda: engine.poll() is not None)
        assert (engine.returncode, reader.study(1).state) == (0, "done")
    assert results(db) == results(undisturbed)
