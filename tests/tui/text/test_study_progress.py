"""How long a study will still take, and what it has just measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.records import Measurement, RunRow
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job, State
from engine.monitor.study_status import read_study_status
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tui.text.pages.study import StudyProgress, searching

SPEC = StudySpec("two", (Task(ProblemRef("jssp")),), ("ours",), seeds=(0, 1, 2, 3), at_once=2)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A store with a study whose first run has begun."""
    with Store(tmp_path / "runs.db") as store:
        store.study_log.enlist(store.jobs.create_study(SPEC), 0, SPEC.runs()[0])
    return tmp_path / "runs.db"


@pytest.fixture
def reader(db: Path) -> Iterator[Reader]:
    """That store, opened."""
    with Reader(db) as reader:
        yield reader


def stand(row: RunRow, state: State, seconds: float) -> RunRow:
    """The run after so many seconds."""
    return replace(row, state=state, seconds=seconds)


def test_runs_still_take_what_finished_ones_took_a_few_at_a_time(reader: Reader) -> None:
    row = reader.run(1)
    runs = {0: stand(row, "done", 60.0), 1: stand(row, "running", 20.0)}
    assert searching(SPEC, runs) == (40.0 + 60.0 + 60.0) / 2


def test_the_last_run_is_waited_for_alone(reader: Reader) -> None:
    row = reader.run(1)
    runs = {place: stand(row, "done", 60.0) for place in range(3)}
    assert searching(SPEC, runs) == 60.0


def test_runs_that_rest_are_not_waited_for(reader: Reader) -> None:
    row = reader.run(1)
    runs = {place: stand(row, "done", 60.0) for place in range(3)} | {3: stand(row, "failed", 1.0)}
    assert searching(SPEC, runs) == 0.0


def test_nothing_is_foretold_before_a_run_has_finished(reader: Reader) -> None:
    assert searching(SPEC, {0: stand(reader.run(1), "running", 60.0)}) is None
    assert StudyProgress(reader, 1).describe(read_study_status(reader, 1), 0.0) == ""


def test_measuring_is_told_by_the_last_one_and_by_its_pace(reader: Reader, db: Path) -> None:
    progress = StudyProgress(reader, 1)

    def look(done: int, now: float) -> str:
        with Store(db) as store:
            store.jobs.set_reason(Job("study", 1), f"measured {done} of 10")
        return progress.describe(read_study_status(reader, 1), now)

    assert look(0, 100.0) == ""
    found = Measurement("jssp", "ta", "h", "program", (4.0, 6.0), 1.0, run=1, method="ours")
    with Store(db) as store:
        store.study_log.record_measurement(1, "key", found)
    assert look(2, 110.0) == "last: ours (run 1) on ta 5, about 40 s left"
    assert look(4, 120.0) == "about 30 s left"
