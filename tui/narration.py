"""Events as progress lines: one for each candidate, each generation, and each surprise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.words import number, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.rows import Event

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


class Narrator:
    """Tells a run event by event; a candidate as soon as all is known of it, and only once.

    The loop settles a generation's candidates together, which may be long after the first of
    them was evaluated and, with a `teacher`, commented on.
    """

    def __init__(self, teacher: bool) -> None:
        self._last_step = "diagnosed" if teacher else "evaluated"
        self._told: set[str] = set()

    def tell(self, event: Event) -> str | None:
        """The line for an event, None for one that goes without saying or was told before."""
        facts = dict(event.data)
        known = event.kind == self._last_step and facts.get("failure") is None
        line = _tell_candidate(event, facts) if known else narrate(event)
        if known or event.kind == "candidate":
            return self._once(line)
        return line

    def _once(self, line: str | None) -> str | None:
        if line is None or line in self._told:
            return None
        self._told.add(line)
        return line


def narrate(event: Event) -> str | None:
    """The line for an event, None for one that goes without saying.

    What is not known here (a newer engine's events, notes of the loop) is shown by its text.
    """
    if event.kind in QUIET:
        return None
    return _TELL.get(event.kind, _tell_note)(event, dict(event.data))


def _tell_start(event: Event, facts: Facts) -> str:
    return f"writer {facts['writer']}, sandbox {facts['sandbox']}"


def _tell_candidate(event: Event, facts: Facts) -> str:
    head = f"{facts['program']} {facts['operator']} gen {event.generation}"
    if facts.get("failure") is not None:
        return f"{head} failed: {facts['failure']}, {facts['message']}"
    return f"{head} cost {number(facts['cost'])}{_agreement(facts)}"


def _tell_briefs(event: Event, facts: Facts) -> str:
    return f"generation {event.generation}: {facts['count']} briefs from the analyzer"


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


def _agreement(facts: Facts) -> str:
    """Nothing where there is none: methods without a teacher never mention it."""
    agreement = facts.get("agreement")
    return "" if agreement is None else f" agreement {share(agreement)}"


_TELL: dict[str, Callable[[Event, Facts], str]] = {
    "run-started": _tell_start,
    "candidate": _tell_candidate,
    "briefs": _tell_briefs,
    "generation-closed": _tell_generation,
}
