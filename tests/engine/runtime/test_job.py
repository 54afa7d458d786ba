"""An engine owns its job from the claim to the end, and the end is told in one piece."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from engine.domain.names import log_path
from engine.domain.records import Provenance
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job
from engine.runtime import control
from engine.runtime.control import Command
from engine.runtime.job import (
    ENDING,
    Ending,
    Halted,
    attended,
    carry_out,
    outwait,
    pause_on_signals,
)
from engine.runtime.run import run_booked
from engine.store import process_identity as identity
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import RunMismatch, StoreBusy, StoreError, UnknownName, UserError, WorldError

ROOT = Path(__file__).parents[3]
TOY = ProblemRef(str(ROOT / "tests/toy"))
SPEC = RunSpec(
    TOY,
    method="performance-only",
    writer=f"{ROOT / 'tests/scripted.py'}:Scripted",
    settings=Settings(generations=1, eval_concurrency=2, eval_seconds=10),
)
RUN = Job("run", 1)
STUDY = Job("study", 1)

Seen = tuple[str, str, bool]
"""State, reason and whether there is an owner."""


class Watched(Store):
    """A store whose job another process looks at after every transaction."""

    def __init__(self, path: Path, job: Job) -> None:
        super().__init__(path)
        self.job_watched = job
        self.seen: list[Seen] = []

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with super()._writing() as db:
            yield db
        with Reader(self.path) as reader:
            rows = reader.runs() if self.job_watched.kind == "run" else reader.studies()
            self.seen += [(row.state, row.reason, row.identity is not None) for row in rows]


class Ear:
    """Hears what is told to a job."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def halt(self, halted: Halted) -> None:
        """Told to end."""
        self.heard.append((halted.state, halted.reason))

    def probe_now(self) -> None:
        """Told to try again."""
        self.heard.append("probe")

    def set_caps(self, caps: Caps) -> None:
        """Told what to spend."""
        self.heard.append(caps)


@pytest.fixture(params=[RUN, STUDY], ids=str)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    """A store with a run and a study, one of them watched."""
    with Watched(tmp_path / "runs.db", request.param) as store:
        store.jobs.create_run(SPEC)
        store.jobs.create_study(StudySpec("tiny", (Task(TOY),), ("performance-only",)))
        store.seen.clear()
        yield store


def ended_at_once(seen: list[Seen], state: str, reason: str) -> bool:
    """Whether state, reason and the loss of the owner appeared together, and last."""
    *before, last = seen
    at_work = all(state == "running" and owned for state, _, owned in before)
    return at_work and last == (state, reason, False)


async def test_an_ending_and_the_release_appear_together(store: Watched) -> None:
    async def work() -> Ending:
        store.jobs.set_reason(store.job_watched, "measured 1 of 2")
        return "paused", "paused on request"

    assert await carry_out(store, store.job_watched, work) == "paused"
    assert ended_at_once(store.seen, "paused", "paused on request")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(UserError("no such set"), "no such set"), (ValueError("a bug"), "ValueError: a bug")],
)
async def test_an_error_and_the_release_appear_together(
    store: Watched, error: Exception, reason: str
) -> None:
    async def work() -> Ending:
        raise error

    with pytest.raises(type(error)):
        await carry_out(store, store.job_watched, work)
    assert ended_at_once(store.seen, "failed", reason)


async def test_work_that_is_cancelled_is_interrupted(store: Watched) -> None:
    async def work() -> Ending:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await carry_out(store, store.job_watched, work)
    assert status(store.job(store.job_watched)) == "interrupted"


async def test_a_job_at_work_elsewhere_is_left_as_it_is(store: Watched) -> None:
    async def work() -> Ending:
        raise AssertionError

    init = replace(identity.current(), pid=1, started=identity.started(1) or "")
    store.jobs.claim(store.job_watched, init)
    with pytest.raises(StoreError, match=f"{store.job_watched} is at work in process 1"):
        await carry_out(store, store.job_watched, work)
    row = store.job(store.job_watched)
    assert (row.state, row.identity) == ("running", init)


async def test_commands_reach_a_job_and_are_finished(store: Watched) -> None:
    job = store.job_watched
    for kind in ("resume", "pause", "stop"):
        control.send(store.path, job, Command(kind))
    ear = Ear()
    async with attended(store, job, ear):
        while control.pending(store, job):
            await asyncio.sleep(0.01)
    paused, stopped = ("paused", "paused on request"), ("stopped", "stopped on request")
    assert ear.heard == ["probe", paused, stopped]
    assert store.job(job).reason.startswith("stopping: ")
    assert len(store.finished_commands(job)) == 3


def book(path: Path, spec: RunSpec) -> Watched:
    """A store whose run 1, watched, has this specification."""
    store = Watched(path, RUN)
    store.jobs.create_run(spec)
    store.seen.clear()
    return store


def test_nobody_sees_a_finished_run_without_its_ending(tmp_path: Path) -> None:
    with book(tmp_path / "runs.db", SPEC) as store:
        assert asyncio.run(run_booked(store, 1, {})) == "done"
        assert ended_at_once(store.seen, "done", "")
        assert store.events(1)[-1].kind == "run-ended"


def test_nobody_sees_a_failed_run_without_its_reason(tmp_path: Path) -> None:
    with book(tmp_path / "runs.db", replace(SPEC, method="no-such-method")) as store:
        with pytest.raises(UnknownName) as told:
            asyncio.run(run_booked(store, 1, {}))
        assert ended_at_once(store.seen, "failed", str(told.value))


def test_a_run_of_an_older_scheme_is_refused_with_the_way_on(tmp_path: Path) -> None:
    with book(tmp_path / "runs.db", SPEC) as store:
        store.jobs.record_provenance(1, Provenance("5f2a" * 16, "design", ""))
        with pytest.raises(RunMismatch) as told:
            asyncio.run(run_booked(store, 1, {}))
        assert (
            str(told.value)
            == store.run(1).reason
            == (
                "run 1 was begun by an older Preceptor, which identified code differently; "
                "go on with: preceptor resume 1 --fork"
            )
        )


class Untold(Exception):
    """An exception without words."""


@pytest.mark.parametrize(
    ("error", "log", "reason"),
    [
        (ValueError("a bug"), "one\ntwo \n\n", "ValueError: a bug (its log ends with: two)"),
        (WorldError("it died"), "why\n", "it died (its log ends with: why)"),
        (UserError("no such set"), "noise\n", "no such set"),
        (Untold(), "", "Untold"),
    ],
)
async def test_a_failed_job_says_what_its_log_says_last(
    store: Watched, error: Exception, log: str, reason: str
) -> None:
    async def work() -> Ending:
        raise error

    file = log_path(store.path, store.job_watched)
    file.parent.mkdir()
    file.write_text(log)
    with pytest.raises(type(error)):
        await carry_out(store, store.job_watched, work)
    assert store.job(store.job_watched).reason == reason


async def test_an_engine_that_is_asked_to_end_pauses(
    store: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.job._received", [])
    ear = Ear()
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        pause_on_signals()
        async with attended(store, store.job_watched, ear):
            os.kill(os.getpid(), signal.SIGHUP)
            while not ear.heard:
                await asyncio.sleep(0.01)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ear.heard[0] == ("paused", "paused by SIGHUP")


async def test_an_engine_pauses_once_its_store_is_gone(store: Watched) -> None:
    ear = Ear()
    async with attended(store, store.job_watched, ear):
        store.path.unlink()
        while not ear.heard:
            await asyncio.sleep(0.01)
    state, reason = cast("tuple[str, str]", ear.heard[0])
    assert state == "paused"
    assert "was deleted: continue" in reason


async def test_a_lost_store_is_kept_with_the_ending_of_its_job(store: Watched) -> None:
    async def work() -> Ending:
        store.path.unlink()
        return "paused", "the store is gone"

    assert await carry_out(store, store.job_watched, work) == "paused"
    with Reader(store.path.with_name("runs.db.rescued-1")) as rescued:
        row = rescued.job(store.job_watched)
        assert (row.state, row.reason, row.identity) == ("paused", "the store is gone", None)


async def test_work_is_tried_again_while_another_program_holds_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.runtime.job.PROBE", 0.0)
    left = [StoreBusy("held"), StoreBusy("held")]

    async def attempt() -> str:
        if left:
            raise left.pop()
        return "written"

    assert await outwait(attempt) == "written"
    monkeypatch.setattr("engine.runtime.job.HELD", 0.0)
    left.append(StoreBusy("held for ever"))
    with pytest.raises(StoreBusy, match="for ever"):
        await outwait(attempt)
