"""Events as the lines of the events pane: time, kind, and what happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from engine.domain import events
from engine.domain.names import LEFT_OUT, TEACHER_WORD
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
    """The line of an event; those without a text of their own are narrated as on stderr."""
    time = datetime.fromtimestamp(event.time).astimezone().strftime("%H:%M:%S")
    fact = event.fact
    failed = isinstance(fact, _FAILING) and fact.failure and fact.failure != "no gain"
    kind, text = _format_step(event)
    if kind:
        return EventLine(time, kind, text, bool(failed))
    known = _KINDS.get(type(fact))
    return EventLine(
        time, known or "note", narrate(event) or event.kind, bool(failed or not known)
    )


def _format_step(event: Event) -> tuple[str, str]:
    """Kind and text of a step on the way to a candidate; empty for any other event."""
    where = f"gen {event.generation} slot {event.slot}"
    match event.fact:
        case events.CallSent(purpose, writer):
            return "ask", f"{where} {purpose} from {writer}"
        case events.CallAnswered(purpose, tokens):
            return "answer", f"{where} {purpose}, {tokens} tokens"
        case events.EvaluationStarted(program):
            return "evaluate", f"{program} started"
        case events.EvaluationEnded() as fact:
            result = fact.failure or f"cost {number(fact.cost)}"
            return "evaluate", f"{fact.program} {result} in {fact.cpu:.2f} CPU s"
        case events.TrialsRun() as fact:
            done = f"{fact.rollouts} of {fact.budget} rollouts"
            best = f"best {number(fact.best)}"
            return "tune", f"{fact.program} {fact.trials} trials, {done}, {best}"
        case events.DiagnosisStarted(program):
            return "teacher", f"{program} started"
        case events.DiagnosisEnded() as fact:
            return "teacher", f"{fact.program} agreement {share(fact.agreement)}{_advice(fact)}"
        case events.Note(topic, text) if topic in (TEACHER_WORD, LEFT_OUT):
            return "teacher", text
        case events.GenerationOpened():
            return "open", f"generation {event.generation} opened"
        case events.RunEnded(status, reason):
            return "end", " ".join(filter(None, ("run", status, reason)))
        case _:
            return "", ""


def _advice(fact: events.DiagnosisEnded) -> str:
    """What came of the advice that was checked; empty where none was."""
    if not fact.checked:
        return ""
    return f", of {fact.checked} choices {fact.helped} help, {fact.harmed} harm"


_FAILING = events.EvaluationEnded | events.CandidateRecorded | events.FinalistMeasured

_KINDS = {
    events.RunStarted: "start",
    events.TeacherMeasured: "teacher",
    events.CandidateRecorded: "program",
    events.BriefsRecorded: "briefs",
    events.ConstantsTuned: "tune",
    events.GenerationClosed: "close",
    events.FinalistMeasured: "evaluate",
    events.WinnerChosen: "winner",
}
