"""Watches one run: polls the store and makes a snapshot when something has changed."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.events import (
    CallAnswered,
    CallSent,
    GenerationClosed,
    GenerationOpened,
    RunStarted,
    WinnerChosen,
)
from engine.domain.status import LIVE
from engine.monitor.children import (
    PROGRAM,
    ChildInProgress,
    find_program_calls,
    follow,
    restart_wait,
)
from engine.monitor.eta import Stopwatch
from engine.monitor.event_stream import EventStream
from engine.monitor.goals import Reached, RunGoals, count_generations, count_inherited
from engine.monitor.members import rank_members
from engine.monitor.snapshot import Snapshot
from engine.store.reader import liveness, status

if TYPE_CHECKING:
    from engine.domain.events import Event
    from engine.domain.records import RunRow, Totals
    from engine.domain.search_state import BriefRow
    from engine.domain.status import Status
    from engine.domain.values import Candidate
    from engine.store.reader import Reader

REMEMBERED = 500
"""Events kept for the screen; all of them stay in the store."""


class Monitor:
    """Reads one run, each time only what has changed since the last look."""

    def __init__(self, reader: Reader, run: int) -> None:
        self.reader = reader
        self.run = run
        self._version = -1
        self._now = 0
        self._shown: Status | None = None
        self._row: RunRow = reader.run(run)
        self._totals: Totals = reader.totals(run)
        self._briefs: tuple[BriefRow, ...] = ()
        self._survivors: tuple[Candidate, ...] = ()
        self._stream = EventStream(reader, run)
        self._events: deque[Event] = deque(maxlen=REMEMBERED)
        self._known: dict[int, tuple[Candidate, ...]] = {}
        self._over: set[int] = set()
        self._children: dict[int, ChildInProgress] = {}
        self._opened: int | None = None
        self._asked: dict[str, float] = {}
        self._inherited: int | None = None
        self._calls = 0
        self._stopwatch = Stopwatch()

    def look(self, now: float) -> Snapshot | None:
        """A new snapshot, or None when nothing that is shown has changed; `now` in Unix seconds.

        Raises StoreError when the store cannot be read this time.
        """
        version = self.reader.data_version()
        if version != self._version:
            self._read()
            self._version = version
        elif status(self._row, now) == self._shown and not self._ticks(now):
            return None
        self._now = int(now)
        self._shown = status(self._row, now)
        return self._draw(now)

    def _ticks(self, now: float) -> bool:
        """Whether a clock on the screen shows another second."""
        return self._is_live(now) and int(now) != self._now

    def _read(self) -> None:
        self._row = self.reader.run(self.run)
        opened = self.reader.generations(self.run)
        self._over = {generation.number for generation in opened if generation.closed}
        for event in self._stream.news():
            self._note(event)
        if self._inherited is None and self._row.forked_at is not None:
            self._inherited = count_inherited(self.reader, self.run)
        self._totals = self.reader.totals(self.run)
        self._briefs = self.reader.briefs(self.run)
        self._read_closed()

    def _read_closed(self) -> None:
        """Candidates of the generations closed since the last look; they never change again."""
        fresh = [
            generation.number
            for generation in self.reader.generations(self.run)
            if generation.closed and generation.number not in self._known
        ]
        for number in fresh:
            self._known[number] = self.reader.candidates(self.run, number)
        if fresh:
            self._survivors = self.reader.population(self.run)
        if self._opened in self._known:
            self._children.clear()

    def _note(self, event: Event) -> None:
        self._events.append(event)
        self._stopwatch.note(event)
        if isinstance(event.fact, RunStarted):
            self._restart_waits(event.time)
        elif isinstance(event.fact, GenerationOpened):
            self._opened = event.generation
            self._children.clear()
        elif isinstance(event.fact, GenerationClosed):
            self._calls = event.fact.calls
        elif isinstance(event.fact, WinnerChosen):
            self._known.clear()  # some of them have a figure more now
        self._follow_child(event)
        self._follow_reflection(event)

    def _restart_waits(self, time: float) -> None:
        children = self._children.items()
        self._children = {slot: restart_wait(child, time) for slot, child in children}
        self._asked = dict.fromkeys(self._asked, time)

    def _follow_child(self, event: Event) -> None:
        """Only the children of the open generation; those of closed ones are candidates."""
        generation = event.generation
        if event.slot is None or generation != self._opened or generation in self._over:
            return
        child = follow(self._children.get(event.slot), event)
        if child is not None:
            self._children[event.slot] = self._add_request(child)

    def _add_request(self, child: ChildInProgress) -> ChildInProgress:
        """The child with operator and parents, which only its request holds."""
        if child.operator:
            return child
        calls = find_program_calls(self.reader, self.run, child.generation, child.slot)
        if not calls:
            return child if child.generation else replace(child, operator="seed")
        request = calls[0].request
        parents = tuple(parent.id for recipe in request.recipes for parent in recipe.parents)
        return replace(child, operator=request.operator, parents=parents)

    def _follow_reflection(self, event: Event) -> None:
        fact = event.fact
        if not isinstance(fact, CallSent | CallAnswered) or fact.purpose == PROGRAM:
            return
        if isinstance(fact, CallSent):
            self._asked[f"{fact.purpose} {event.slot}"] = event.time
        else:
            self._asked.pop(f"{fact.purpose} {event.slot}", None)

    def _is_live(self, now: float) -> bool:
        return status(self._row, now) in LIVE

    def _draw(self, now: float) -> Snapshot:
        row = self._row
        live = self._is_live(now)
        known = tuple(c for number in sorted(self._known) for c in self._known[number])
        closed = max(self._known, default=None)
        children = [self._children[slot] for slot in sorted(self._children)]
        opened = self._opened if children or self._opened not in self._known else None
        goals = RunGoals(row.spec, self._inherited or 0)
        return Snapshot(
            now=int(now if live else row.heartbeat),
            row=row,
            status=status(row, now),
            liveness=liveness(row, now),
            totals=self._totals,
            closed=closed,
            opened=opened,
            members=rank_members(self._survivors, known, children, row.spec.settings.align),
            briefs=self._briefs,
            events=tuple(self._events),
            goals=goals.goals(self._reached_now()),
            generations=count_generations(row.spec, row.state == "done", opened or closed),
            children=goals.size(self._reached()),
            reflecting=min(self._asked.values(), default=None) if live else None,
            left=self._left(goals) if live else None,
        )

    def _reached(self) -> Reached:
        """What was made when the last generation closed."""
        children = sum(len(self._known[number]) for number in self._known if number)
        return Reached(max(self._known, default=0), children, self._calls + (self._inherited or 0))

    def _reached_now(self) -> Reached:
        """What is made, the open generation included."""
        closed = self._reached()
        calls = self._totals.calls + (self._inherited or 0)
        return Reached(closed.generations, closed.children + self._finished(), calls)

    def _finished(self) -> int:
        return sum(c.generation > 0 and c.is_done for c in self._children.values())

    def _left(self, goals: RunGoals) -> float | None:
        """Estimated seconds to the end: the open generation counts by its finished children."""
        closed = self._reached()
        ahead = goals.ahead(closed)
        size = goals.size(closed)
        part = self._finished() / size if size else 0.0
        return self._stopwatch.estimate(max(0.0, ahead - part * min(1.0, ahead)))
