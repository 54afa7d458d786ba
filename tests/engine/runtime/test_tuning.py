"""A run that searches over constants is a function of its record: not of order or being killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.events import CandidateRecorded, ConstantsTuned, TrialsRun
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.text import codec
from engine.domain.values import Candidate
from engine.store.connection import open_to_read
from engine.store.reader import Reader, status
from engine.store.rows import TRIALS
from engine.store.store import Store
from engine.store.transfer import export_run, import_run
from problems import ProblemRef
from tests.engine.runtime.test_resume import TOY, WRITER, drive, population


def book(db: Path, concurrency: int = 4) -> int:
    """A run that tunes parents and children, not started yet."""
    settings = Settings(
        generations=2,
        children=4,
        operators="m1,tune",
        tune_rollouts=48,
        tune_child_seconds=1,
        llm_concurrency=concurrency,
        eval_concurrency=concurrency,
        eval_seconds=10,
    )
    spec = RunSpec(ProblemRef(TOY), "eoh", writer=WRITER, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def trials(db: Path, run: int = 1) -> list[tuple[object, ...]]:
    """Everything that was tried, but for its CPU seconds."""
    found = open_to_read(db)
    assert found is not None
    with closing(found) as store:
        rows = store.execute(
            "SELECT purpose, generation, slot, batch, asked, outcomes FROM trials WHERE run = ? "
            "ORDER BY purpose, generation, slot, batch",
            (run,),
        ).fetchall()
    return [(*row[:-1], codec.decode(TRIALS, codec.unpack(row[-1]))) for row in rows]


def candidates(db: Path, run: int = 1) -> list[Candidate]:
    """All candidates with what was seen of their constants."""
    with Reader(db) as reader:
        return list(reader.candidates(run))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one run that nobody disturbed."""
    db = tmp_path_factory.mktemp("tuning") / "runs.db"
    assert drive(db, book(db)) == 0
    return db


def test_both_kinds_of_tuning_are_on_record_with_what_they_saw(undisturbed: Path) -> None:
    assert {row[0] for row in trials(undisturbed)} == {"tune", "child"}
    found = candidates(undisturbed)
    tuned = [c for c in found if c.operator == "tune"]
    assert [c.generation for c in tuned] == [1, 1, 2, 2]
    seen = [c.tuning for c in found if c.tuning is not None]
    assert all(one.trials > 0 and one.cpu > 0 for one in seen)
    assert any(constant.up for one in seen for constant in one.constants)
    for child in tuned:
        accepted = child.tuning is not None and child.tuning.accepted
        assert child.failure is None or child.failure.kind in ("no gain", "duplicate")
        assert accepted or child.failure is not None


def test_tuning_takes_no_call_and_its_seconds_count(undisturbed: Path) -> None:
    with Reader(undisturbed) as reader:
        assert {call.key.purpose for call in reader.calls(1)} == {"program"}
        assert len({(c.key.generation, c.key.slot) for c in reader.calls(1)}) == 4
        events = [event.fact for event in reader.events(1, limit=10_000)]
        tried = sum(fact.cpu for fact in events if isinstance(fact, TrialsRun))
        assert reader.totals(1).cpu > tried > 0
    told = [fact for fact in events if isinstance(fact, ConstantsTuned)]
    assert told and all(fact.trials and fact.constants for fact in told)
    ended = [fact for fact in events if isinstance(fact, CandidateRecorded)]
    assert all(fact.message for fact in ended if fact.failure == "no gain")


@pytest.mark.parametrize("concurrency", [1, 8])
def test_concurrency_changes_no_trial(undisturbed: Path, tmp_path: Path, concurrency: int) -> None:
    db = tmp_path / "runs.db"
    drive(db, book(db, concurrency))
    assert trials(db) == trials(undisturbed)
    assert candidates(db) == candidates(undisturbed)


@pytest.mark.parametrize(("stage", "passes"), [("trials", 1), ("trial", 9), ("trials", 6)])
def test_a_killed_run_goes_on_from_its_last_batch(
    undisturbed: Path, tmp_path: Path, stage: str, passes: int
) -> None:
    db = tmp_path / "runs.db"
    run = book(db)
    assert drive(db, run, stage, str(passes)) == -9
    before = trials(db)
    assert len(before) < len(trials(undisturbed))
    assert drive(db, run) == 0
    assert set(map(repr, before)) <= set(map(repr, trials(db)))
    assert trials(db) == trials(undisturbed)
    assert candidates(db) == candidates(undisturbed)
    assert population(db, run) == population(undisturbed, 1)


def trust_writer(db: Path, run: int) -> None:
    """Let an imported run ask its writer again, which an import does not."""
    with Reader(db) as reader:
        spec = reader.run(run).spec
    with closing(sqlite3.connect(db)) as store, store:
        text = codec.encode(replace(spec, writer=WRITER, analyzer=""))
        store.execute("UPDATE runs SET spec = ? WHERE run = ?", (text, run))


def test_a_run_goes_on_in_another_store_with_the_trials_it_had(
    undisturbed: Path, tmp_path: Path
) -> None:
    db = tmp_path / "runs.db"
    run = book(db)
    assert drive(db, run, "trials", "5") == -9
    export_run(db, run, tmp_path / "one.run")
    elsewhere = tmp_path / "elsewhere.db"
    number = import_run(elsewhere, tmp_path / "one.run", trusted=True)
    assert trials(elsewhere, number) == trials(db)
    trust_writer(elsewhere, number)
    assert drive(elsewhere, number) == 0
    assert trials(elsewhere, number) == trials(undisturbed)


def test_trials_of_other_programs_stop_the_run(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    run = book(db)
    assert drive(db, run, "trials", "3") == -9
    with Store(db) as store, store._writing() as writable:
        writable.execute("UPDATE trials SET asked = 'another'")
    with pytest.raises(AssertionError, match="would be another now"):
        drive(db, run)
    with Reader(db) as reader:
        assert status(reader.run(run)) == "failed"
        assert "would be another now" in reader.run(run).reason
