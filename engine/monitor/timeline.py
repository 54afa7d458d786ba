"""When things happened in a run, by calls and by seconds of work, and how long it will still take.

Seconds are those in which an engine was at work: the time between one engine of a run and the
next does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

from engine.domain.events import (
    CallSent,
    CandidateRecorded,
    GenerationClosed,
    GenerationOpened,
    RunStarted,
)

if TYPE_CHECKING:
    from engine.domain.events import Event

Clock = Literal["generation", "call", "second"]
"""What a search is timed by."""

CLOCKS: tuple[Clock, ...] = ("generation", "call", "second")


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a generation: its best program, calls and seconds of work up to there.

    `event` is the id of the event that told of it, `time` when, in Unix seconds.
    """

    best: str | None
    calls: int
    second: float
    event: int
    time: float


class Timeline:
    """What the events of a run say of time; `note` takes them in their order."""

    def __init__(self) -> None:
        self.closings: dict[int, Closing] = {}
        self._calls = 0
        self._called: dict[tuple[int | None, int | None], int] = {}
        self._told: dict[str, float] = {}
        self._worked = 0.0
        self._last: float | None = None
        self._opened: dict[int, float] = {}
        self._took: dict[int, float] = {}

    def note(self, event: Event) -> None:
        """Note an event."""
        if self._last is not None and not isinstance(event.fact, RunStarted):
            self._worked += event.time - self._last
        self._last = event.time
        match event.fact:
            case CallSent():
                self._calls += 1
                self._called[event.generation, event.slot] = self._calls
            case CandidateRecorded() as fact:
                self._told.setdefault(fact.program, self._worked)
            case GenerationOpened() if event.generation:
                self._opened[event.generation] = event.time
            case GenerationClosed() as fact if event.generation is not None:
                self._close(event.generation, fact, event)

    def call(self, generation: int, slot: int) -> float:
        """The number of the last call at a place, in the order they were sent; 0 without any."""
        return float(self._called.get((generation, slot), 0))

    def second(self, program: str) -> float:
        """Seconds of work until a program was told of; those until now for one that was not."""
        return self._told.get(program, self._worked)

    def estimate(self, generations: float) -> float | None:
        """Seconds that so many generations will take; None before one has closed.

        Generation 0, the seeds, does not count.
        """
        return median(self._took.values()) * generations if self._took else None

    def _close(self, generation: int, fact: GenerationClosed, event: Event) -> None:
        place = (fact.calls, self._worked, event.id, event.time)
        self.closings[generation] = Closing(fact.best, *place)
        if generation in self._opened:
            self._took[generation] = event.time - self._opened[generation]
