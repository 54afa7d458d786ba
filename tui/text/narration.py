"""Events as progress lines: one for each candidate, each generation, and each surprise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain import events
from engine.domain.names import LONG_TERM, SHORT_TERM
from engine.domain.text.plain_text import one_line
from tui.text.formatting import number, share

if TYPE_CHECKING:
    from engine.domain.events import Event

TUNE = "tune"
"""The operator whose child is turned down unless it is better than its parent."""

QUIET = (
    events.RunEnded,
    events.GenerationOpened,
    events.CallSent,
    events.CallAnswered,
    events.EvaluationStarted,
    events.EvaluationEnded,
    events.TrialsRun,
    events.DiagnosisStarted,
    events.DiagnosisEnded,
)
"""Steps on the way to a candidate, for screens; the end of a run is in its result."""


class Narrator:
    """Narrates a run event by event; a candidate as soon as all is known of it, and only once.

    The search records a generation's candidates together, which may be long after the first of
    them was evaluated and, with a `teacher`, diagnosed.
    """

    def __init__(self, teacher: bool) -> None:
        self._last_step = events.DiagnosisEnded if teacher else events.EvaluationEnded
        self._narrated: set[str] = set()

    def narrate(self, event: Event) -> str | None:
        """The line for an event, None for one without a line and for a line given before."""
        fact = event.fact
        if (
            isinstance(fact, self._last_step)
            and getattr(fact, "failure", None) is None
            and fact.operator != TUNE  # it may yet be turned down
        ):
            agreement = fact.agreement if isinstance(fact, events.DiagnosisEnded) else None
            return self._once(
                _format_cost(event, fact.program, fact.operator, fact.cost, agreement)
            )
        line = narrate(event)
        return self._once(line) if isinstance(fact, events.CandidateRecorded) else line

    def _once(self, line: str | None) -> str | None:
        if line is None or line in self._narrated:
            return None
        self._narrated.add(line)
        return line


def narrate(event: Event) -> str | None:
    """The line for an event, None for one without a line.

    What is not known here (a newer engine's events, notes of the loop) is shown by its text.
    """
    line = _narrate(event)
    return None if line is None else one_line(line)


def _narrate(event: Event) -> str | None:
    fact = event.fact
    if isinstance(fact, QUIET):
        return None
    if isinstance(fact, events.RunStarted):
        return f"writer {fact.writer}, sandbox {fact.sandbox}"
    if isinstance(fact, events.TeacherMeasured):
        return f"teacher {fact.teacher} itself: cost {number(fact.cost)} on the design set"
    if isinstance(fact, events.BriefsRecorded):
        return f"generation {event.generation}: {_format_briefs(fact)}"
    if isinstance(fact, events.CandidateRecorded):
        return _format_candidate(event, fact)
    if isinstance(fact, events.ConstantsTuned):
        return format_tuned(fact)
    if isinstance(fact, events.GenerationClosed):
        return _format_generation(event, fact)
    if isinstance(fact, events.FinalistMeasured):
        reached = f"failed: {fact.failure}" if fact.failure else f"cost {number(fact.cost)}"
        return f"{fact.program} on {fact.instances}: {reached}"
    if isinstance(fact, events.WinnerChosen):
        return _format_winner(fact)
    where = "" if event.generation is None else f" in generation {event.generation}"
    return f"{event.kind}{where}: {fact.text}"


def format_tuned(fact: events.ConstantsTuned) -> str:
    """`tuned p0012: 3 constants, 40 trials, 1850.4 -> 1844.2 (2.9 standard errors)`."""
    tried = f"{_count(fact.constants, 'constant')}, {_count(fact.trials, 'trial')}"
    head = f"tuned {fact.program}: {tried}"
    if fact.after >= fact.before:
        return f"{head}, none better than {number(fact.before)}"
    moved = f"{head}, {number(fact.before)} -> {number(fact.after)}"
    if fact.errors is None:
        return moved
    sure = f"{fact.errors:.1f} standard errors"
    return f"{moved} ({sure})" if fact.accepted else f"{moved} ({sure} elsewhere: not taken)"


def _format_candidate(event: Event, fact: events.CandidateRecorded) -> str:
    if fact.failure is not None:
        head = f"{fact.program} {fact.operator} gen {event.generation}"
        if fact.failure == "no gain":
            return f"{head} no gain: {fact.message}"
        return f"{head} failed: {fact.failure}, {fact.message}"
    return _format_cost(event, fact.program, fact.operator, fact.cost, fact.agreement)


def _format_cost(
    event: Event, program: str, operator: str, cost: float | None, agreement: float | None
) -> str:
    head = f"{program} {operator} gen {event.generation}"
    return f"{head} cost {number(cost)}{_format_agreement(agreement)}"


def _format_generation(event: Event, fact: events.GenerationClosed) -> str:
    head = f"generation {event.generation} closed"
    tail = f"{fact.survivors} programs, {fact.calls} calls"
    if fact.best is None:
        return f"{head}: no program yet, {tail}"
    best = f"best {fact.best} cost {number(fact.cost)}{_format_agreement(fact.agreement)}"
    return f"{head}: {best}, {tail}"


def _format_winner(fact: events.WinnerChosen) -> str:
    among = "alone near the best" if fact.finalists == 1 else f"of {fact.finalists} near the best"
    return (
        f"winner {fact.program}, {among}: cost {number(fact.cost)}, on {fact.instances} "
        f"{number(fact.selection_cost)}"
    )


def _format_briefs(fact: events.BriefsRecorded) -> str:
    """What the briefs are, by the reflection that they come from."""
    if fact.source == SHORT_TERM:
        return f"hints from comparing {_count(fact.answers, 'pair')} of parents"
    if fact.source == LONG_TERM:
        return "long-term hints updated for the next children"
    briefs = _count(fact.count, "brief")
    return f"{briefs} from the {fact.source}" if fact.source else briefs


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _format_agreement(agreement: float | None) -> str:
    """Empty without one: methods without a teacher never mention it."""
    return "" if agreement is None else f" agreement {share(agreement)}"
