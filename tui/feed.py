"""What happens in a run, as a stream: live while its engine works, or replayed later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from engine.reader import liveness, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.reader import Reader
    from engine.rows import Event, RunRow, Scalar

TICK = 0.2
"""Seconds between two looks at the store."""

PAGE = 1000
"""Events read at a time."""

Word = tuple[str, int | None, int | None, tuple[tuple[str, "Scalar"], ...]]


class Feed:
    """A run's events in order.

    What a resumed engine tells again, building the recorded generations anew, is passed over.
    """

    def __init__(self, reader: Reader, run: int) -> None:
        self.reader, self.run = reader, run
        self._after = 0
        self._told: set[Word] = set()

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
            for event in page:
                word = (event.kind, event.generation, event.slot, event.data)
                if event.generation is None or word not in self._told:
                    self._told.add(word)
                    yield event


def is_over(row: RunRow) -> bool:
    """Whether nothing more will come: the run has ended and no engine is left to speak."""
    return status(row) not in ("starting", "running") and liveness(row) == "gone"
