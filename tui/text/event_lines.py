"""Events as the lines of the events pane: time, what kind, who and what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.text.formatting import number, share
from tui.text.narration import narrate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.domain.events import Event
    from tui.text.narration import Reflections

    Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One event as shown; `alarm` marks what a person should look at."""

    time: str
    kind: str
    text: str
    alarm: bool = False


def tell(event: Event, reflections: Reflections) -> Line:
    """The line of an event; those without words of their own are narrated as on stderr.

    `reflections` hear every event of the run.
    """
    reflections.hear(event)
    facts = dict(event.data)
    time = datetime.fromtimestamp(event.time).astimezone().strftime("%H:%M:%S")
    if event.kind in _WORDS:
        kind, say = _WORDS[event.kind]
        return Line(time, kind, say(event, facts), bool(facts.get("failure")))
    told = narrate(event, reflections) or event.kind
    known = event.kind in _KINDS
    return Line(
        time, _KINDS.get(event.kind, "note"), told, not known or bool(facts.get("failure"))
    )


def _ask(event: Event, facts: Facts) -> str:
    return f"{_where(event)} {facts['purpose']} from {facts['writer']}"


def _answer(event: Event, facts: Facts) -> str:
    return f"{_where(event)} {facts['purpose']}, {facts['tokens']} tokens"


def _begin(event: Event, facts: Facts) -> str:
    return f"{facts['program']} begun"


def _consult(event: Event, facts: Facts) -> str:
    return f"{facts['program']} asked about"


def _cost(event: Event, facts: Facts) -> str:
    said = facts["failure"] or f"cost {number(facts['cost'])}"
    return f"{facts['program']} {said} in {facts['cpu']:.2f} CPU s"


def _comment(event: Event, facts: Facts) -> str:
    return f"{facts['program']} agreement {share(facts['agreement'])}"


def _where(event: Event) -> str:
    return f"gen {event.generation} slot {event.slot}"


def _open(event: Event, facts: Facts) -> str:
    return f"generation {event.generation} opened"


def _end(event: Event, facts: Facts) -> str:
    return " ".join(filter(None, ("run", facts["status"], facts["reason"])))


_WORDS: dict[str, tuple[str, Callable[[Event, Facts], str]]] = {
    "call-sent": ("ask", _ask),
    "call-answered": ("answer", _answer),
    "evaluating": ("evaluate", _begin),
    "evaluated": ("evaluate", _cost),
    "consulting": ("teacher", _consult),
    "diagnosed": ("teacher", _comment),
    "generation-opened": ("open", _open),
    "run-ended": ("end", _end),
}
_KINDS = {
    "run-started": "start",
    "candidate": "program",
    "briefs": "briefs",
    "generation-closed": "close",
}
