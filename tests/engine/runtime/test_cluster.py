"""A run on a Dask cluster of its own, on loopback: the same programs come out."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.api.run import Run, prepare_resume
from engine.diagnosis.queries import Diagnose, ListTrials, Observe
from engine.diagnosis.sampling import plan_sampling
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.checkpoint import Checkpoint
from engine.domain.events import Note
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.status import Job
from engine.domain.values import Failure, Prefix
from engine.evaluate.pool import Evaluator, Limits
from engine.runtime import control, provenance
from engine.runtime.executors import connection
from engine.runtime.executors.executor import Cluster, Evaluations, Executor, Local
from engine.runtime.run import run_booked
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import ClusterLost, UserError
from tests.conftest import TEACHER as TOY_TEACHER
from tests.conftest import TOY, WRITER, Shell
from tests.engine.runtime.cluster import LoopbackCluster
from tests.engine.runtime.test_resume import TEACHER, population

LIMITS = Limits(10.0, 512)
SAMPLING = plan_sampling(4, 16)
FINE = "def score(item, state):\n    return -item.duration\n"
BROKEN = "def score(item, state):\n    return item.no_such_field\n"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    """A scheduler and a worker."""
    with LoopbackCluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


async def ask(evaluations: Evaluations) -> list[object]:
    """Everything that can be asked of evaluations, CPU seconds left out."""
    behind = Failure("behind", "worse")
    found: list[object] = []
    for judge in (lambda _: None, lambda _: behind):
        checkpoint = Checkpoint(2, judge)
        for code in (FINE, BROKEN):
            solved = await evaluations.evaluate(code, "design", None, checkpoint)
            found.append((solved.cost, solved.costs, solved.actions, solved.failure))
    (tried,) = await evaluations.try_out([FINE], "design", [2, 0], 5.0)
    found.append((tried.costs, tried.actions))
    walk = solved.actions and tried.actions[1]
    prefixes = [Prefix(0, tuple(walk[:2]))] if walk else [Prefix(0, tried.actions[1][:2])]
    found.append((await evaluations.continue_from(FINE, "design", prefixes, 5.0)).costs)
    return found


async def ask_all(executor: Executor) -> list[object]:
    async with executor, executor.evaluations(ProblemRef(TOY), LIMITS) as evaluations:
        return [await ask(evaluations), await consult(executor, evaluations)]


async def consult(executor: Executor, evaluations: Evaluations) -> list[object]:
    """Everything that can be asked of a teacher, CPU seconds left out."""
    rollouts = (await evaluations.evaluate(FINE, "design")).actions
    teacher = executor.verdicts(TeacherSpec(ProblemRef(TOY), TEACHER, "design", SAMPLING))
    found: list[object] = [await teacher.open(), teacher.spec.tries]
    found.append((await teacher.ask(Observe(rollouts))).facts)
    found.append((await teacher.ask(Diagnose(rollouts, 2))).diagnostics)
    found.append(await teacher.ask(ListTrials(rollouts)))
    await teacher.close()
    assert None not in found
    return found


def book(db: Path, executor: str, generations: int = 1) -> int:
    """A run of the toy whose programs are evaluated there."""
    settings = Settings(
        generations=generations, eval_concurrency=2, eval_seconds=10, states=16, executor=executor
    )
    spec = RunSpec(ProblemRef(TOY), writer=WRITER, teacher=TEACHER, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def carry_out(db: Path, run: int) -> str:
    """A run to its end, in this process."""
    with Store(db) as store:
        return asyncio.run(run_booked(store, run, {}))


def test_a_cluster_answers_as_this_machine_does(cluster: LoopbackCluster) -> None:
    here = asyncio.run(ask_all(Local(1)))
    assert asyncio.run(ask_all(Cluster(cluster.address, outage=280.0))) == here


def test_a_run_on_a_cluster_ends_with_the_same_programs(
    tmp_path: Path, cluster: LoopbackCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here.db"
    there = tmp_path / "there.db"
    assert carry_out(here, book(here, "local")) == "done"
    run = book(there, f"dask:{cluster.address}")
    with monkeypatch.context() as patch:  # the engine starts no sandbox of its own
        patch.setattr(Evaluator, "start", None)
        assert carry_out(there, run) == "done"
    assert population(there, run) == population(here, 1)
    told = [tell_workers(db) for db in (here, there)]
    assert told[0] == []
    assert len(told[1]) == 2
    assert all(re.search(r"tcp://127\.0\.0\.1:\d+ [1-9]\d* tasks, ", one) for one in told[1])


def tell_workers(db: Path) -> list[str]:
    """What run 1 said of its workers, generation by generation."""
    with Reader(db) as reader:
        notes = [e.fact for e in reader.events(1) if isinstance(e.fact, Note)]
    return [note.text for note in notes if note.kind == "workers"]


def test_workers_are_told_with_their_pace_and_those_that_were_lost() -> None:
    executor = Cluster("tcp://127.0.0.1:1")
    assert executor.progress == ""
    executor._opened = time.monotonic() - 120
    executor._tasks.update({"tcp://b": 5, "tcp://a": 30})
    executor.alive = frozenset({"tcp://a"})
    assert executor.progress == "tcp://a 30 tasks, 15.0 a minute; tcp://b 5 tasks, lost"


STUDY = f"""
problems = ["{TOY}"]
methods = ["ours", "performance-only"]
seeds = [0]
writer = "{WRITER}"

[settings]
calls = 6

[toy]
teacher = "{TOY_TEACHER}"
solvers = ["smith"]
"""


def test_a_study_on_a_cluster_finds_what_it_finds_here(
    preceptor: Shell, tmp_path: Path, cluster: LoopbackCluster
) -> None:
    cluster.add_worker()
    (tmp_path / "tiny.toml").write_text(STUDY)
    found = []
    for db, more in (("here.db", []), ("there.db", ["--executor", f"dask:{cluster.address}"])):
        done = preceptor("study", "tiny.toml", *more, "--db", db)
        assert done.code == 0, done.err
        with Reader(tmp_path / db) as reader:
            assert {t.settings.executor for t in reader.study(1).spec.tasks} == {
                more[1] if more else "local"
            }
            runs = [population(tmp_path / db, run.number) for run in reader.study_runs(1).values()]
            measured = [replace(one, seconds=None) for one in reader.measurements(1)]
        found.append((runs, measured))
    assert len(found[0][0]) == 2
    assert found[0] == found[1]


def test_a_run_without_its_scheduler_pauses_and_may_go_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 1.0)
    db = tmp_path / "runs.db"
    run = book(db, "dask:tcp://127.0.0.1:1")
    assert carry_out(db, run) == "paused"
    with Store(db) as store:
        assert "the Dask scheduler at tcp://127.0.0.1:1 does not answer" in store.run(run).reason
    prepare_resume(Run(db, run), Caps(), ("executor=local",))
    with Store(db) as store:
        assert store.run(run).spec.settings.executor == "local"
        assert store.run(run).state == "paused"


async def test_a_run_that_waits_for_workers_obeys(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 0) as empty, Store(db) as store:
        run = book(db, f"dask:{empty.address}")
        waiting = asyncio.create_task(run_booked(store, run, {}))
        control.send(db, Job("run", run), control.Command("pause"))
        assert await waiting == "paused"
        assert store.run(run).reason == "paused on request"


def test_another_executor_needs_an_address() -> None:
    for word in ("dask", "dask:", "dask:somewhere", "ray:tcp://x", ""):
        with pytest.raises(UserError, match="is local or dask:ADDRESS"):
            Settings(executor=word)


def test_a_worker_of_another_version_is_refused_by_name(
    cluster: LoopbackCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "evaluator_version", lambda _: "other")
    with pytest.raises(ClusterLost, match=r"toy: tcp://127\.0\.0\.1:\d+ does not have"):
        asyncio.run(ask_all(Cluster(cluster.address, outage=280.0)))
