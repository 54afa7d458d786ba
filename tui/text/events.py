"""What is said of an event: one table from its kind to a sentence.

Progress lines, the events pane and the box of one event read the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.domain import events
from engine.domain.events import Event
from engine.domain.names import LEFT_OUT, LONG_TERM, SHORT_TERM, TEACHER_WORD
from engine.domain.text.plain_text import one_line
from tui.text.formatting import number, share

TUNE = "tune"
"""The operator whose child is turned down unless it is better than its parent."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A label of one word, and what writes the sentence of an event of the kind from its fact.

    A `step` on the way to a candidate is for screens alone; the end of a run is in its result.
    """

    label: str
    write: Callable[[Event, Any], str]
    step: bool = False


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event as the events pane shows it; `alarm` marks what a person should look at."""

    time: str
    kind: str
    text: str
    alarm: bool = False


class Narrator:
    """Narrates a run event by event; a candidate as soon as all is known of it, and only once.

    The search records a generation's candidates together, which may be long after the first of
    them was evaluated and, with a `teacher`, diagnosed.
    """

    def __init__(self, teacher: bool) -> None:
        self._last_step = events.DiagnosisEnded if teacher else events.EvaluationEnded
        self._narrated: set[str] = set()

    def narrate(self, event: Event) -> str | None:
        """The line for an event, None for a step and for a line given before."""
        fact = event.fact
        known = SENTENCES.get(type(fact), OTHER)
        text = None if known.step else one_line(known.write(event, fact))
        if (
            isinstance(fact, self._last_step)
            and getattr(fact, "failure", None) is None
            and fact.operator != TUNE  # it may yet be turned down
        ):
            text = one_line(_write_cost(event, fact))
        elif not isinstance(fact, events.CandidateRecorded):
            return text
        if text is None or text in self._narrated:
            return None
        self._narrated.add(text)
        return text


def event_line(event: Event) -> EventLine:
    """The line of an event; one of a kind that is not known here stands out."""
    time = datetime.fromtimestamp(event.time).astimezone().strftime("%H:%M:%S")
    fact = event.fact
    if isinstance(fact, events.Note) and fact.topic in (TEACHER_WORD, LEFT_OUT):
        return EventLine(time, "teacher", fact.text)
    known = SENTENCES.get(type(fact), OTHER)
    text = known.write(event, fact)
    failed = getattr(fact, "failure", None) not in (None, "", "no gain")
    alarm = failed or known is OTHER
    return EventLine(time, known.label, text if known.step else one_line(text), alarm)


def _write_cost(event: Event, fact: Any) -> str:
    """What a candidate costs; agreement is never mentioned without a teacher."""
    head = f"{fact.program} {fact.operator} gen {event.generation}"
    agreement = _write_agreement(getattr(fact, "agreement", None))
    return f"{head} cost {number(fact.cost)}{agreement}"


def _write_candidate(event: Event, fact: events.CandidateRecorded) -> str:
    if fact.failure is None:
        return _write_cost(event, fact)
    what = "no gain:" if fact.failure == "no gain" else f"failed: {fact.failure},"
    return f"{fact.program} {fact.operator} gen {event.generation} {what} {fact.message}"


def _write_tuned(_: Event, fact: events.ConstantsTuned) -> str:
    """`tuned p0012 on half the set: 3 constants, 40 trials, 1850.4 -> 1844.2 (...)`."""
    tried = f"{_count(fact.constants, 'constant')}, {_count(fact.trials, 'trial')}"
    head = f"tuned {fact.program} on half the set: {tried}"
    if fact.after >= fact.before:
        return f"{head}, none better than {number(fact.before)}"
    moved = f"{head}, {number(fact.before)} -> {number(fact.after)}"
    if fact.errors is None:
        return moved
    sure = f"{fact.errors:.1f} standard errors"
    return f"{moved} ({sure})" if fact.accepted else f"{moved} ({sure} elsewhere: not taken)"


def _write_generation(event: Event, fact: events.GenerationClosed) -> str:
    best = "no program yet"
    if fact.best is not None:
        agreement = _write_agreement(fact.agreement)
        best = f"best {fact.best} cost {number(fact.cost)}{agreement}"
    tail = f"{fact.survivors} programs, {fact.calls} calls"
    return f"generation {event.generation} closed: {best}, {tail}"


def _write_finalist(_: Event, fact: events.FinalistMeasured) -> str:
    reached = f"failed: {fact.failure}" if fact.failure else f"cost {number(fact.cost)}"
    return f"{fact.program} on {fact.instances}: {reached}"


def _write_winner(_: Event, fact: events.WinnerChosen) -> str:
    among = "alone near the best" if fact.finalists == 1 else f"of {fact.finalists} near the best"
    cost = f"cost {number(fact.cost)}, on {fact.instances} {number(fact.selection_cost)}"
    return f"winner {fact.program}, {among}: {cost}"


def _write_briefs(event: Event, fact: events.BriefsRecorded) -> str:
    """What the briefs are, by the reflection that they come from."""
    source = f" from the {fact.source}" if fact.source else ""
    what = f"{_count(fact.count, 'brief')}{source}"
    if fact.source == SHORT_TERM:
        what = f"hints from comparing {_count(fact.answers, 'pair')} of parents"
    elif fact.source == LONG_TERM:
        what = "long-term hints updated for the next children"
    return f"generation {event.generation}: {what}"


def _write_diagnosis(_: Event, fact: events.DiagnosisEnded) -> str:
    """The agreement, and what came of the advice where any was checked."""
    told = f"{fact.program} agreement {share(fact.agreement)}"
    if not fact.checked:
        return told
    return f"{told}, of {fact.checked} choices {fact.helped} help, {fact.harmed} harm"


def _write_trials(_: Event, fact: events.TrialsRun) -> str:
    done = f"{fact.rollouts} of {fact.budget} rollouts"
    return f"{fact.program} {fact.trials} trials, {done}, best {number(fact.best)} of half the set"


def _write_other(event: Event, fact: Any) -> str:
    where = "" if event.generation is None else f" in generation {event.generation}"
    return f"{event.kind}{where}: {fact.text}"


def _place(event: Event) -> str:
    return f"gen {event.generation} slot {event.slot}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _write_agreement(agreement: float | None) -> str:
    return "" if agreement is None else f" agreement {share(agreement)}"


SENTENCES: dict[type, Sentence] = {
    events.RunStarted: Sentence("start", lambda _, f: f"writer {f.writer}, sandbox {f.sandbox}"),
    events.TeacherMeasured: Sentence(
        "teacher",
        lambda _, f: f"teacher {f.teacher} itself: cost {number(f.cost)} on the design set",
    ),
    events.BriefsRecorded: Sentence("briefs", _write_briefs),
    events.CandidateRecorded: Sentence("program", _write_candidate),
    events.ConstantsTuned: Sentence("tune", _write_tuned),
    events.GenerationClosed: Sentence("close", _write_generation),
    events.FinalistMeasured: Sentence("evaluate", _write_finalist),
    events.WinnerChosen: Sentence("winner", _write_winner),
    events.RunEnded: Sentence(
        "end", lambda _, f: f"run {f.status}" + (f": {f.reason}" if f.reason else ""), step=True
    ),
    events.GenerationOpened: Sentence(
        "open", lambda event, _: f"generation {event.generation} opened", step=True
    ),
    events.CallSent: Sentence(
        "ask", lambda event, f: f"{_place(event)} {f.purpose} from {f.writer}", step=True
    ),
    events.CallAnswered: Sentence(
        "answer", lambda event, f: f"{_place(event)} {f.purpose}, {f.tokens} tokens", step=True
    ),
    events.EvaluationStarted: Sentence("evaluate", lambda _, f: f"{f.program} started", step=True),
    events.EvaluationEnded: Sentence(
        "evaluate",
        lambda _, f: f"{f.program} {f.failure or f'cost {number(f.cost)}'} in {f.cpu:.2f} CPU s",
        step=True,
    ),
    events.TrialsRun: Sentence("tune", _write_trials, step=True),
    events.DiagnosisStarted: Sentence("teacher", lambda _, f: f"{f.program} started", step=True),
    events.DiagnosisEnded: Sentence("teacher", _write_diagnosis, step=True),
}
"""The sentence of every kind of event."""

OTHER = Sentence("note", _write_other)
"""That of a newer engine's events and of notes: their own text."""
