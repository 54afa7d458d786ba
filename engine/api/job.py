"""What a run and a study have in common: an engine of its own to start, to wait for, to order."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from engine.domain.status import ENDED, LIVE, Job, JobKind, Status
from engine.monitor.event_stream import is_over
from engine.runtime import control
from engine.runtime.launch import launch
from engine.runtime.writers.writer_config import collect_keys
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import UserError

PATIENCE = 5.0
"""Seconds to wait for the engine's answer."""

TICK = 0.1
"""Seconds between two looks for it."""

CommandWord = Literal["pause", "stop"]


def _ignore() -> None:
    """Nobody looks at what happens meanwhile."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of an order to a job: whether its engine took it, and how it stands now."""

    job: Job
    command: CommandWord
    acknowledged: bool
    status: Status

    @property
    def is_open(self) -> bool:
        """Whether the order still waits for the engine."""
        return not self.acknowledged and self.status in LIVE

    @property
    def text(self) -> str:
        """The answer in a sentence."""
        what = str(self.job)
        if self.status not in LIVE:
            return f"{what} is {self.status}"
        if self.acknowledged:
            return f"{what} will {self.command} once pending calls are recorded"
        return f"the engine of {what} has not answered yet; the order waits for it"


@dataclass(frozen=True, slots=True, repr=False)
class JobHandle(ABC):
    """A run or a study of a store, by its number."""

    store: Path
    number: int

    KIND: ClassVar[JobKind]

    @property
    def job(self) -> Job:
        """What its engine works on; `str` of it is `run 3`."""
        return Job(self.KIND, self.number)

    @property
    @abstractmethod
    def word(self) -> str:
        """What a user types for it."""

    @property
    def status(self) -> Status:
        """How it stands now: starting, running, done ... Raises UnknownName."""
        with Reader(self.store) as reader:
            return status(reader.job(self.job))

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it unless it is resumed."""
        with Reader(self.store) as reader:
            return is_over(reader.job(self.job))

    def pause(self) -> CommandResult:
        """Let it rest until it is resumed; waits a few seconds for its engine's answer.

        Raises UserError where there is no engine at work.
        """
        return self._send("pause")

    def stop(self) -> CommandResult:
        """End it before its time. Raises UserError where it has ended already."""
        return self._send("stop")

    def order(self, command: CommandWord) -> control.Command | None:
        """Leave an order for its engine without waiting.

        None where no engine is at work: it is marked stopped at once. Raises UserError for a job
        that has ended, or that has no engine to pause.
        """
        with Reader(self.store) as reader:
            row = reader.job(self.job)
        now = status(row)
        if now in ENDED:
            raise UserError(f"{self.job} has ended already: it is {now}")
        if now == "starting" or liveness(row) != "gone":
            return control.send(self.store, self.job, control.Command(command))
        if command == "pause":
            raise UserError(f"{self.job} is {now}; no engine is at work that could pause")
        with Store(self.store) as store:
            store.jobs.release(self.job, "stopped", "stopped on request")
        return None

    def launch(self) -> None:
        """Start its engine; returns once that is at work.

        Raises WriterUnavailable without the key of a language model, WorldError for an engine
        that does not come up.
        """
        with Reader(self.store) as reader:
            keys = collect_keys(reader.job(self.job).spec.endpoints)
        launch(self.store, self.job, keys)

    def _send(self, command: CommandWord) -> CommandResult:
        sent = self.order(command)
        if sent is None:
            return CommandResult(self.job, command, True, "stopped")
        with Reader(self.store) as reader:
            _poll(self.job, reader, PATIENCE)
            taken = sent.id in reader.finished_commands(self.job)
            now = status(reader.job(self.job))
        return CommandResult(self.job, command, taken, now)

    def _wait(
        self, reader: Reader, timeout: float | None, look: Callable[[], None] = _ignore
    ) -> None:
        """Wait until it is over, and `look` all the while, then too.

        Raises TimeoutError after so many seconds.
        """
        if not _poll(self.job, reader, timeout, look):
            raise TimeoutError(f"{self.job} is {status(reader.job(self.job))}")


def _poll(
    job: Job, reader: Reader, seconds: float | None, look: Callable[[], None] = _ignore
) -> bool:
    """Wait at most so long for the end of a job; returns whether it has come."""
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        over = is_over(reader.job(job))
        look()
        if over:
            return True
        if end is not None and time.monotonic() > end:
            return False
        time.sleep(TICK)
