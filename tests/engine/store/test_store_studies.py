"""A study's rows: booked once, begun run by run, measured once, owned by one engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.records import Measurement
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job
from engine.domain.values import Failure
from engine.store import process_identity as identity
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import StoreError, UnknownName

TOY = Task(ProblemRef("tests/toy"), teacher="program:tests/toy/teacher.py")
SPEC = StudySpec(
    "tiny",
    (TOY,),
    ("ours", "performance-only", "max-align"),
    seeds=(0, 1),
    without_teacher=("performance-only",),
)
FOUND = Measurement("toy", "held-out", "abc", "program", (1 / 3, None), 0.5, "cpu", (), 1, "ours")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def study(store: Store) -> int:
    return store.jobs.create_study(SPEC)


def test_runs_come_by_problem_method_and_seed_and_a_reading_off_has_none() -> None:
    runs = SPEC.runs()
    assert [(run.method, run.seed) for run in runs] == [
        ("ours", 0),
        ("ours", 1),
        ("performance-only", 0),
        ("performance-only", 1),
    ]
    assert [bool(run.teacher) for run in runs] == [True, True, False, False]


def test_a_study_is_read_back_as_it_was_booked(store: Store, study: int) -> None:
    assert store.study(study).spec == SPEC
    assert store.studies() == (store.study(study),)
    with pytest.raises(UnknownName, match="unknown study '7'"):
        store.study(7)


def test_what_changes_no_run_makes_no_other_study(store: Store, study: int) -> None:
    settings = replace(TOY.settings, llm_concurrency=9, eval_concurrency=9)
    other = replace(SPEC, tasks=(replace(TOY, settings=settings, sets=("held-out",)),), at_once=9)
    assert store.find_study(other) == study
    store.study_log.reword(study, other)
    assert store.study(study).spec == other
    assert store.find_study(replace(SPEC, seeds=(0, 1, 2))) is None


def test_a_run_is_booked_once_at_its_place(store: Store, study: int) -> None:
    specs = SPEC.runs()
    second, first = (
        store.study_log.enlist(study, 1, specs[1]),
        store.study_log.enlist(study, 0, specs[0]),
    )
    assert store.study_log.enlist(study, 1, specs[1]) == second
    assert {place: row.number for place, row in store.study_runs(study).items()} == {
        0: first,
        1: second,
    }
    assert store.study_of(first) == study
    assert store.study_of(store.jobs.create_run(specs[0])) is None
    assert len(store.runs()) == 3


def test_a_study_has_one_engine(store: Store, study: int) -> None:
    job = Job("study", study)
    owner = identity.current()
    store.jobs.claim(job, owner)
    assert status(store.study(study)) == "running"
    with pytest.raises(StoreError, match="study 1 is at work"):
        store.jobs.claim(job, replace(owner, pid=1, started=identity.started(1) or ""))
    store.jobs.release(job, "running")
    assert status(store.study(study)) == "interrupted"
    store.jobs.release(job, "done")
    assert store.study(study).ended is not None


def test_a_measurement_is_kept_once_and_serves_every_study(store: Store, study: int) -> None:
    other = store.jobs.create_study(replace(SPEC, name="other"))
    store.study_log.record_measurement(study, "key", FOUND)
    assert store.study_log.find_measurement(other, "key", 2, "performance-only")
    assert store.measurements(study) == (FOUND,)
    assert store.measurements(other) == (replace(FOUND, run=2, method="performance-only"),)
    assert store.run_measurements(2) == store.measurements(other)
    assert not store.study_log.find_measurement(other, "another key", 2, "ours")


def test_a_timeout_is_not_inherited(store: Store, study: int) -> None:
    other = store.jobs.create_study(replace(SPEC, name="other"))
    late = replace(FOUND, failures=(Failure("timeout", "too long"),))
    store.study_log.record_measurement(study, "key", late)
    assert not store.study_log.find_measurement(other, "key", 2, "ours")
    store.study_log.record_measurement(other, "key", FOUND)
    assert store.measurements(study) == (late,)
    assert store.measurements(other) == (FOUND,)


def test_a_measurement_taken_again_replaces_the_one_it_rests_on(store: Store, study: int) -> None:
    store.study_log.record_measurement(study, "old", FOUND)
    store.study_log.record_measurement(study, "new", replace(FOUND, seconds=0.25))
    assert [found.seconds for found in store.measurements(study)] == [0.25]


def test_a_store_of_before_studies_reads_as_one_without(tmp_path: Path) -> None:
    with Reader(tmp_path / "none.db") as reader:
        assert reader.studies() == ()
        assert reader.measurements(1) == ()


def test_an_instance_not_solved_leaves_no_mean() -> None:
    assert FOUND.mean is None
    assert replace(FOUND, costs=(1.0, 2.0)).mean == 1.5
