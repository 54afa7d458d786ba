"""A study gives the same results however it is carried out, and measures nothing twice."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import problems
from engine.diagnosis.teacher_pool import TeacherPool
from engine.domain.events import DiagnosisEnded, EvaluationEnded
from engine.domain.records import Measurement, Provenance
from engine.domain.specs.settings import Caps, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job
from engine.domain.values import Usage
from engine.runtime import control
from engine.runtime.control import Command
from engine.runtime.job import Halted
from engine.runtime.measure.held_out import Measurer, list_solvers
from engine.runtime.provenance import SCHEME
from engine.runtime.study import StudyRunner, carry_out_study, name_mixture, refuse_mixture
from engine.store import process_identity as identity
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import RunMismatch, StoreError
from tests.scripted import LOG

TASK = Task(
    ProblemRef("tests/toy"),
    teacher="program:tests/toy/teacher.py",
    settings=Settings(calls=8, generations=2, children=4, eval_seconds=10),
    solvers=("shortest", "smith", "teacher:program:tests/toy/teacher.py"),
)
SPEC = StudySpec(
    "tiny",
    (TASK,),
    ("ours", "performance-only", "max-align"),
    seeds=(0, 1),
    writer="tests/scripted.py:Scripted",
    measure_seconds=10,
)


def book(db: Path, spec: StudySpec = SPEC) -> int:
    """A study, not begun yet."""
    with Store(db) as store:
        return store.jobs.create_study(spec)


def drive(db: Path, *killer: str, log: Path | None = None) -> int:
    """Let an engine process carry out study 1; returns its exit code."""
    module = ["tests.engine.runtime.killer"] if killer else ["engine.runtime.study"]
    environment = os.environ | ({LOG: str(log)} if log else {})
    command = [sys.executable, "-m", *module, str(db), "1", *killer]
    done = subprocess.run(
        command, input="{}\n", text=True, capture_output=True, env=environment, timeout=120
    )
    assert done.returncode in (0, 1, -9), done.stderr
    return done.returncode


def results(db: Path) -> tuple[object, list[Measurement]]:
    """Final populations by place, and all measurements without their seconds."""
    with Reader(db) as reader:
        runs = reader.study_runs(1)
        populations = [
            [(c.id, c.program.hash, c.cost, c.agreement) for c in reader.population(row.number)]
            for row in runs.values()
        ]
        place = {row.number: at for at, row in runs.items()}
        found = [
            replace(m, seconds=None, run=None if m.run is None else place[m.run])
            for m in reader.measurements(1)
        ]
    return populations, sorted(found, key=repr)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one study that nobody disturbed."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    book(db)
    assert drive(db) == 0
    return db


def test_every_run_ends_with_its_budget_and_everybody_is_measured(undisturbed: Path) -> None:
    with Reader(undisturbed) as reader:
        row, runs = reader.study(1), reader.study_runs(1)
        assert (status(row), row.reason) == ("done", "")
        assert [run.state for run in runs.values()] == ["done"] * 4
        assert [reader.totals(run.number).calls for run in runs.values()] == [8] * 4
        found = reader.measurements(1)
    programs = Counter(m.method for m in found if m.kind == "program")
    assert programs == {"ours": 2, "performance-only": 2, "max-align": 2}
    others = {(m.solver, m.kind, m.device) for m in found if m.kind != "program"}
    assert others == {
        ("shortest", "rule", "cpu"),
        ("smith", "rule", "cpu"),
        ("program:tests/toy/teacher.py", "teacher", "cpu"),
    }
    assert all(m.set == "held-out" and len(m.costs) == 8 and m.mean for m in found)


def test_runs_side_by_side_find_everything_out_once(undisturbed: Path) -> None:
    with Reader(undisturbed) as reader:
        told = [e for run in reader.study_runs(1).values() for e in reader.events(run.number)]
    seeds = Counter(
        (event.kind, event.fact.program)
        for event in told
        if event.generation == 0 and isinstance(event.fact, EvaluationEnded | DiagnosisEnded)
    )
    assert len(seeds) == 6
    assert set(seeds.values()) == {1}


def test_one_run_at_a_time_gives_the_same_study(undisturbed: Path, tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    book(db, replace(SPEC, at_once=1))
    assert drive(db) == 0
    assert results(db) == results(undisturbed)


@pytest.mark.parametrize(("stage", "passes"), [("answer", 9), ("measured", 4)])
def test_a_killed_study_resumes_to_the_same_results_and_pays_no_reply_twice(
    undisturbed: Path, tmp_path: Path, stage: str, passes: int
) -> None:
    db, log = tmp_path / "runs.db", tmp_path / "asked.log"
    book(db)
    assert drive(db, "study", stage, str(passes), log=log) == -9
    with Reader(db) as reader:
        assert status(reader.study(1)) == "interrupted"
        runs = [run.number for run in reader.study_runs(1).values()]
        calls = [call for run in runs for call in reader.calls(run)]
    received = Counter(call.request_sha for call in calls if call.reply is not None)
    assert drive(db, log=log) == 0
    asked = Counter(log.read_text().split())
    assert results(db) == results(undisturbed)
    unpaid = Counter(call.request_sha for call in calls if call.reply is None)
    assert asked.total() <= 32 + unpaid.total()
    assert received


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Caps(calls=11), r"11 of 11 calls are made; raise calls in the \[budget\] of its file"),
        (Caps(tokens=1155), r"the cap of 1,155 tokens \(1,\d+ used\); raise tokens in the \[bud"),
        (Caps(seconds=0.0), r"at work for the cap of 0s \(\d+s used\); raise time in the \[bud"),
    ],
)
def test_a_study_pauses_when_its_runs_have_spent_its_budget_and_goes_on_when_that_is_raised(
    undisturbed: Path, tmp_path: Path, budget: Caps, told: str
) -> None:
    db = tmp_path / "runs.db"
    study = book(db, replace(SPEC, budget=budget))
    assert drive(db) == 0
    with Reader(db) as reader:
        row = reader.study(study)
        spent = reader.spent(study)
        states = {run.state for run in reader.study_runs(study).values()}
    assert (status(row), states) == ("paused", {"paused"})
    assert row.reason.startswith("the budget of the study is used up: ")
    assert re.search(told, row.reason)
    assert spent.calls <= (11 if budget.calls else 32)
    assert spent.tokens <= (1155 + 4 * 110 if budget.tokens else 32 * 110)
    with Store(db) as store:
        assert store.find_study(replace(SPEC, budget=Caps())) == study
        store.study_log.reword(study, replace(SPEC, budget=Caps(calls=32)))
    assert drive(db) == 0
    assert results(db) == results(undisturbed)
    with Reader(db) as reader:
        assert reader.spent(study).calls == 32


async def test_a_study_at_work_takes_a_raised_budget_at_once(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db, replace(SPEC, budget=Caps(calls=0)))
    with Store(db) as store:
        runner = StudyRunner(store, study, {})
        store.study_log.reword(study, replace(SPEC, budget=Caps(calls=1)))
        runner.probe_now()
        assert runner._budget.admits(Usage())


def test_a_finished_study_measures_nothing_again(undisturbed: Path) -> None:
    before = results(undisturbed)
    with Reader(undisturbed) as reader:
        seconds = [m.seconds for m in reader.measurements(1)]
    assert drive(undisturbed) == 0
    assert results(undisturbed) == before
    with Reader(undisturbed) as reader:
        assert [m.seconds for m in reader.measurements(1)] == seconds


def test_a_failed_run_does_not_end_the_study(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    broken = replace(TASK, teacher="program:tests/toy/missing.py", solvers=("shortest",))
    book(db, replace(SPEC, tasks=(broken,), seeds=(0,)))
    assert drive(db) == 1
    with Reader(db) as reader:
        row, runs = reader.study(1), reader.study_runs(1)
        assert [run.state for run in runs.values()] == ["failed", "done"]
        assert (status(row), row.reason) == ("failed", "run 1 failed")
        kinds = Counter(m.method or m.kind for m in reader.measurements(1))
    assert kinds == {"performance-only": 1, "rule": 1}


async def test_a_paused_study_begins_nothing_new(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db)
    order = control.send(db, Job("study", study), Command("pause"))
    with Store(db) as store:
        assert await carry_out_study(store, study, {}) == "paused"
        assert store.study(study).reason == "paused on request"
        assert [run.state for run in store.study_runs(study).values() if run.state == "done"] == []
        assert order not in control.pending(store, Job("study", study))


async def test_measuring_is_given_up_when_the_study_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forever(measurer: Measurer, *_: object) -> None:
        bench = measurer.bench
        teacher = await bench.consult(bench.teacher_spec(TASK.teacher, "held-out"))
        assert isinstance(teacher, TeacherPool)
        started.set()
        await teacher._processes[0]._submit(time.sleep, 3600)

    started = asyncio.Event()
    monkeypatch.setattr(Measurer, "examine", forever)
    db = tmp_path / "runs.db"
    study = book(db)
    with Store(db) as store:
        party = StudyRunner(store, study, {})
        measuring = asyncio.create_task(party.measure(TASK))
        await started.wait()
        party.halt(Halted("stopped", "stopped on request"))
        await measuring
        assert store.measurements(study) == ()


@pytest.mark.parametrize(("kind", "teachers"), [("rule", True), ("whole", False)])
def test_whole_programs_are_measured_beside_no_teacher(
    kind: str, teachers: bool, tmp_path: Path
) -> None:
    task = replace(TASK, problem=ProblemRef("tsp", (("kind", kind),)), solvers=())
    study = book(tmp_path / "runs.db", replace(SPEC, tasks=(task,)))
    with Store(tmp_path / "runs.db") as store:
        row = store.study(study)
        found = list_solvers(store, row, task, problems.load(task.problem))
    names = [measured.solver.name for measured in found]
    assert "nn-2opt" in names
    assert any("lehd" in name for name in names) == teachers


def test_one_study_is_made_by_one_code(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db)
    with Store(db) as store:
        run = store.study_log.enlist(study, 0, SPEC.runs()[0])
        refuse_mixture(store, study)
        store.jobs.record_provenance(run, Provenance(f"{SCHEME} another", "", ""))
        with pytest.raises(RunMismatch, match="code changed since its first runs"):
            refuse_mixture(store, study)


def test_runs_that_saw_other_weights_or_sets_are_told(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db)
    with Store(db) as store:
        for place, made in enumerate(
            (("d", "old"), ("d", "new"), ("d", ""), ("d", "shuffled new"))
        ):
            run = store.study_log.enlist(study, place, SPEC.runs()[place])
            store.jobs.record_provenance(run, Provenance("code", *made))
        runs = store.study_runs(study).values()
    told = ["runs of tests/toy saw different weights of program:tests/toy/teacher.py"]
    assert name_mixture(runs) == told
    assert name_mixture(list(runs)[1:]) == []


async def test_a_study_has_one_engine_at_a_time(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db)
    init = replace(identity.current(), pid=1, started=identity.started(1) or "")
    with Store(db) as store:
        store.jobs.claim(Job("study", study), init)
        with pytest.raises(StoreError, match="study 1 is at work in process 1"):
            await carry_out_study(store, study, {})
        assert store.study(study).identity == init
        assert status(store.study(study)) == "running"


def test_a_study_of_an_older_scheme_is_refused_with_the_way_on(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    study = book(db)
    with Store(db) as store:
        run = store.study_log.enlist(study, 0, SPEC.runs()[0])
        store.jobs.record_provenance(run, Provenance("5f2a" * 16, "", ""))
        with pytest.raises(RunMismatch, match=r"an older Preceptor, which .* FILE --new"):
            refuse_mixture(store, study)
