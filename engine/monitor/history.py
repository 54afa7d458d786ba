"""How a run came to where it is: its population after every generation, who became the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain.events import WinnerChosen
from engine.domain.values import Candidate
from engine.monitor.members import Member
from engine.monitor.timeline import Clock, Closing, Timeline
from engine.search.paired import Paired, compare

Steps = tuple[tuple[float, float], ...]
"""Times with costs that hold from then on."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A closed generation: its survivors in their order and the best of them, if there are any.

    `closing` is None where the events do not tell of its end, as in what a fork took over.
    """

    generation: int
    survivors: tuple[Candidate, ...]
    best: Candidate | None
    closing: Closing | None


@dataclass(frozen=True, slots=True)
class Change:
    """A program that became the best in a generation, in place of `old`, None for a seed.

    `gain` is the paired difference of their costs, None unless both are complete. `chosen_on` is
    the selection set where that decided, else empty; `old` is then the best of the generation
    before that of the new one.
    """

    generation: int
    new: Candidate
    old: Candidate | None
    gain: Paired | None
    chosen_on: str = ""

    @classmethod
    def of(
        cls, generation: int, new: Candidate, old: Candidate | None, chosen_on: str = ""
    ) -> Change:
        """The change from one program to another."""
        return cls(generation, new, old, compare(new.costs, old.costs) if old else None, chosen_on)


@dataclass(frozen=True, slots=True)
class CostCurve:
    """Costs over one clock: the lowest so far, the population's mean, that of the best seed.

    `seed` is None while no seed has a cost; `end` is the time up to which the lines go.
    """

    best: Steps
    population: Steps
    seed: float | None
    end: float


def stand(generation: int, survivors: Sequence[Candidate], closing: Closing | None) -> Standing:
    """A generation as it closed; its best is the one that was reported, else the cheapest."""
    told = next((c for c in survivors if closing and c.id == closing.best), None)
    cheapest = min(survivors, key=lambda c: math.inf if c.cost is None else c.cost, default=None)
    return Standing(generation, tuple(survivors), told or cheapest, closing)


def last_change(
    standings: Sequence[Standing], winner: WinnerChosen | None = None
) -> Change | None:
    """The last change of the best program; to the best seed where no child has become it.

    A `winner` that was chosen over the best on the design set is the last one, compared with the
    best before it was made: the two that it was chosen among are hardly apart.
    """
    bests = [(s.generation, s.best) for s in standings if s.best is not None]
    if not bests:
        return None
    generation, new = bests[-1]
    chosen = _chosen(standings[-1], winner)
    if chosen is not None and chosen.id != new.id:
        old = next((best for at, best in reversed(bests) if at < chosen.generation), None)
        return Change.of(generation, chosen, old, winner.instances if winner else "")
    others = [k for k, (_, best) in enumerate(bests) if best.id != new.id]
    since = others[-1] + 1 if others else 0
    return Change.of(bests[since][0], new, bests[others[-1]][1] if others else None)


def _chosen(last: Standing, winner: WinnerChosen | None) -> Candidate | None:
    return next((c for c in last.survivors if winner and c.id == winner.program), None)


def trace_costs(
    members: Iterable[Member], standings: Sequence[Standing], timeline: Timeline, clock: Clock
) -> CostCurve:
    """The curve of a run over a clock; a child in progress counts as soon as it has a cost."""
    valid = [m for m in members if m.cost is not None]
    timed = sorted((_when(member, timeline, clock), member.cost or 0.0) for member in valid)
    seeds = [member.cost for member in valid if member.generation == 0 and member.cost is not None]
    population = tuple(_average(standings, clock))
    times = [time for time, _ in (*timed, *population)]
    return CostCurve(
        tuple(_descend(timed)), population, min(seeds, default=None), max(times, default=0.0)
    )


def _when(member: Member, timeline: Timeline, clock: Clock) -> float:
    if clock == "generation":
        return float(member.generation)
    if clock == "second":
        return timeline.second(member.id)
    at = timeline.dollar if clock == "dollar" else timeline.call
    return at(member.generation, member.slot)


def _average(standings: Sequence[Standing], clock: Clock) -> Iterator[tuple[float, float]]:
    """The mean cost of every generation's survivors, when it closed."""
    for standing in standings:
        costs = [c.cost for c in standing.survivors if c.cost is not None]
        if costs:
            yield _end(standing, clock), fmean(costs)


def _end(standing: Standing, clock: Clock) -> float:
    if clock == "generation":
        return float(standing.generation)
    if standing.closing is None:
        return 0.0
    if clock == "dollar":
        return standing.closing.usd
    return standing.closing.second if clock == "second" else float(standing.closing.calls)


def _descend(timed: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The lowest cost so far, where it gets lower."""
    best = math.inf
    for time, cost in timed:
        if cost < best:
            best = cost
            yield time, cost
