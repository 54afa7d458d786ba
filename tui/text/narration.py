"""Events as progress lines: one for each candidate, each generation, and each surprise."""

from __future__ import annotations

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
from engine.domain.names import LONG_TERM, SHORT_TERM
from tui.text.formatting import number, share

if TYPE_CHECKING:
    from engine.domain.events import Event

QUIET = (
    RunEnded,
    GenerationOpened,
    CallSent,
    CallAnswered,
    EvaluationStarted,
    EvaluationEnded,
    DiagnosisStarted,
    DiagnosisEnded,
)
"""Steps on the way to a candidate, for screens; the run's end is told by its result."""


class Narrator:
    """Tells a run event by event; a candidate as soon as all is known of it, and only once.

    The loop settles a generation's candidates together, which may be long after the first of
    them was evaluated and, with a `teacher`, commented on.
    """

    def __init__(self, teacher: bool) -> None:
        self._last_step = DiagnosisEnded if teacher else EvaluationEnded
        self._told: set[str] = set()

    def tell(self, event: Event) -> str | None:
        """The line for an event, None for one that goes without saying or was told before."""
        fact = event.fact
        if isinstance(fact, self._last_step) and getattr(fact, "failure", None) is None:
            agreement = fact.agreement if isinstance(fact, DiagnosisEnded) else None
            return self._once(_name_cost(event, fact.program, fact.operator, fact.cost, agreement))
        line = narrate(event)
        return self._once(line) if isinstance(fact, CandidateRecorded) else line

    def _once(self, line: str | None) -> str | None:
        if line is None or line in self._told:
            return None
        self._told.add(line)
        return line


def narrate(event: Event) -> str | None:
    """The line for an event, None for one that goes without saying.

    What is not known here (a newer engine's events, notes of the loop) is shown by its text.
    """
    fact = event.fact
    if isinstance(fact, QUIET):
        return None
    if isinstance(fact, RunStarted):
        return f"writer {fact.writer}, sandbox {fact.sandbox}"
    if isinstance(fact, BriefsRecorded):
        return f"generation {event.generation}: {_name_briefs(fact)}"
    if isinstance(fact, CandidateRecorded):
        return _format_candidate(event, fact)
    if isinstance(fact, GenerationClosed):
        return _format_generation(event, fact)
    where = "" if event.generation is None else f" in generation {event.generation}"
    return f"{event.kind}{where}: {fact.text}"


def _format_candidate(event: Event, fact: CandidateRecorded) -> str:
    if fact.failure is not None:
        head = f"{fact.program} {fact.operator} gen {event.generation}"
        return f"{head} failed: {fact.failure}, {fact.message}"
    return _name_cost(event, fact.program, fact.operator, fact.cost, fact.agreement)


def _name_cost(
    event: Event, program: str, operator: str, cost: float | None, agreement: float | None
) -> str:
    head = f"{program} {operator} gen {event.generation}"
    return f"{head} cost {number(cost)}{_agreement(agreement)}"


def _format_generation(event: Event, fact: GenerationClosed) -> str:
    head = f"generation {event.generation} closed"
    tail = f"{fact.survivors} programs, {fact.calls} calls"
    if fact.best is None:
        return f"{head}: no program yet, {tail}"
    best = f"best {fact.best} cost {number(fact.cost)}{_agreement(fact.agreement)}"
    return f"{head}: {best}, {tail}"


def _name_briefs(fact: BriefsRecorded) -> str:
    """What the briefs are, by the reflection that they come from."""
    if fact.source == SHORT_TERM:
        return f"hints from comparing {_count(fact.answers, 'pair')} of parents"
    if fact.source == LONG_TERM:
        return "what the hints have taught so far, remembered for the next children"
    briefs = _count(fact.count, "brief")
    return f"{briefs} from the {fact.source}" if fact.source else briefs


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _agreement(agreement: float | None) -> str:
    """Nothing where there is none: methods without a teacher never mention it."""
    return "" if agreement is None else f" agreement {share(agreement)}"
