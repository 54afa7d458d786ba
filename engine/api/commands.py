"""Pausing and stopping: an order is left for the engine, and its answer waited for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.domain.status import Job
from engine.monitor.event_stream import is_over
from engine.monitor.study_status import read_study_status
from engine.runtime import control
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.status import Status

PATIENCE = 5.0
"""Seconds to wait for the engine's answer."""

TICK = 0.1
"""Seconds between two looks for it."""

ENDED = ("done", "budget", "stopped", "failed")

Kind = Literal["pause", "stop"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of an order: whether the engine took it, and how the run stands now."""

    run: int
    command: Kind
    acknowledged: bool
    status: Status

    @property
    def text(self) -> str:
        """The answer in a sentence."""
        return _word(f"run {self.run}", self)


@dataclass(frozen=True, slots=True)
class StudyCommandResult:
    """The same of a study."""

    study: int
    command: Kind
    acknowledged: bool
    status: Status

    @property
    def text(self) -> str:
        """The answer in a sentence."""
        return _word(f"study {self.study}", self)


def send_command(db: Path, run: int, kind: Kind) -> CommandResult:
    """Tell a run to pause or stop, and wait a few seconds for what comes of it.

    A run without an engine is marked stopped at once. Raises UserError for a run that has ended,
    or that has no engine to pause.
    """
    with Reader(db) as reader:
        sent = leave_command(reader, run, kind)
        return sent if isinstance(sent, CommandResult) else _wait(reader, run, kind, sent.id)


def send_study_command(db: Path, study: int, kind: Kind) -> StudyCommandResult:
    """The same for a study: all its runs pause or stop, and measuring is given up."""
    with Reader(db) as reader:
        now = status(reader.study(study))
        _refuse_ended(f"study {study}", now)
        if now != "starting" and liveness(reader.study(study)) == "gone":
            _refuse_pause(f"study {study}", kind, now)
            with Store(db) as store:
                store.jobs.release(Job("study", study), "stopped", "stopped on request")
            return StudyCommandResult(study, kind, True, "stopped")
        job = Job("study", study)
        order = control.send(db, job, control.Command(kind))
        patience = time.monotonic() + PATIENCE
        while not read_study_status(reader, study).over and time.monotonic() < patience:
            time.sleep(TICK)
        taken = order.id in reader.finished_commands(job)
        return StudyCommandResult(study, kind, taken, status(reader.study(study)))


def leave_command(reader: Reader, run: int, kind: Kind) -> CommandResult | control.Command:
    """Leave an order for the engine without waiting; an Answer where there is no engine.

    Raises UserError for a run that has ended, or that has no engine to pause.
    """
    row = reader.run(run)
    now = status(row)
    _refuse_ended(f"run {run}", now)
    if now != "starting" and liveness(row) == "gone":
        return _settle_alone(reader.path, run, kind, now)
    return control.send(reader.path, Job("run", run), control.Command(kind))


def _settle_alone(db: Path, run: int, kind: Kind, now: Status) -> CommandResult:
    _refuse_pause(f"run {run}", kind, now)
    with Store(db) as store:
        store.jobs.release(Job("run", run), "stopped", "stopped on request")
    return CommandResult(run, kind, True, "stopped")


def _wait(reader: Reader, run: int, kind: Kind, id: str) -> CommandResult:
    patience = time.monotonic() + PATIENCE
    while not is_over(reader.run(run)) and time.monotonic() < patience:
        time.sleep(TICK)
    taken = id in reader.finished_commands(Job("run", run))
    return CommandResult(run, kind, taken, status(reader.run(run)))


def _refuse_ended(what: str, now: Status) -> None:
    if now in ENDED:
        raise UserError(f"{what} has ended already: it is {now}")


def _refuse_pause(what: str, kind: Kind, now: Status) -> None:
    if kind == "pause":
        raise UserError(f"{what} is {now}; no engine is at work that could pause")


def _word(what: str, answer: CommandResult | StudyCommandResult) -> str:
    if answer.status not in ("starting", "running"):
        return f"{what} is {answer.status}"
    if answer.acknowledged:
        return f"{what} will {answer.command} when what is under way has ended"
    return f"the engine of {what} has not answered yet; the order waits for it"
