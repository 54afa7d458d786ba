"""Watches one run: polls the store and makes a snapshot when something has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from engine.domain.events import (
    CallAnswered,
    CallSent,
    Event,
    GenerationOpened,
    Note,
    RunStarted,
    TeacherMeasured,
    WinnerChosen,
)
from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.records import RunRow, Totals
from engine.domain.search_state import BriefRow
from engine.domain.status import LIVE, Status
from engine.domain.values import Candidate
from engine.monitor.children import (
    PROGRAM,
    ChildInProgress,
    find_program_calls,
    follow,
    restart_wait,
)
from engine.monitor.event_stream import EventStream
from engine.monitor.goals import Reached, RunGoals, count_generations, count_inherited
from engine.monitor.history import Change, CostCurve, Standing, last_change, stand, trace_costs
from engine.monitor.members import Member, rank_members
from engine.monitor.run_result import name_selection
from engine.monitor.snapshot import Snapshot
from engine.monitor.teacher_standing import TeacherStanding, stand_teacher
from engine.monitor.timeline import CLOCKS, Clock, Timeline
from engine.store.reader import Reader, liveness, status

LATEST = 500
"""Events of a snapshot, the latest ones."""


PIECE = 2000
"""Events that are read at a time before the first look."""


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
        self._standings: tuple[Standing, ...] = ()
        self._winner: WinnerChosen | None = None
        self._chosen_on = ""
        self._teacher_costs: dict[str, float] = {}
        self._words: dict[int, list[str]] = {}
        self._stream = EventStream(reader, run, LATEST)
        self._events: list[Event] = []
        self._history: EventStream | None = None
        self._past: list[Event] = []
        self._known: dict[int, tuple[Candidate, ...]] = {}
        self._over: set[int] = set()
        self._children: dict[int, ChildInProgress] = {}
        self._opened: int | None = None
        self._asked: dict[str, float] = {}
        self._inherited: int | None = None
        self._timeline = Timeline()

    def read_ahead(self) -> int:
        """Read the next events; of how many programs the rest may tell, 0 when none are left.

        A long history is read piece by piece before the first look, which then takes no time.
        Raises StoreError when the store cannot be read this time.
        """
        self._over = self._closed()
        read = 0
        for event in islice(self._stream.news(), PIECE):
            self._note(event)
            read += 1
        return self.reader.count_programs(self.run) if read == PIECE else 0

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

    def look_back(self, generation: int) -> Snapshot:
        """The run of the last look as it stood when a closed generation ended.

        Raises StoreError when the store cannot be read this time.
        """
        standings = tuple(s for s in self._standings if s.generation <= generation)
        closing = standings[-1].closing
        best = standings[-1].best
        row = replace(self._row, best=best.id if best else None)
        members = self._members(standings, ())
        return Snapshot(
            now=int(closing.time if closing else row.created),
            row=replace(row, seconds=closing.second if closing else 0.0),
            status=self._shown or row.state,
            liveness="gone",
            totals=self.reader.totals(self.run, generation),
            closed=generation,
            opened=None,
            members=members,
            briefs=tuple(brief for brief in self._briefs if brief.generation <= generation),
            events=self._events_until(closing.event if closing else 0),
            goals=self._goals().goals(self._reached(standings)),
            generations=count_generations(row.spec, row.state == "done", self._last()),
            children=0,
            change=last_change(standings),
            curves=self._curves(standings, members),
            teacher=self._stand_teacher(standings),
            teacher_words=self._words_until(generation),
            is_past=True,
        )

    def _ticks(self, now: float) -> bool:
        """Whether a clock on the screen shows another second."""
        return self._is_live(now) and int(now) != self._now

    def _read(self) -> None:
        self._row = self.reader.run(self.run)
        self._over = self._closed()
        for event in self._stream.news():
            self._note(event)
        if self._inherited is None and self._row.forked_at is not None:
            self._inherited = count_inherited(self.reader, self.run)
        self._totals = self.reader.totals(self.run)
        self._briefs = self.reader.briefs(self.run)
        self._read_closed()

    def _closed(self) -> set[int]:
        opened = self.reader.generations(self.run)
        return {generation.number for generation in opened if generation.closed}

    def _read_closed(self) -> None:
        """Candidates of the generations closed since the last look; they never change again."""
        fresh = self._over - self._known.keys()
        if fresh:
            self._known |= self._read_programs(fresh)
            self._standings = self._stand()
        if self._opened in self._known:
            self._children.clear()

    def _read_programs(self, generations: set[int]) -> dict[int, tuple[Candidate, ...]]:
        """The candidates of some generations; of one alone, or of all the run at once."""
        only = next(iter(generations)) if len(generations) == 1 else None
        found: dict[int, list[Candidate]] = {generation: [] for generation in generations}
        for candidate in self.reader.outlines(self.run, only):
            if candidate.generation in generations:
                found[candidate.generation].append(candidate)
        return {generation: tuple(made) for generation, made in found.items()}

    def _stand(self) -> tuple[Standing, ...]:
        """All closed generations as they stood."""
        programs = {c.id: c for candidates in self._known.values() for c in candidates}
        survivors = self.reader.survivors(self.run)
        standings = []
        for number in sorted(self._known):
            kept = [programs[id] for id in survivors.get(number, ()) if id in programs]
            standings.append(stand(number, kept, self._timeline.closings.get(number)))
        return tuple(standings)

    def _note(self, event: Event) -> None:
        self._events.append(event)
        self._timeline.note(event)
        if isinstance(event.fact, RunStarted):
            self._restart_waits(event.time)
        elif isinstance(event.fact, GenerationOpened):
            self._opened = event.generation
            self._words.pop(event.generation or 0, None)
            self._children.clear()
        elif isinstance(event.fact, WinnerChosen):
            self._winner = event.fact
            self._chosen_on = name_selection(self._row.spec, event.fact.instances)
            self._known.clear()  # some of them have a figure more now
        elif isinstance(event.fact, TeacherMeasured):
            if event.fact.cost is not None:
                self._teacher_costs[event.fact.teacher] = event.fact.cost
        elif isinstance(event.fact, Note) and event.fact.topic in (TEACHER_WORD, LEFT_OUT):
            self._words.setdefault(event.generation or 0, []).append(event.fact.text)
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
        children = [self._children[slot] for slot in sorted(self._children)]
        opened = self._opened if children or self._opened not in self._known else None
        goals = self._goals()
        members = self._members(self._standings, children)
        return Snapshot(
            now=int(now if live else row.heartbeat),
            row=row,
            status=status(row, now),
            liveness=liveness(row, now),
            totals=self._totals,
            closed=self._last(),
            opened=opened,
            members=members,
            briefs=self._briefs,
            events=tuple(self._events[-LATEST:]),
            goals=goals.goals(self._reached_now()),
            generations=count_generations(row.spec, row.state == "done", opened or self._last()),
            children=goals.size(self._reached(self._standings)),
            change=self._last_change(),
            curves=self._curves(self._standings, members),
            reflecting=min(self._asked.values(), default=None) if live else None,
            left=self._left(goals) if live else None,
            teacher=self._stand_teacher(self._standings),
            teacher_words=self._words_until(self._opened or 0),
            chosen_on=self._chosen_on,
        )

    def _last_change(self) -> Change | None:
        change = last_change(self._standings, self._winner)
        if change is None or not change.chosen_on:
            return change
        return replace(change, chosen_on=self._chosen_on)

    def _words_until(self, generation: int) -> tuple[str, ...]:
        """The last that was said up to a generation of the use of the teacher's advice."""
        known = [number for number in self._words if number <= generation]
        return tuple(self._words[max(known)]) if known else ()

    def _stand_teacher(self, standings: Sequence[Standing]) -> TeacherStanding | None:
        survivors = standings[-1].survivors if standings else ()
        return stand_teacher(self._row.spec.teacher, self._teacher_costs, survivors)

    def _last(self) -> int | None:
        """The last closed generation."""
        return max(self._known, default=None)

    def _members(
        self, standings: Sequence[Standing], children: Sequence[ChildInProgress]
    ) -> tuple[Member, ...]:
        survivors = standings[-1].survivors if standings else ()
        known = tuple(c for s in standings for c in self._known[s.generation])
        return rank_members(survivors, known, children, self._row.spec.settings.align)

    def _curves(
        self, standings: Sequence[Standing], members: Sequence[Member]
    ) -> Mapping[Clock, CostCurve]:
        return {c: trace_costs(members, standings, self._timeline, c) for c in CLOCKS}

    def _events_until(self, id: int) -> tuple[Event, ...]:
        """The latest events up to one; those of long ago are read then."""
        if self._history is None:
            self._history = EventStream(self.reader, self.run)
        self._past += self._history.news()
        return tuple([event for event in self._past if event.id <= id][-LATEST:])

    def _goals(self) -> RunGoals:
        return RunGoals(self._row.spec, self._inherited or 0)

    def _reached(self, standings: Sequence[Standing]) -> Reached:
        """What was made when the last of some generations closed."""
        children = sum(len(self._known[s.generation]) for s in standings if s.generation)
        calls = max((s.closing.calls for s in standings if s.closing), default=0)
        last = standings[-1].generation if standings else 0
        return Reached(last, children, calls + (self._inherited or 0))

    def _reached_now(self) -> Reached:
        """What is made, the open generation included."""
        closed = self._reached(self._standings)
        calls = self._totals.calls + (self._inherited or 0)
        return Reached(closed.generations, closed.children + self._finished(), calls)

    def _finished(self) -> int:
        return sum(c.generation > 0 and c.is_done for c in self._children.values())

    def _left(self, goals: RunGoals) -> float | None:
        """Estimated seconds to the end: the open generation counts by its finished children."""
        closed = self._reached(self._standings)
        ahead = goals.ahead(closed)
        size = goals.size(closed)
        part = self._finished() / size if size else 0.0
        return self._timeline.estimate(max(0.0, ahead - part * min(1.0, ahead)))
