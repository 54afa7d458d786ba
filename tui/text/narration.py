"""Events as progress lines: one for each candidate, each generation, and each surprise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from engine.search.reflection import LONG_TERM, SHORT_TERM
from tui.text.formatting import number, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.domain.events import Event

    Facts = Mapping[str, Any]

QUIET = frozenset(
    (
        "run-ended",
        "generation-opened",
        "call-sent",
        "call-answered",
        "evaluating",
        "evaluated",
        "consulting",
        "diagnosed",
    )
)
"""Steps on the way to a candidate, for screens; the run's end is told by its result."""


class Reflections:
    """What was thought over for the next briefs: answers by their purpose, heard as they come."""

    def __init__(self) -> None:
        self._answers: Counter[str] = Counter()

    def hear(self, event: Event) -> None:
        """Note an answer; a new generation begins from nothing."""
        purpose = dict(event.data).get("purpose")
        if event.kind == "generation-opened":
            self._answers.clear()
        elif event.kind == "call-answered" and purpose != "program":
            self._answers[str(purpose)] += 1

    def tell(self, facts: Facts) -> str:
        """What the briefs are that an event tells of."""
        last = next(reversed(self._answers), "")
        if last == SHORT_TERM:
            return f"hints from comparing {_count(self._answers[last], 'pair')} of parents"
        if last == LONG_TERM:
            return "what the hints have taught so far, remembered for the next children"
        briefs = _count(facts["count"], "brief")
        return f"{briefs} from the {last}" if last else briefs


class Narrator:
    """Tells a run event by event; a candidate as soon as all is known of it, and only once.

    The loop settles a generation's candidates together, which may be long after the first of
    them was evaluated and, with a `teacher`, commented on.
    """

    def __init__(self, teacher: bool) -> None:
        self._last_step = "diagnosed" if teacher else "evaluated"
        self._told: set[str] = set()
        self._reflections = Reflections()

    def tell(self, event: Event) -> str | None:
        """The line for an event, None for one that goes without saying or was told before."""
        self._reflections.hear(event)
        facts = dict(event.data)
        known = event.kind == self._last_step and facts.get("failure") is None
        line = _tell_candidate(event, facts) if known else narrate(event, self._reflections)
        if known or event.kind == "candidate":
            return self._once(line)
        return line

    def _once(self, line: str | None) -> str | None:
        if line is None or line in self._told:
            return None
        self._told.add(line)
        return line


def narrate(event: Event, reflections: Reflections) -> str | None:
    """The line for an event, None for one that goes without saying.

    What is not known here (a newer engine's events, notes of the loop) is shown by its text.
    """
    if event.kind in QUIET:
        return None
    facts = dict(event.data)
    if event.kind == "briefs":
        return f"generation {event.generation}: {reflections.tell(facts)}"
    return _TELL.get(event.kind, _tell_note)(event, facts)


def _tell_start(event: Event, facts: Facts) -> str:
    return f"writer {facts['writer']}, sandbox {facts['sandbox']}"


def _tell_candidate(event: Event, facts: Facts) -> str:
    head = f"{facts['program']} {facts['operator']} gen {event.generation}"
    if facts.get("failure") is not None:
        return f"{head} failed: {facts['failure']}, {facts['message']}"
    return f"{head} cost {number(facts['cost'])}{_agreement(facts)}"


def _tell_generation(event: Event, facts: Facts) -> str:
    head = f"generation {event.generation} closed"
    tail = f"{facts['survivors']} programs, {facts['calls']} calls"
    if facts["best"] is None:
        return f"{head}: no program yet, {tail}"
    best = f"best {facts['best']} cost {number(facts['cost'])}{_agreement(facts)}"
    return f"{head}: {best}, {tail}"


def _tell_note(event: Event, facts: Facts) -> str:
    where = "" if event.generation is None else f" in generation {event.generation}"
    said = facts.get("text", ", ".join(f"{name} {value}" for name, value in facts.items()))
    return f"{event.kind}{where}: {said}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _agreement(facts: Facts) -> str:
    """Nothing where there is none: methods without a teacher never mention it."""
    agreement = facts.get("agreement")
    return "" if agreement is None else f" agreement {share(agreement)}"


_TELL: dict[str, Callable[[Event, Facts], str]] = {
    "run-started": _tell_start,
    "candidate": _tell_candidate,
    "generation-closed": _tell_generation,
}
