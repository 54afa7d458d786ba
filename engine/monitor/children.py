"""Children under way: what the events of an open generation say of each of its slots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.events import Event

Stage = Literal[
    "asked", "repairing", "answered", "evaluating", "evaluated", "consulting", "ready", "failed"
]

PROGRAM = "program"
"""The purpose of calls that ask for a child; other calls reflect."""

_WAITS: dict[Stage, str] = {
    "asked": "writer",
    "repairing": "repair",
    "evaluating": "evaluation",
    "consulting": "teacher",
}
"""Whom a child waits for, in the stages in which it waits."""


@dataclass(frozen=True, slots=True)
class Child:
    """One slot of the open generation; `since` is when its stage began, in Unix seconds.

    `id` is empty until it is evaluated, `operator` and `parents` until its request is read.
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

    @property
    def is_done(self) -> bool:
        """Whether it waits for nobody."""
        return self.stage in ("ready", "failed")

    def tell(self, now: float) -> str:
        """Where it stands: `writer 12 s` while it waits, else the stage."""
        if self.stage == "failed":
            return f"✗ {self.failure}"
        if self.stage in _WAITS:
            return f"{_WAITS[self.stage]} {max(0, int(now - self.since))} s"
        return self.stage


def follow(child: Child | None, event: Event) -> Child | None:
    """The child after an event of its slot; None when the event says nothing of a child."""
    facts: Mapping[str, Any] = dict(event.data)
    if event.generation is None or event.slot is None or event.kind not in _STEPS:
        return child
    if facts.get("purpose", PROGRAM) != PROGRAM:
        return child
    before = child or Child(event.generation, event.slot, "asked", event.time)
    return _STEPS[event.kind](replace(before, since=event.time), facts)


def wake(child: Child, time: float) -> Child:
    """The child when an engine goes on with it: it has waited for nobody in between."""
    return replace(child, since=time)


def _send(child: Child, facts: Mapping[str, Any]) -> Child:
    return replace(child, stage="asked" if child.stage == "asked" else "repairing")


def _answer(child: Child, facts: Mapping[str, Any]) -> Child:
    return replace(child, stage="answered")


def _start(child: Child, facts: Mapping[str, Any]) -> Child:
    return replace(child, stage="evaluating", id=facts["program"])


def _measure(child: Child, facts: Mapping[str, Any]) -> Child:
    if facts["failure"] is not None:
        return replace(child, stage="failed", failure=facts["failure"])
    return replace(child, stage="evaluated", cost=facts["cost"])


def _consult(child: Child, facts: Mapping[str, Any]) -> Child:
    return replace(child, stage="consulting")


def _comment(child: Child, facts: Mapping[str, Any]) -> Child:
    return replace(child, stage="ready", agreement=facts["agreement"])


def _finish(child: Child, facts: Mapping[str, Any]) -> Child:
    known = replace(child, id=facts["program"], cost=facts["cost"], agreement=facts["agreement"])
    if facts["failure"] is not None:
        return replace(known, stage="failed", failure=facts["failure"])
    return replace(known, stage="ready")


_STEPS = {
    "call-sent": _send,
    "call-answered": _answer,
    "evaluating": _start,
    "evaluated": _measure,
    "consulting": _consult,
    "diagnosed": _comment,
    "candidate": _finish,
}
