"""From a program to the best values found of its constants: probe each, then search.

    constants -> probes, one up and one down each -> batches of a proposer -> best values

Every batch is tried on one half of the design set (`halves`), and on record before the next is
asked. In a batch all trials race against the best program known before it: who lies clearly behind
on the first part of the half is not tried on the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from engine.domain.text.figures import digits
from engine.domain.tuning import Effect, Purpose, Trial, TrialBatch, TunedConstant, Tuning
from engine.domain.values import Candidate, Evaluation
from engine.search.paired import compare
from engine.search.tuning.budget import FEWEST, Halves, fewest_rollouts, limit_seconds, split
from engine.search.tuning.constants import Constant, find_constants, rewrite
from engine.search.tuning.proposers import Proposer, Values, propose

BEHIND = 3.0
"""Standard errors that a trial may lie behind on the first part before it is stopped."""

PROBE = 1.5
"""The factor by which each constant is moved alone, up and down."""

FAR = 6.0
"""The factor by which those are moved that `PROBE` did nothing to."""

SIMPLER = 0.5
"""Share of a budget by whose end each constant has been left out, if so many trials fit."""

STALE = 5
"""Batches in a row without a new value after which a search is over."""

PROBED = 0.5
"""Share of a budget that probes may take; else there are none."""

ERRORS = 2.0
"""Standard errors by which tuned constants must be better on the other half."""


class TrialBench(Protocol):
    """Where programs are tried; what came of a batch is recorded before it is returned."""

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """The programs of a batch on its instances, in its order."""


def as_trials(evaluations: Sequence[Evaluation]) -> tuple[Trial, ...]:
    """What came of programs that were tried, in their order."""
    return tuple(
        Trial(one.costs, one.failure.kind if one.failure else "", one.cpu) for one in evaluations
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Which calibration of a run it is, and the seed of its draws."""

    purpose: Purpose
    generation: int
    slot: int
    seed: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a search over constants found: the program's text with the best values.

    The `code` is None, for a `reason`, where no values are better; `tuning` says what was seen,
    None where nothing was tried.
    """

    code: str | None
    reason: str
    tuning: Tuning | None


@dataclass(slots=True)
class _Search:
    """A calibration under way: what was tried and what it cost, by the values of all constants."""

    bench: TrialBench
    parent: Candidate
    place: Place
    constants: tuple[Constant, ...]
    halves: Halves
    budget: int
    costs: dict[Values, tuple[float | None, ...]] = field(default_factory=dict)
    failed: set[Values] = field(default_factory=set)
    batches: int = 0
    trials: int = 0
    rollouts: int = 0
    cpu: float = 0.0
    base: Values = ()
    """Where the search over several constants begins: the parent's values, or one left out."""

    @property
    def own(self) -> Values:
        """The parent's values."""
        return tuple(constant.value for constant in self.constants)

    @property
    def half(self) -> int:
        """Instances that a whole trial takes."""
        return len(self.halves.tuned)

    def best(self) -> Values:
        """The best values tried on the whole half; of equals those nearest to the parent's."""
        own = self.own

        def order(values: Values) -> tuple[float, float, Values]:
            way = math.fsum(_distance(v / o) for v, o in zip(values, own, strict=True))
            return self.score(values), way, values

        return min((v for v, costs in self.costs.items() if _is_whole(costs)), key=order)

    def score(self, values: Values) -> float:
        """Mean cost on the half; one that was stopped is reckoned from its first part."""
        if values in self.failed:
            return math.inf
        costs = self.costs[values]
        if _is_whole(costs):
            return _mean(costs)
        known = [cost for cost in costs if cost is not None]
        own = self.costs[self.own]
        return _mean(own) + _mean(known) - _mean(own[: len(known)])

    def changes_anything(self, values: Values) -> bool:
        """Whether values that were tried cost otherwise than the parent's on any instance."""
        pairs = zip(self.costs[values], self.costs[self.own], strict=True)
        return values in self.failed or any(new is not None and new != old for new, old in pairs)

    async def run(self, wanted: Sequence[Values], behind: float = BEHIND) -> None:
        """Try values that were not tried before: all on the first part, some on the rest.

        Those are left out that lie more than so many standard errors behind the best.
        """
        fresh = [values for values in dict.fromkeys(wanted) if values not in self.costs]
        if not fresh:
            return
        leader = self.costs[self.best()]
        part = self.halves.part
        first = await self._try(fresh, self.halves.tuned[:part])
        self.costs |= {v: costs + (None,) * (self.half - part) for v, costs in first.items()}
        ahead = [values for values in fresh if _keeps_up(first[values], leader[:part], behind)]
        if ahead and part < self.half:
            rest = await self._try(ahead, self.halves.tuned[part:])
            self.costs |= {values: first[values] + rest[values] for values in ahead}
        self.trials += len(fresh)

    async def _try(
        self, wanted: Sequence[Values], instances: tuple[int, ...]
    ) -> dict[Values, tuple[float | None, ...]]:
        batch = TrialBatch(
            self.place.purpose,
            self.place.generation,
            self.place.slot,
            self.batches,
            tuple(rewrite(self.parent.program.code, self.constants, v) for v in wanted),
            instances,
            limit_seconds(self.parent, len(instances)),
            self.parent.id,
            self.rollouts,
            self.budget,
            self.score(self.best()),
        )
        found = await self.bench.try_out(batch)
        self.batches += 1
        self.rollouts += len(wanted) * len(instances)
        self.cpu += math.fsum(trial.cpu for trial in found)
        self.failed |= {v for v, t in zip(wanted, found, strict=True) if not _is_whole(t.costs)}
        return {values: trial.costs for values, trial in zip(wanted, found, strict=True)}

    def fits(self, trials: int, share: float = 1.0) -> bool:
        """Whether so many whole trials fit into a share of the budget."""
        return self.rollouts + trials * self.half <= share * self.budget


async def calibrate(
    bench: TrialBench, parent: Candidate, place: Place, budget: int
) -> Calibration:
    """Move the constants of an evaluated program for a `budget` of rollouts, and say what is best.

    Tuned on one half of the instances that the program was evaluated on; whether it is better on
    the other, `judge` says.
    """
    name = parent.id
    constants = find_constants(parent.program.code)
    if not constants:
        return Calibration(None, f"{name} has no constants to tune", None)
    halves = split(len(parent.costs))
    if len(parent.costs) < FEWEST or not _is_whole(parent.costs):
        return Calibration(None, f"{name} has too few costs to tune its constants by", None)
    search = _Search(bench, parent, place, constants, halves, budget)
    search.base = search.own
    search.costs[search.own] = tuple(parent.costs[k] for k in halves.tuned)
    if budget < fewest_rollouts(len(constants), search.half):
        return Calibration(None, f"{name} is too slow to tune its constants", None)
    active = await _probe(search)
    if active:
        await _simplify(search, active)
        if left := [k for k in active if search.base[k]]:
            await _improve(search, left)
    return _conclude(search)


async def _probe(search: _Search) -> list[int]:
    """Move each of several constants alone; those are left whose moves change anything.

    A budget too small for that leaves them all.
    """
    count = len(search.constants)
    everyone = list(range(count))
    if count < 2 or not search.fits(2 * count, PROBED):
        return everyone
    active = await _probe_by(search, everyone, PROBE)
    idle = [k for k in everyone if k not in active]
    if search.fits(2 * len(idle)):
        return sorted([*active, *await _probe_by(search, idle, FAR)])
    return everyone


async def _probe_by(search: _Search, which: Sequence[int], factor: float) -> list[int]:
    """Those constants that change anything when they are moved alone, up and down."""
    probes = {k: [_moved(search, k, by) for by in (1 / factor, factor)] for k in which}
    await search.run([values for pair in probes.values() for values in pair])
    return [k for k in which if any(search.changes_anything(values) for values in probes[k])]


async def _simplify(search: _Search, which: Sequence[int]) -> None:
    """Leave each constant out, and turn its sign unless that cost more.

    The best of these is where the search begins, if it is better by more than chance.
    """
    own = search.own

    def times(k: int, factor: float) -> Values:
        return (*own[:k], factor * own[k], *own[k + 1 :])

    if not search.fits(len(which), SIMPLER):
        return
    left_out = {k: times(k, 0.0) for k in which}
    await search.run([*left_out.values()], behind=0.0)
    better = [k for k, values in left_out.items() if search.score(values) < search.score(own)]
    turned = [times(k, -1.0) for k in better if search.constants[k].has_name]
    await search.run(turned, behind=0.0)
    moves = [*left_out.values(), *turned]
    whole = [values for values in moves if _is_whole(search.costs[values])]
    if whole:
        best = min(whole, key=lambda values: (search.score(values), values))
        found = compare(search.costs[best], search.costs[own])
        rest = [k for k in which if best[k]]  # none: the search stays around the constant
        if rest and found is not None and found.mean < -ERRORS * found.stderr:
            search.base = best


def _distance(ratio: float) -> float:
    """How far a value lies from another, by their ratio: its logarithm, more for another sign."""
    return abs(math.log(ratio)) if ratio > 0 else FAR + abs(ratio)


def _moved(search: _Search, which: int, factor: float) -> Values:
    """The parent's values but for one; a whole one moves by 1 at least."""
    constant = search.constants[which]
    value = constant.snap(constant.value * factor)
    if value == constant.value:
        value = constant.snap(constant.value + math.copysign(1.0, factor - 1))
    return (*search.own[:which], value, *search.own[which + 1 :])


async def _improve(search: _Search, active: Sequence[int]) -> None:
    """Search over some of the constants, batch by batch, while whole batches fit the budget."""
    proposer = _begin(search, active)
    stale = 0
    while search.fits(proposer.size) and stale < STALE:
        tried = proposer.ask()
        if not tried:
            return
        whole = [_complete(search, active, values) for values in tried]
        before = search.trials
        await search.run(whole)
        stale = stale + 1 if search.trials == before else 0
        proposer.tell(tried, [search.score(values) for values in whole])


def _begin(search: _Search, active: Sequence[int]) -> Proposer:
    """The proposer over some of the constants, given what is known of moving no others."""
    alike = [
        values
        for values in search.costs
        if all(
            v * b > 0 if k in active else v == b
            for k, (v, b) in enumerate(zip(values, search.base, strict=True))
        )
    ]
    known = {tuple(abs(values[k]) for k in active): search.score(values) for values in alike}
    trials = (search.budget - search.rollouts) // search.half
    return propose([search.constants[k] for k in active], known, trials, search.place.seed)


def _complete(search: _Search, active: Sequence[int], values: Values) -> Values:
    moved = dict(zip(active, values, strict=True))
    return tuple(math.copysign(moved.get(k, value), value) for k, value in enumerate(search.base))


def _conclude(search: _Search) -> Calibration:
    best = search.best()
    constants = tuple(
        TunedConstant(
            constant.name,
            constant.sign * constant.value,
            constant.sign * value,
            _effect(search, k, lambda factor: 0 < factor < 1),
            _effect(search, k, lambda factor: factor > 1),
            _effect(search, k, lambda factor: factor == 0),
            _effect(search, k, lambda factor: factor == -1),
        )
        for k, (constant, value) in enumerate(zip(search.constants, best, strict=True))
    )
    tuning = Tuning(
        search.parent.id,
        constants,
        search.trials,
        search.rollouts,
        search.score(search.own),
        search.score(best),
        cpu=search.cpu,
    )
    if best == search.own:
        return Calibration(None, f"{_tried(tuning)}, none better", tuning)
    code = rewrite(search.parent.program.code, search.constants, best)
    return Calibration(code, "", tuning)


def _effect(search: _Search, which: int, fits: Callable[[float], bool]) -> Effect | None:
    """What moving one constant alone by a factor that `fits` did, by about `PROBE` if it can be.

    None where that was not tried.
    """
    own = search.own
    moved: dict[float, Values] = {}
    for values in search.costs:
        alone = all(v == o for k, (v, o) in enumerate(zip(values, own, strict=True)) if k != which)
        if alone and fits(values[which] / own[which]):
            moved[values[which] / own[which]] = values
    wanted = math.log(PROBE)
    for factor in sorted(moved, key=lambda f: (abs(_distance(f) - wanted), f)):
        costs = [cost for cost in search.costs[moved[factor]] if cost is not None]
        found = compare(costs, search.costs[own][: len(costs)])
        if found is not None:
            return Effect(float(f"{factor:.4g}"), found.mean, found.stderr)
    return None


def judge(
    calibration: Calibration, parent: Candidate, costs: Sequence[float | None]
) -> Calibration:
    """The calibration with what the other half says: accepted, or None instead of its code.

    `costs` are those of the tuned program on all instances.
    """
    tuning = calibration.tuning
    assert tuning is not None
    other = split(len(parent.costs)).accepted
    found = None
    if len(costs) == len(parent.costs):
        found = compare([costs[k] for k in other], [parent.costs[k] for k in other])
    if found is None:
        return Calibration(None, f"{_tried(tuning)}, the best of which fails", tuning)
    accepted = found.mean < -ERRORS * found.stderr
    tuning = replace(tuning, gain=found.mean, stderr=found.stderr, accepted=accepted)
    if accepted:
        return replace(calibration, tuning=tuning)
    side = "better" if found.mean <= 0 else "worse"
    apart = f"{digits(abs(found.mean), 4)} ± {digits(found.stderr, 2)}"
    reason = (
        f"{_tried(tuning)}; the best is {side} by {apart} on the instances it was not tuned on, "
        f"which is {'not enough' if side == 'better' else 'no gain'}"
    )
    return Calibration(None, reason, tuning)


def _tried(tuning: Tuning) -> str:
    count = len(tuning.constants)
    constants = "1 constant" if count == 1 else f"{count} constants"
    trials = "1 trial" if tuning.trials == 1 else f"{tuning.trials} trials"
    return f"{tuning.parent}: {constants}, {trials}"


def _keeps_up(
    costs: Sequence[float | None], leader: Sequence[float | None], behind: float
) -> bool:
    """Whether a trial is worth the rest: it has not failed and is not so far behind."""
    if not _is_whole(costs):
        return False
    found = compare(costs, leader)
    return found is None or found.mean <= behind * found.stderr


def _is_whole(costs: Sequence[float | None]) -> bool:
    return all(cost is not None for cost in costs)


def _mean(costs: Sequence[float | None]) -> float:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) / len(known)
