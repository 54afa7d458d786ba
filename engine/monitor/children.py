"""Children in progress: what the events of an open generation say of each of its slots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from engine.domain.events import (
    CallAnswered,
    CallSent,
    CandidateRecorded,
    ConstantsTuned,
    DiagnosisEnded,
    DiagnosisStarted,
    EvaluationEnded,
    EvaluationStarted,
    Event,
    Fact,
    TrialsRun,
)
from engine.domain.records import Exchange
from engine.store.reader import Reader

Stage = Literal[
    "asked", "repairing", "answered", "evaluating", "evaluated", "tuning", "diagnosing", "ready",
    "failed",
]  # fmt: skip

TUNE = "tune"
"""The operator whose children no writer makes."""

PROGRAM = "program"
"""The purpose of calls that ask for a child; other calls reflect."""

_WAITS: dict[Stage, str] = {
    "asked": "writer",
    "repairing": "repair",
    "evaluating": "evaluation",
    "diagnosing": "teacher",
}
"""What a child waits for, in the stages in which it waits."""


@dataclass(frozen=True, slots=True)
class ChildInProgress:
    """One slot of the open generation; `since` is when its stage began, in Unix seconds.

    `id` is empty until it is evaluated, `operator` and `parents` until its request is read.
    `tried` is the share of the rollouts that a search over its constants may take.
    """

    generation: int
    slot: int
    stage: Stage
    since: float
    id: str = ""
    operator: str = ""
    parents: tuple[str, ...] = ()
    cost: float | None = None
    agreement: float | None = None
    failure: str = ""
    tried: float = 0.0

    @property
    def is_done(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.stage in ("ready", "failed")

    def format_stage(self, now: float) -> str:
        """`writer 12 s` while it waits, else the stage; `now` in Unix seconds."""
        if self.stage == "failed":
            return f"✗ {self.failure}"
        if self.stage == "tuning":
            return f"tuning {self.tried:.0%}"
        if self.stage in _WAITS:
            return f"{_WAITS[self.stage]} {max(0, int(now - self.since))} s"
        return self.stage


def follow(child: ChildInProgress | None, event: Event) -> ChildInProgress | None:
    """The child after an event of its slot; None when the event is not about a child."""
    if event.generation is None or event.slot is None or not isinstance(event.fact, _STEPS):
        return child
    before = child or ChildInProgress(event.generation, event.slot, "asked", event.time)
    return _advance(replace(before, since=event.time), event.fact) or child


def find_program_calls(
    reader: Reader, run: int, generation: int, slot: int
) -> tuple[Exchange, ...]:
    """The calls that asked for the child of a slot, in their order; none for a seed."""
    found = reader.exchanges(run, generation, slot)
    return tuple(exchange for exchange in found if exchange.call.key.purpose == PROGRAM)


def find_reflection_calls(reader: Reader, run: int, generation: int) -> tuple[Exchange, ...]:
    """The calls of a generation that asked for briefs or notes, in their order."""
    found = reader.exchanges(run, generation)
    return tuple(exchange for exchange in found if exchange.call.key.purpose != PROGRAM)


def restart_wait(child: ChildInProgress, time: float) -> ChildInProgress:
    """The child when an engine resumes it: while no engine worked, it did not wait."""
    return replace(child, since=time)


def _advance(child: ChildInProgress, fact: Fact) -> ChildInProgress | None:
    """The child at its next stage; None for calls of a reflection."""
    match fact:
        case CallSent(purpose=purpose) if purpose == PROGRAM:
            return replace(child, stage="asked" if child.stage == "asked" else "repairing")
        case CallAnswered(purpose=purpose) if purpose == PROGRAM:
            return replace(child, stage="answered")
        case EvaluationStarted():
            return replace(child, stage="evaluating", id=fact.program)
        case EvaluationEnded(failure=None):
            return replace(child, stage="evaluated", cost=fact.cost)
        case TrialsRun():
            return _try_out(child, fact)
        case ConstantsTuned(accepted=False) if child.operator == TUNE:
            return replace(child, stage="failed", failure="no gain")
        case DiagnosisStarted():
            return replace(child, stage="diagnosing")
        case DiagnosisEnded():
            return replace(child, stage="ready", agreement=fact.agreement)
        case EvaluationEnded(failure=str(kind)):
            return replace(child, stage="failed", failure=kind)
        case CandidateRecorded(failure=kind):
            known = replace(child, id=fact.program, cost=fact.cost, agreement=fact.agreement)
            if kind is None:
                return replace(known, stage="ready")
            return replace(known, stage="failed", failure=kind)
        case _:
            return None


def _try_out(child: ChildInProgress, fact: TrialsRun) -> ChildInProgress:
    """A child that nobody was asked for is made from the program whose constants are moved."""
    tried = fact.rollouts / fact.budget if fact.budget else 0.0
    child = replace(child, stage="tuning", tried=tried)
    if child.operator or child.id:
        return child
    return replace(child, operator=TUNE, parents=(fact.program,))


_STEPS = (
    CallSent,
    CallAnswered,
    EvaluationStarted,
    EvaluationEnded,
    TrialsRun,
    ConstantsTuned,
    DiagnosisStarted,
    DiagnosisEnded,
    CandidateRecorded,
)
