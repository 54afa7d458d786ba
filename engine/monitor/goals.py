"""The goals of a search: what ends it, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.domain.specs.settings import RunSpec
from engine.search.budget_plan import (
    calls_left,
    generation_calls,
    generation_children,
    next_children,
    planned_generations,
)
from engine.search.methods.methods import OURS, find
from engine.search.methods.types import Method
from engine.store.reader import Reader
from problems.errors import UserError


@dataclass(frozen=True, slots=True)
class Reached:
    """What a search has made: closed generations, children, calls, those taken over included."""

    generations: int = 0
    children: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that ends a search when the `whole` of it is made; a generation makes `each`."""

    name: Literal["gen", "children", "calls"]
    made: int
    whole: int
    each: int

    @property
    def ahead(self) -> float:
        """Generations, full ones, that are missing."""
        return max(0, self.whole - self.made) / self.each


@dataclass(frozen=True, slots=True)
class RunGoals:
    """Where a run goes; `inherited` calls were made by the run that it was forked from."""

    spec: RunSpec
    inherited: int = 0

    def goals(self, at: Reached) -> tuple[Goal, ...]:
        """What its settings end it by; first what does so unless replies need repairs."""
        method = method_of(self.spec)
        settings = self.spec.settings
        calls = generation_calls(method, settings)
        children = generation_children(method, settings)
        goals = (
            Goal("calls", min(at.calls, settings.calls), settings.calls, calls),
            Goal("children", at.children, settings.total_children, children),
        )
        found = sorted((g for g in goals if g.whole), key=lambda goal: goal.whole / goal.each)
        return tuple(found) or (Goal("gen", at.generations, settings.generations, 1),)

    def ahead(self, at: Reached) -> float:
        """Generations that are still to come, the last one perhaps a part; caps end it too."""
        cap = self._cap()
        each = generation_calls(method_of(self.spec), self.spec.settings)
        capped = [] if cap is None else [Goal("calls", at.calls, cap, each)]
        return min(goal.ahead for goal in (*self.goals(at), *capped))

    def size(self, at: Reached) -> int:
        """How many children the generation after `at` will have if no reply needs a repair."""
        settings = self.spec.settings
        left = calls_left(at.calls, settings.calls or None, self._cap())
        return next_children(method_of(self.spec), settings, at.children, left)

    def _cap(self) -> int | None:
        cap = self.spec.caps.calls
        return None if cap is None else self.inherited + cap


def method_of(spec: RunSpec) -> Method:
    """The method as it was recorded: to look at a run, its file may have changed since.

    One that only another version knows counts as ours.
    """
    try:
        return _defined(spec) if spec.definition else find(spec.method)
    except UserError:
        return OURS


def _defined(spec: RunSpec) -> Method:
    from engine.search.methods.method_file import recorded_method  # it takes all prompts to load

    return recorded_method(spec)


def count_generations(spec: RunSpec, done: bool, last: int | None) -> int:
    """Of how many generations `last` is one: as planned, and as it came once the run is `done`.

    Repairs take calls from children, so that neither is known for sure before.
    """
    planned = planned_generations(method_of(spec), spec.settings)
    return last or 0 if done else max(planned, last or 0)


def count_inherited(reader: Reader, run: int) -> int:
    """Calls that went into the generations which a run took over from another in the store."""
    known = {row.number: row for row in reader.runs()}
    count = 0
    row = known.get(run)
    while row is not None and row.forked_from is not None and row.forked_at is not None:
        calls = reader.calls(row.forked_from)
        count += sum(call.key.generation <= row.forked_at for call in calls)
        row = known.get(row.forked_from)
    return count
