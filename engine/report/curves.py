"""What can be plotted of searches: how they went, the lowest cost so far, and where they ended."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain.events import Event
from engine.domain.values import Candidate
from engine.monitor.run_summary import pick_survivors
from engine.monitor.timeline import CLOCKS, Calls, Clock, Timeline
from engine.store.reader import Reader

Curve = tuple[tuple[float, float], ...]
"""Steps downwards: a time, the lowest cost from then on."""

Points = tuple[tuple[float, float], ...]
"""Costs with agreements, or with milliseconds a decision."""

PAGE = 1000
"""Events read at a time."""


@dataclass(frozen=True, slots=True)
class Moment:
    """At `time`, costs over several runs: their mean, the lowest, the highest."""

    time: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Series:
    """Runs under one name. `points` are all their programs, `fronts` what no other dominates.

    `fronts` are those of the final populations, one a run, by cost; both are empty for runs
    without a teacher. `paces` are the programs of each run, with their milliseconds a decision,
    than which none is both better and quicker.
    """

    name: str
    dynamics: Mapping[Clock, tuple[Moment, ...]]
    points: Points
    fronts: tuple[Points, ...]
    paces: tuple[Points, ...] = ()


def read_series(reader: Reader, name: str, made: Mapping[int, Sequence[Candidate]]) -> Series:
    """The series of some runs, given the candidates of each by its number."""
    curves = {c: [_trace(reader, run, c, found) for run, found in made.items()] for c in CLOCKS}
    return Series(
        name,
        {clock: envelope(found) for clock, found in curves.items()},
        tuple(point for found in made.values() for point in as_points(found)),
        tuple(
            nondominated(as_points(pick_survivors(reader, run, found)))
            for run, found in made.items()
        ),
        tuple(_pace_front(reader, run) for run in made),
    )


def _pace_front(reader: Reader, run: int) -> Points:
    """What no program of a run dominates in cost and time, by cost."""
    quickness = tuple((program.cost, -1000 * program.pace) for program in reader.paces(run))
    return tuple((cost, -quick) for cost, quick in nondominated(quickness))


def as_points(candidates: Iterable[Candidate]) -> Points:
    """Cost and agreement of those that have both."""
    return tuple(
        (c.cost, c.agreement) for c in candidates if c.cost is not None and c.agreement is not None
    )


def nondominated(points: Points) -> Points:
    """The points of which none is better in one respect and no worse in the other, by cost."""
    front: list[tuple[float, float]] = []
    for cost, agreement in sorted(set(points), key=lambda point: (point[0], -point[1])):
        if not front or agreement > front[-1][1]:
            front.append((cost, agreement))
    return tuple(front)


def trace(reader: Reader, run: int, clock: Clock) -> Curve:
    """The curve of one run, from the seeds to its end; empty without a cost.

    A child counts from the call that made it, one that took none from the last call of its
    generation, a seed from call 0; dollars are those of the calls up to there. Seconds are those
    in which an engine was at work; what another run had found out already takes none.
    """
    return _trace(reader, run, clock, reader.outlines(run))


def _trace(reader: Reader, run: int, clock: Clock, candidates: Sequence[Candidate]) -> Curve:
    when = _WHEN[clock](reader, run)
    timed = [(when(c), c.cost) for c in candidates if c.cost is not None]
    end = max(map(when, candidates), default=0.0)
    return _descend(sorted(timed), end)


def envelope(curves: Sequence[Curve]) -> tuple[Moment, ...]:
    """Runs over one another, from when all have a cost to when the last of them ends."""
    known = [curve for curve in curves if curve]
    if not known:
        return ()
    start = max(curve[0][0] for curve in known)
    times = sorted({time for curve in known for time, _ in curve if time >= start})
    return tuple(_moment(time, [_read(curve, time) for curve in known]) for time in times)


def _descend(timed: Iterable[tuple[float, float]], end: float) -> Curve:
    steps: list[tuple[float, float]] = []
    best = math.inf
    for time, cost in timed:
        best = min(best, cost)
        if steps and steps[-1][0] == time:
            steps.pop()
        steps.append((time, best))
    if steps and steps[-1][0] < end:
        steps.append((end, best))
    return tuple(steps)


def _read(curve: Curve, time: float) -> float:
    """The lowest cost at a time."""
    return curve[bisect_right(curve, (time, math.inf)) - 1][1]


def _moment(time: float, costs: list[float]) -> Moment:
    return Moment(time, fmean(costs), min(costs), max(costs))


def _by_generation(reader: Reader, run: int) -> Callable[[Candidate], float]:
    return lambda candidate: float(candidate.generation)


def _by_call(reader: Reader, run: int) -> Callable[[Candidate], float]:
    """The number of the call that made it, in the order they were sent."""
    calls = _read_calls(reader, run)
    return lambda candidate: float(calls.until(candidate.generation, candidate.slot))


def _by_dollar(reader: Reader, run: int) -> Callable[[Candidate], float]:
    """What the calls up to there cost."""
    calls = _read_calls(reader, run)
    return lambda candidate: calls.dollars(calls.until(candidate.generation, candidate.slot))


def _read_calls(reader: Reader, run: int) -> Calls:
    calls = Calls()
    for call in reader.call_costs(run):
        calls.send(call.generation, call.slot, call.usd)
    return calls


def _by_second(reader: Reader, run: int) -> Callable[[Candidate], float]:
    """When it was reported, without the time between one engine of the run and the next."""
    timeline = Timeline()
    for event in _events(reader, run):
        timeline.note(event)
    return lambda candidate: timeline.second(candidate.id)


def _events(reader: Reader, run: int) -> Iterable[Event]:
    last = 0
    while page := reader.events(run, last, PAGE):
        yield from page
        last = page[-1].id


_WHEN: dict[Clock, Callable[[Reader, int], Callable[[Candidate], float]]] = {
    "generation": _by_generation,
    "call": _by_call,
    "second": _by_second,
    "dollar": _by_dollar,
}
