"""Runs and studies as jobs of an engine: their states, and the commands that change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["starting", "running", "paused", "done", "budget", "stopped", "failed"]
"""What an engine last said of its run."""

Halting = Literal["pausing", "stopping"]
"""An engine that was told to pause or stop, and still records what is under way."""

Status = Literal[State, Halting, "busy", "hung", "interrupted"]
"""What a reader shows: as `State`, or that the engine is on its way to a rest, late with its
heartbeat, silent, or that it vanished in the middle."""

LIVE: tuple[Status, ...] = ("starting", "running", "pausing", "stopping", "busy", "hung")
"""Statuses of a job whose engine is there, or about to be."""

ENDED: tuple[State, ...] = ("done", "budget", "stopped", "failed")
"""States in which nothing is under way any more."""

Liveness = Literal["alive", "busy", "hung", "gone"]
"""The engine of a run: beating, late by 15 s, stopped or silent for 90 s, or not there."""

REASONS: dict[str, Halting] = {
    "pausing: what is under way is recorded first": "pausing",
    "stopping: what is under way is recorded first": "stopping",
}
"""What an engine that was told to halt gives as its reason, and how that is shown."""

CommandKind = Literal["pause", "resume", "stop", "set-cap"]
"""What a user may ask of a running engine."""

JobKind = Literal["run", "study"]
"""What engines work on."""


@dataclass(frozen=True, slots=True)
class Job:
    """What one engine works on: a run or a study, by the number that users type."""

    kind: JobKind
    number: int

    def __str__(self) -> str:
        """As messages name it: `run 3`."""
        return f"{self.kind} {self.number}"

    @property
    def file_name(self) -> str:
        """What its log and the folder of its commands are called: `3`, `study-3`."""
        return str(self.number) if self.kind == "run" else f"{self.kind}-{self.number}"
