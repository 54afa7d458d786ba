"""Callbacks of `Run.wait`: they hear every event, stop a run, and fail without harm to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api.run import Run, Stop
from engine.domain.events import Event, Note
from engine.domain.specs.settings import RunSpec
from engine.domain.status import Job
from engine.runtime import control
from engine.store import process_identity
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef

JOB = Job("run", 1)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run of two events whose engine, this process, is at work."""
    db = tmp_path / "runs.db"
    with Store(db) as store:
        store.jobs.create_run(RunSpec(ProblemRef("tests/toy")))
        store.jobs.claim(JOB, process_identity.current())
        store.search_log.record_events(1, [Event(Note("first")), Event(Note("second"))])
    return Run(db, 1)


def orders(run: Run) -> list[str]:
    """What its engine has been told to do."""
    with Reader(run.store) as reader:
        return [command.kind for command in control.pending(reader, run.job)]


def end(run: Run) -> None:
    """Its engine ends it."""
    with Store(run.store) as store:
        store.jobs.release(JOB, "done", "")


def test_every_event_is_heard_to_the_end(run: Run) -> None:
    heard = []

    def hear(told: Run, event: Event) -> bool:
        heard.append((told, event.kind))
        if event.kind == "second":
            end(run)
        return True  # what it returns says nothing

    assert run.wait(60, hear).status == "done"
    assert heard == [(run, "first"), (run, "second")]
    assert run.wait(60, hear).status == "done"
    assert heard == 2 * [(run, "first"), (run, "second")]


def test_stop_leaves_an_order_and_hears_no_more(run: Run) -> None:
    heard = []

    def stop(_: Run, event: Event) -> None:
        heard.append(event.kind)
        raise Stop

    with pytest.raises(TimeoutError):
        run.wait(0.0, stop)
    assert (heard, orders(run)) == (["first"], ["stop"])


def test_a_run_that_has_ended_is_stopped_no_more(run: Run) -> None:
    def stop(_: Run, event: Event) -> None:
        raise Stop

    end(run)
    assert run.wait(60, stop).status == "done"
    assert orders(run) == []


def test_another_exception_ends_the_waiting_alone(run: Run) -> None:
    def fail(_: Run, event: Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run.wait(60, fail)
    assert (run.status, orders(run)) == ("running", [])
