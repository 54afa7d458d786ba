"""When things happened in a run: by calls, seconds of work and dollars; how long it will take.

Seconds are those in which an engine was at work: the time between one engine of a run and the
next does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Literal

from engine.domain.events import (
    CallAnswered,
    CallSent,
    CandidateRecorded,
    Event,
    GenerationClosed,
    GenerationOpened,
    RunStarted,
)

Clock = Literal["generation", "call", "second", "dollar"]
"""What a search is timed by."""

CLOCKS: tuple[Clock, ...] = ("generation", "call", "second", "dollar")


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a generation: its best program, calls and seconds of work up to there.

    `event` is the id of the event that reported it, `time` when, in Unix seconds; `usd` are the
    dollars paid by then.
    """

    best: str | None
    calls: int
    second: float
    event: int
    time: float
    usd: float = 0.0


class Calls:
    """The calls of a run: which of them made a program, and what had been paid by then."""

    def __init__(self) -> None:
        self._usd: list[float] = []
        self._sums: list[float] = []
        self._last: dict[tuple[int, int], int] = {}
        self._ends: dict[int, int] = {}

    def send(self, generation: int, slot: int, usd: float = 0.0) -> int:
        """Note a call for a place and what it cost; returns its number, from 1 in their order."""
        self._usd.append(usd)
        self._sums.clear()
        number = len(self._usd)
        self._last[generation, slot] = self._ends[generation] = number
        return number

    def pay(self, number: int, usd: float) -> None:
        """Note what the call of that number cost."""
        self._usd[number - 1] += usd
        self._sums.clear()

    def until(self, generation: int, slot: int) -> int:
        """The number of the call that made the program at a place; 0 for a seed.

        A program that took no call, as those of `tune`, is there after all calls of its
        generation.
        """
        own = self._last.get((generation, slot))
        if own is not None or generation == 0:
            return own or 0
        return max((end for number, end in self._ends.items() if number <= generation), default=0)

    def dollars(self, number: int = -1) -> float:
        """What the calls up to that number cost, by default all; an unknown price is nothing."""
        if not self._sums:
            self._sums = [0.0, *accumulate(self._usd)]
        return self._sums[number]


class Timeline:
    """What the events of a run say of time; `note` takes them in their order."""

    def __init__(self) -> None:
        self.closings: dict[int, Closing] = {}
        self._calls = Calls()
        self._sent: dict[tuple[str, int | None, int | None], int] = {}
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
            case CallSent(purpose=purpose):
                number = self._calls.send(event.generation or 0, event.slot or 0)
                self._sent[purpose, event.generation, event.slot] = number
            case CallAnswered(purpose=purpose, usd=usd) if usd:
                number = self._sent.get((purpose, event.generation, event.slot), 0)
                if number:
                    self._calls.pay(number, usd)
            case CandidateRecorded() as fact:
                self._told.setdefault(fact.program, self._worked)
            case GenerationOpened() if event.generation:
                self._opened[event.generation] = event.time
            case GenerationClosed() as fact if event.generation is not None:
                self._close(event.generation, fact, event)

    def call(self, generation: int, slot: int) -> float:
        """The number of the call that made the program at a place, as `Calls.until` has it."""
        return float(self._calls.until(generation, slot))

    def dollar(self, generation: int, slot: int) -> float:
        """What had been paid when the program at a place was there."""
        return self._calls.dollars(self._calls.until(generation, slot))

    def second(self, program: str) -> float:
        """Seconds of work until a program was reported; those until now for one that was not."""
        return self._told.get(program, self._worked)

    def estimate(self, generations: float) -> float | None:
        """Seconds that so many generations will take; None before one has closed.

        Generation 0, the seeds, does not count.
        """
        return median(self._took.values()) * generations if self._took else None

    def _close(self, generation: int, fact: GenerationClosed, event: Event) -> None:
        place = (fact.calls, self._worked, event.id, event.time)
        self.closings[generation] = Closing(fact.best, *place, self._calls.dollars())
        if generation in self._opened:
            self._took[generation] = event.time - self._opened[generation]
