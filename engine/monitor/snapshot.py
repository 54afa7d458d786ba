"""A snapshot: everything that the screen of a run shows, at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.domain.events import Event
from engine.domain.records import RunRow, Totals
from engine.domain.search_state import BriefRow
from engine.domain.status import LIVE, Liveness, Status
from engine.domain.values import Candidate
from engine.monitor.goals import Goal
from engine.monitor.history import Change, CostCurve
from engine.monitor.members import Member
from engine.monitor.teacher_standing import TeacherStanding
from engine.monitor.timeline import Clock
from engine.search.selection import known_alignment


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run at one moment, `now` in whole Unix seconds.

    `closed` is the last closed generation of as many `generations` as are planned, `opened` the
    one in progress, of `children` children; `goals` end the run, first the one that is planned to.
    `change` is the last change of the best program. `reflecting` is when the oldest pending
    reflection was asked for, None without one; `left` are estimated seconds to the end.
    `teachers` tells how the run's teachers stand, `teacher_words` whether the checked advice of
    each is used, nothing where that is not asked. `chosen_on` names the selection set in words,
    once the winner is chosen. One that
    `is_past` shows the end of an earlier generation, whatever the status of the run is now.
    """

    now: int
    row: RunRow
    status: Status
    liveness: Liveness
    totals: Totals
    closed: int | None
    opened: int | None
    members: tuple[Member, ...]
    briefs: tuple[BriefRow, ...]
    events: tuple[Event, ...]
    goals: tuple[Goal, ...]
    generations: int
    children: int
    change: Change | None
    curves: Mapping[Clock, CostCurve]
    reflecting: float | None = None
    left: float | None = None
    teacher: TeacherStanding | None = None
    teacher_words: tuple[str, ...] = ()
    is_past: bool = False
    chosen_on: str = ""

    @property
    def is_live(self) -> bool:
        """Whether an engine is at work, or about to be."""
        return self.status in LIVE and not self.is_past

    @property
    def best(self) -> Member | None:
        """The program that the run would return now."""
        return self.member(self.row.best)

    @property
    def children_done(self) -> int:
        """Finished children of the generation in progress."""
        return sum(m.child.is_done for m in self.members if m.child is not None)

    def member(self, id: str | None) -> Member | None:
        """The member of that name, None where there is none."""
        return next((m for m in self.members if id and m.id == id), None)

    def at(self, place: str | None) -> Member | None:
        """The member at that place (generation and slot)."""
        return next((m for m in self.members if m.place == place), None)

    def alignment(self, candidate: Candidate) -> float | None:
        """The alignment by which the run selects, None without diagnostics."""
        return known_alignment(candidate, self.row.spec.settings.align)
