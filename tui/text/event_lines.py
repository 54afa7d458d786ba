"""Events as the lines of the events pane: time, what kind, who and what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from engine.domain.events import (
    BriefsRecorded,
    CallAnswered,
    CallSent,
    CandidateRecorded,
    DiagnosisEnded,
    DiagnosisStarted,
    EvaluationEnded,
    EvaluationStarted,
    GenerationClosed,
    GenerationOpened,
    RunEnded,
    RunStarted,
)
from tui.text.formatting import number, share
from tui.text.narration import narrate

if TYPE_CHECKING:
    from engine.domain.events import Event


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event as shown; `alarm` marks what a person should look at."""

    time: str
    kind: str
    text: str
    alarm: bool = False


def event_line(event: Event) -> EventLine:
    """The line of an event; those without words of their own are narrated as on stderr."""
    time = datetime.fromtimestamp(event.time).astimezone().strftime("%H:%M:%S")
    fact = event.fact
    alarm = isinstance(fact, EvaluationEnded | CandidateRecorded) and fact.failure is not None
    kind, text = _name_step(event)
    if kind:
        return EventLine(time, kind, text, alarm)
    known = _KINDS.get(type(fact))
    return EventLine(time, known or "note", narrate(event) or event.kind, alarm or not known)


def _name_step(event: Event) -> tuple[str, str]:
    """Kind and words of a step on the way to a candidate; empty for any other event."""
    match event.fact:
        case CallSent(purpose, writer):
            return "ask", f"{_where(event)} {purpose} from {writer}"
        case CallAnswered(purpose, tokens):
            return "answer", f"{_where(event)} {purpose}, {tokens} tokens"
        case EvaluationStarted(program):
            return "evaluate", f"{program} begun"
        case EvaluationEnded() as fact:
            said = fact.failure or f"cost {number(fact.cost)}"
            return "evaluate", f"{fact.program} {said} in {fact.cpu:.2f} CPU s"
        case DiagnosisStarted(program):
            return "teacher", f"{program} asked about"
        case DiagnosisEnded() as fact:
            return "teacher", f"{fact.program} agreement {share(fact.agreement)}"
        case GenerationOpened():
            return "open", f"generation {event.generation} opened"
        case RunEnded(status, reason):
            return "end", " ".join(filter(None, ("run", status, reason)))
        case _:
            return "", ""


def _where(event: Event) -> str:
    return f"gen {event.generation} slot {event.slot}"


_KINDS = {
    RunStarted: "start",
    CandidateRecorded: "program",
    BriefsRecorded: "briefs",
    GenerationClosed: "close",
}
