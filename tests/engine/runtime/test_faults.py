"""Faults of the world that no other module tries: each leaves a run that ends as it should."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from engine.domain.events import NO_DIAGNOSTICS, Note
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.status import Job
from engine.evaluate.pool import Evaluator, Limits
from engine.monitor.run_result import read_run_result
from engine.runtime.launch import launch
from engine.runtime.run import run_booked
from engine.store import process_identity as identity
from engine.store.reader import HUNG, Reader, liveness, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import JobTaken
from tests.conftest import TOY, WRITER
from tests.engine.evaluate.processes import session
from tests.engine.runtime.test_resume import TEACHER, population

RUN = Job("run", 1)
SPEC = RunSpec(
    ProblemRef(TOY),
    writer=WRITER,
    teacher=TEACHER,
    settings=Settings(generations=2, eval_concurrency=2, eval_seconds=10, states=16),
)
FAULTY = """
import os
from teachers.base import Verdict, verdict

class Own:
    name, problem, fingerprint = "own", "toy", "v1"

    def __init__(self, problem, device):
        pass

    def verdicts(self, decisions):
        fine = [verdict(d.actions, [float(-a) for a in d.actions]) for d in decisions]
        {fault}
"""
FAULTS = {
    "out of memory": "raise MemoryError('CUDA out of memory')",
    "dies": "os._exit(9)",
    "scores that are no numbers": "return [verdict(d.actions, [float('nan')] * len(d.actions)) "
    "for d in decisions]",
    "too few verdicts": "return fine[:-1]",
    "scores of another shape": "return [Verdict(v.preferred, v.scores[:-1]) for v in fine]",
    "an action that is not there": "return [Verdict(10**6, None) for v in fine]",
    "no verdicts": "return None",
    "exits": "raise SystemExit(0)",
}


def carry_out(db: Path, spec: RunSpec = SPEC) -> str:
    """A run to its end, in this process."""
    with Store(db) as store:
        return asyncio.run(run_booked(store, store.jobs.create_run(spec), {}))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run without any fault."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    assert carry_out(db) == "done"
    return db


@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_outlives_its_teacher_and_no_agreement_is_made_up(
    fault: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.py"
    file.write_text(FAULTY.format(fault=FAULTS[fault]))
    settings = replace(SPEC.settings, generations=1, children=2)
    db = tmp_path / "runs.db"
    assert carry_out(db, replace(SPEC, teacher=f"{file}:Own", settings=settings)) == "done"
    with Reader(db) as reader:
        good = [c for c in reader.candidates(1) if c.cost is not None]
        told = [event.fact for event in reader.events(1) if event.kind == NO_DIAGNOSTICS]
        silence = read_run_result(reader, 1).silence
    assert good and told
    assert Note(NO_DIAGNOSTICS, silence) == told[-1]
    assert {candidate.agreement for candidate in good} == {None}


def test_a_clock_that_jumps_by_hours_changes_nothing(
    tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumps = cycle((0.0, 3600.0, -3600.0))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    db = tmp_path / "runs.db"
    assert carry_out(db) == "done"
    monkeypatch.undo()
    assert population(db, 1) == population(undisturbed, 1)
    with Reader(db) as reader:
        assert reader.run(1).seconds < 600
        closed = [e.generation for e in reader.events(1) if e.kind == "generation-closed"]
    assert closed == [0, 1, 2]


async def test_a_child_that_the_system_ends_for_want_of_memory_is_one_failure() -> None:
    endless = "def score(item, state):\n    while True:\n        pass\n"
    fine = "def score(item, state):\n    return -item.duration\n"
    async with Evaluator.start(SPEC.problem, Limits(30, 96), workers=2) as evaluator:
        asked = asyncio.create_task(evaluator.evaluate(endless, "design"))
        async with asyncio.timeout(60):
            while not (children := session(evaluator._zygote.process.pid)):
                await asyncio.sleep(0.01)
        os.kill(children[0], signal.SIGKILL)
        failure = (await asked).failure
        assert failure is not None and failure.kind == "memory"
        assert "short of memory" in failure.message
        assert (await evaluator.evaluate(fine, "design")).failure is None


def test_an_engine_that_stands_still_is_hung_and_keeps_its_run(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        store.jobs.create_run(SPEC)
        pid = os.fork()
        if pid == 0:  # pragma: no cover - another process
            signal.pause()
            os._exit(0)
        try:
            os.kill(pid, signal.SIGSTOP)
            owner = replace(identity.current(), pid=pid, started=identity.started(pid) or "")
            store.jobs.claim(RUN, owner)
            row = store.run(1)
            later = row.heartbeat + HUNG + 1
            assert (status(row, later), liveness(row, later)) == ("hung", "hung")
            assert status(row, row.heartbeat + HUNG - 1) == "running"
            with pytest.raises(JobTaken, match=f"at work in process {pid}"):
                launch(db, RUN, {})
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
