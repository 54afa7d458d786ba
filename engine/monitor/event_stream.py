"""What happens in a run, as a stream: live while its engine works, or replayed later."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from engine.domain.events import Event, Fact, Note, RunStarted
from engine.domain.records import RunRow, StudyRow
from engine.domain.status import LIVE
from engine.store.reader import HUNG, Reader, liveness, status

TICK = 0.2
"""Seconds between two looks at the store."""

SILENT = f"the engine lives, and has not been heard of for {HUNG:.0f} s"
HEARD = "the engine is heard of again"
"""What a viewer is shown of an engine that hangs."""

PAGE = 1000
"""Events read at a time."""

Key = tuple[Fact, int | None]


class EventHistory:
    """Which events are known; a resumed engine records those of closed generations once more."""

    def __init__(self) -> None:
        self._known: defaultdict[int, list[Event]] = defaultdict(list)
        self._repeats: dict[int, Counter[Key]] = {}

    def is_news(self, event: Event) -> bool:
        """Whether no earlier engine recorded it as often; events come here in their order.

        A repair's event is equal to that of the first call, so one engine may repeat itself.
        """
        if isinstance(event.fact, RunStarted):
            self._repeats.clear()
        if event.generation is None:
            return True
        known = self._known[event.generation]
        if event.generation not in self._repeats:
            self._repeats[event.generation] = Counter(map(_key, known))
        repeats = self._repeats[event.generation]
        if repeats and repeats[_key(event)] > 0:  # most are empty: no key needs to be hashed
            repeats[_key(event)] -= 1
            return False
        known.append(event)
        return True


def _key(event: Event) -> Key:
    return (event.fact, event.slot)


class EventStream:
    """A run's events in order; what a resumed engine records again is left out.

    Old `STEPS` are left out too, where only the `latest` so many events, and those of the last
    generation, are wanted in full.
    """

    def __init__(self, reader: Reader, run: int, latest: int | None = None) -> None:
        self.reader = reader
        self.run = run
        self._since = 0 if latest is None else reader.latest_event(run, latest)
        self._after = 0
        self._history = EventHistory()

    def follow(self) -> Iterator[Event]:
        """Events as they happen, until the run is over and its engine is gone.

        An engine that falls silent, or is heard again, is a note that no store holds.
        """
        hung = False
        while True:
            row = self.reader.run(self.run)
            over = is_over(row)
            yield from self.news()
            if (liveness(row) == "hung") != hung:
                hung = not hung
                yield Event(Note("hung", SILENT if hung else HEARD), time=time.time())
            if over:
                return
            time.sleep(TICK)

    def skip(self) -> None:
        """Leave out what has happened so far, also when a resumed engine records it again."""
        for _ in self.news():
            pass

    def news(self) -> Iterator[Event]:
        """Events since the last time."""
        while page := self._page():
            for event in page:
                self._after = event.id
                if self._history.is_news(event):
                    yield event

    def _page(self) -> Sequence[Event]:
        if self._after >= self._since:
            return self.reader.events(self.run, self._after, PAGE)
        return self.reader.landmarks(self.run, self._after, self._since, PAGE)


def is_over(row: RunRow | StudyRow) -> bool:
    """Whether nothing more will come: the job has ended and its engine is gone."""
    return status(row) not in LIVE and liveness(row) == "gone"
