"""A run belongs to one living engine, and readers see whether it still lives."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.records import Identity
from engine.domain.status import REASONS, Job, State
from engine.store import process_identity as identity
from engine.store.jobs import BREATH
from engine.store.reader import DEAD, HUNG, liveness, status
from engine.store.store import Store
from problems.errors import StoreError, UnknownName
from tests.engine.samples import SPEC, in_child

RUN = Job("run", 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        yield store


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process that lives and does nothing."""
    pid = in_child(signal.pause)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def of(pid: int) -> Identity:
    """The identity that a living process would give itself."""
    started = identity.started(pid)
    assert started is not None
    return replace(identity.current(), pid=pid, started=started)


def test_this_process_lives() -> None:
    assert identity.lives(identity.current())


def test_a_reused_process_number_is_not_the_same_process() -> None:
    forged = replace(identity.current(), started="1")
    assert not identity.lives(forged)


def test_a_process_of_an_earlier_boot_is_gone() -> None:
    assert not identity.lives(replace(identity.current(), boot="another"))


def test_a_killed_process_is_gone_before_anyone_reaps_it() -> None:
    pid = in_child(signal.pause)
    engine = of(pid)
    assert identity.lives(engine)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert not identity.lives(engine)
    os.waitpid(pid, 0)


def test_without_proc_the_start_time_comes_from_ps() -> None:
    assert identity.started_by_ps(os.getpid())
    assert identity.started_by_ps(2**22 + 1) is None


def test_a_run_waits_for_its_engine_and_is_interrupted_when_none_comes(store: Store) -> None:
    row = store.run(1)
    assert status(row, row.created) == "starting"
    assert status(row, row.created + HUNG + 1) == "interrupted"


def test_an_engine_beats_hangs_and_vanishes(store: Store) -> None:
    store.jobs.claim(RUN, identity.current())
    row = store.run(1)
    assert (liveness(row, row.heartbeat + 1), status(row)) == ("alive", "running")
    late = row.heartbeat + HUNG + 1
    assert (liveness(row, late), status(row, late)) == ("busy", "busy")
    silent = row.heartbeat + DEAD + 1
    assert (liveness(row, silent), status(row, silent)) == ("hung", "hung")
    gone = replace(row, identity=replace(identity.current(), started="1"))
    assert (liveness(gone, row.heartbeat), status(gone)) == ("gone", "interrupted")


@pytest.mark.parametrize(("reason", "shown"), REASONS.items())
def test_an_engine_on_its_way_to_a_rest_says_so_until_it_hangs(
    store: Store, reason: str, shown: str
) -> None:
    """It no longer beats while it closes what it has opened, and was called hung."""
    store.jobs.claim(RUN, identity.current())
    store.jobs.set_reason(RUN, reason)
    row = store.run(1)
    assert status(row, row.heartbeat + HUNG + 1) == status(row) == shown
    assert status(row, row.heartbeat + DEAD + 1) == "hung"
    assert status(replace(row, identity=None)) == "interrupted"


@pytest.mark.parametrize("state", ["paused", "done", "budget", "stopped", "failed"])
def test_a_run_that_was_ended_stays_so_without_an_engine(store: Store, state: State) -> None:
    store.jobs.claim(RUN, identity.current())
    store.jobs.release(RUN, state, "because")
    row = store.run(1)
    assert (status(row), row.reason, row.identity) == (state, "because", None)
    assert (row.ended is None) == (state == "paused")


def test_a_second_engine_is_refused_while_the_first_lives(store: Store, sleeper: int) -> None:
    store.jobs.claim(RUN, of(sleeper))
    with pytest.raises(StoreError, match=f"at work in process {sleeper}"):
        store.jobs.claim(RUN, identity.current())


def test_an_engine_may_claim_a_run_after_a_dead_or_finished_one(store: Store) -> None:
    store.jobs.claim(RUN, Identity(os.getpid(), "1", "another boot"))
    store.jobs.claim(RUN, identity.current())
    store.jobs.claim(RUN, identity.current())
    assert store.run(1).identity == identity.current()


def test_a_run_that_does_not_exist_cannot_be_claimed(store: Store) -> None:
    with pytest.raises(UnknownName):
        store.jobs.claim(Job("run", 2), identity.current())


def test_seconds_count_while_running_and_not_while_suspended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    store.jobs.claim(RUN, identity.current())
    for step in (2.0, 3.0, 3600.0, -60.0):
        now += step
        store.jobs.beat(RUN)
    assert store.run(1).seconds == pytest.approx(5.0 + BREATH)
    store.jobs.release(RUN, "paused")
    now += 5.0
    store.jobs.beat(RUN)
    assert store.run(1).seconds == pytest.approx(5.0 + BREATH)
    assert store.run(1).heartbeat == now
