"""What happens in a run, as a stream: live while its engine works, or replayed later."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from engine.domain.events import Fact, RunStarted
from engine.store.reader import liveness, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.domain.events import Event
    from engine.domain.records import RunRow
    from engine.store.reader import Reader

TICK = 0.2
"""Seconds between two looks at the store."""

PAGE = 1000
"""Events read at a time."""

Word = tuple[Fact, int | None, int | None]


class EventHistory:
    """What a run's engines have told: a resumed one builds the recorded generations anew."""

    def __init__(self) -> None:
        self._told: Counter[Word] = Counter()
        self._said: Counter[Word] = Counter()

    def is_news(self, event: Event) -> bool:
        """Whether no earlier engine said so as often; events come here in their order.

        A repair is asked for in the words of the first call, so one engine may repeat itself.
        """
        if isinstance(event.fact, RunStarted):
            self._said.clear()
        word = (event.fact, event.generation, event.slot)
        self._said[word] += 1
        if event.generation is not None and self._said[word] <= self._told[word]:
            return False
        self._told[word] = self._said[word]
        return True


class EventStream:
    """A run's events in order; what a resumed engine tells again is passed over."""

    def __init__(self, reader: Reader, run: int) -> None:
        self.reader, self.run = reader, run
        self._after = 0
        self._memory = EventHistory()

    def follow(self) -> Iterator[Event]:
        """Events as they happen, until the run is over and its engine has said its last word."""
        while True:
            over = is_over(self.reader.run(self.run))
            yield from self.news()
            if over:
                return
            time.sleep(TICK)

    def skip(self) -> None:
        """Pass over what has happened so far; told again by a resumed engine, it stays untold."""
        for _ in self.news():
            pass

    def news(self) -> Iterator[Event]:
        """Events since the last time."""
        while page := self.reader.events(self.run, self._after, PAGE):
            self._after = page[-1].id
            yield from filter(self._memory.is_news, page)


def is_over(row: RunRow) -> bool:
    """Whether nothing more will come: the run has ended and no engine is left to speak."""
    return status(row) not in ("starting", "running") and liveness(row) == "gone"
