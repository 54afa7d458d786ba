"""Who becomes a parent and who survives (paper, "Parent sampling", "Population Management")."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.domain.program import syntax_match
from engine.domain.search_state import alive
from engine.domain.specs.settings import Settings
from engine.domain.values import Align, Candidate
from engine.search.paired import compare, complement, correlate_ranks, lower_costs

Key = Callable[[Candidate], tuple[float, ...]]
Sampler = Callable[["Draw"], Candidate | None]


NOISE = 2.0
"""Standard errors within which two costs are the same."""

ALIKE = 0.3
"""Share of the usual spread of differences below which two programs behave alike.

Unrelated programs are at 1; at 0.3 what is peculiar to each instance correlates by 0.9.
"""


BEATEN = 16.0
"""Paired standard errors behind the best from which on a program is not worth revising."""


def known_alignment(candidate: Candidate, align: Align) -> float | None:
    """The alignment signal, None where it is missing."""
    return None if candidate.diagnostics is None else candidate.diagnostics.signal(align)


def alignment(candidate: Candidate, align: Align) -> float:
    """The same; where it is missing, below every real one."""
    value = known_alignment(candidate, align)
    return -math.inf if value is None else value


def cost(candidate: Candidate) -> float:
    """The candidate's cost; infinite where it has none."""
    return float("inf") if candidate.cost is None else candidate.cost


def by_cost(align: Align) -> Key:
    """Order by cost; ties by alignment, then by age."""
    return lambda c: (cost(c), -alignment(c, align), c.generation, c.slot)


def by_alignment(align: Align) -> Key:
    """Order by alignment; ties by cost, then by age."""
    return lambda c: (-alignment(c, align), cost(c), c.generation, c.slot)


@dataclass(frozen=True, slots=True)
class Draw:
    """What a parent is drawn from: the population, and the slot's parents `drawn` before.

    `used` are the first parents that its operator has had in this generation, `seen` are all
    candidates of the run, `samplers` are those of every operator by its name. A sampler that finds
    nobody gives None: the slot has a parent less.
    """

    population: Sequence[Candidate]
    drawn: Sequence[Candidate]
    settings: Settings
    rng: random.Random
    used: frozenset[str] = frozenset()
    seen: Sequence[Candidate] = ()
    generation: int = 1
    slot: int = 1
    samplers: Mapping[str, Sequence[Sampler]] = field(default_factory=dict)

    @property
    def leads(self) -> bool:
        """Whether it is for the first slot of a generation."""
        return self.slot == 0

    def others(self) -> list[Candidate]:
        """Those not drawn before; everybody where nobody is left."""
        taken = {candidate.id for candidate in self.drawn}
        return [c for c in self.population if c.id not in taken] or list(self.population)


def objective_ranked(draw: Draw) -> Candidate:
    """Draw a parent from the top K by cost."""
    return _draw_top(draw, by_cost(draw.settings.align))


def alignment_ranked(draw: Draw) -> Candidate:
    """Draw a parent, another one than those drawn before, from the top K by alignment."""
    return _draw_top(draw, by_alignment(draw.settings.align))


def any_ranked(draw: Draw) -> Candidate:
    """EoH's draw: all N members by cost, weight 1/(r + N), with replacement."""
    return _draw_any(draw.population, draw)


def other_ranked(draw: Draw) -> Candidate:
    """The same among those that were not drawn before."""
    return _draw_any(draw.others(), draw)


def better_of_pair(draw: Draw) -> Candidate:
    """ReEvo's draw, the better of a pair; anyone where all cost the same.

    With `worse_of_pair` after it, every pair of unequal cost is equally likely.
    """
    members = draw.population
    worse = [sum(cost(other) > cost(c) for other in members) for c in members]
    return draw.rng.choices(members, worse if any(worse) else None)[0]


def worse_of_pair(draw: Draw) -> Candidate:
    """A member of higher cost than the parent drawn before; else another one, else anyone."""
    worse = [c for c in draw.population if draw.drawn and cost(c) > cost(draw.drawn[-1])]
    return draw.rng.choice(worse or draw.others())


def elite(draw: Draw) -> Candidate:
    """ReEvo's elitist: the member of lowest cost."""
    return lowest_cost(draw.population, draw.settings)


def contenders(members: Sequence[Candidate], align: Align) -> list[Candidate]:
    """The members that are not far behind the best of them, best first."""
    ranked = sorted(members, key=by_cost(align))
    return [c for c in ranked if not _is_beaten(c, ranked[0])]


def _is_beaten(candidate: Candidate, best: Candidate) -> bool:
    found = compare(candidate.costs, best.costs)
    return found is not None and found.mean > BEATEN * found.stderr


def favoured(draw: Draw) -> Candidate:
    """Preceptor's first parent: the leader in the first slot of a generation, else by rank.

    The weight 1/r really favours the best, and nobody is drawn who is far behind it. Inside a
    generation an operator's slots get different programs, as long as there are any.
    """
    ranked = contenders(draw.population, draw.settings.align)
    if draw.leads:
        return ranked[0]
    fresh = [c for c in ranked if c.id not in draw.used] or ranked
    return _draw_first(fresh, draw.rng)


def complementary(draw: Draw) -> Candidate:
    """Preceptor's partner: better than the parent before where that is bad, no kin of it.

    Drawn by rank in what the better of the two saves over the first alone, instance by instance.
    Nobody is drawn who is far behind the best of the population; where everyone else is, it is the
    best of these. Where everyone is an ancestor or a descendant, kinship does not count; where
    nobody else survives, earlier programs join in.
    """
    first = draw.drawn[-1]
    others = [c for c in draw.population if c.id != first.id]
    others = others or [c for c in alive(draw.seen) if c.id != first.id] or [first]
    order = by_cost(draw.settings.align)
    best = min(draw.population, key=order)
    others = [c for c in others if not _is_beaten(c, best)] or [min(others, key=order)]
    kin = relatives(first, draw.seen)
    partners = [c for c in others if c.id not in kin] or others
    partners.sort(key=lambda c: (-complement(first.costs, c.costs), *order(c)))
    return _draw_first(partners, draw.rng)


def relatives(candidate: Candidate, seen: Sequence[Candidate]) -> frozenset[str]:
    """The ids of a program's ancestors and descendants, its own among them; `seen` in order."""
    parents = {c.id: c.parents for c in seen}
    ancestors = {candidate.id}
    for other in reversed(seen):
        if other.id in ancestors:
            ancestors.update(parents[other.id])
    descendants = {candidate.id}
    for other in seen:
        if not descendants.isdisjoint(other.parents):
            descendants.add(other.id)
    return frozenset(ancestors | descendants)


def _draw_first(ranked: Sequence[Candidate], rng: random.Random) -> Candidate:
    return rng.choices(ranked, [1 / rank for rank in range(1, len(ranked) + 1)])[0]


def _draw_any(members: Sequence[Candidate], draw: Draw) -> Candidate:
    ranked = sorted(members, key=by_cost(draw.settings.align))
    return draw.rng.choices(ranked, _weights(len(ranked), len(ranked)))[0]


def _draw_top(draw: Draw, key: Key) -> Candidate:
    top = sorted(draw.others(), key=key)[: draw.settings.top_k]
    return draw.rng.choices(top, _weights(len(top), draw.settings.population))[0]


def _weights(count: int, population: int) -> list[float]:
    return [1 / (rank + population) for rank in range(1, count + 1)]


def fronts(points: Sequence[tuple[float, float]]) -> list[list[int]]:
    """Nondominated sorting, both components minimised: fronts of indices, best first."""
    left = list(range(len(points)))
    layers = []
    while left:
        front = [i for i in left if not any(_dominates(points[j], points[i]) for j in left)]
        layers.append(front)
        left = [i for i in left if i not in front]
    return layers


def _dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a != b and a[0] <= b[0] and a[1] <= b[1]


def competition_ranks(values: Sequence[float]) -> list[int]:
    """Rank from 1, smallest first; equal values share the better rank (1, 2, 2, 4)."""
    ordered = sorted(values)
    first: dict[float, int] = {}
    for position, value in enumerate(ordered, start=1):
        first.setdefault(value, position)
    return [first[value] for value in values]


def pareto_retain(candidates: Sequence[Candidate], settings: Settings) -> tuple[Candidate, ...]:
    """Keep N by fronts over (cost, -alignment), the last front cut by S = r_F + lambda r_A.

    The ranks are taken over all candidates: inside one front they mirror each other, and lambda
    would do nothing. Survivors come ordered by cost.
    """
    points = [(cost(c), -alignment(c, settings.align)) for c in candidates]
    r_f = competition_ranks([point[0] for point in points])
    r_a = competition_ranks([point[1] for point in points])
    order = by_cost(settings.align)
    kept: list[int] = []
    for front in fronts(points):
        room = settings.population - len(kept)
        front.sort(key=lambda i: (r_f[i] + settings.lambda_ * r_a[i], *order(candidates[i])))
        kept += front[:room]
    return tuple(sorted((candidates[i] for i in kept), key=order))


def cost_retain(candidates: Sequence[Candidate], settings: Settings) -> tuple[Candidate, ...]:
    """Keep the N of lowest cost."""
    return tuple(sorted(candidates, key=by_cost(settings.align))[: settings.population])


def distinct_cost_retain(
    candidates: Sequence[Candidate], settings: Settings
) -> tuple[Candidate, ...]:
    """EoH's survival: the N of lowest cost, the oldest of each distinct cost."""
    first: dict[float, Candidate] = {}
    for candidate in sorted(candidates, key=by_cost(settings.align)):
        first.setdefault(cost(candidate), candidate)
    return tuple(first.values())[: settings.population]


def generational_retain(
    candidates: Sequence[Candidate], settings: Settings
) -> tuple[Candidate, ...]:
    """ReEvo's survival: the newest generation replaces the older ones, all but the elite.

    A generation without a living child leaves the one before it in place.
    """
    newest = max((candidate.generation for candidate in candidates), default=0)
    best = min(candidates, key=by_cost(settings.align), default=None)
    kept = [c for c in candidates if c.generation == newest or c is best]
    return tuple(sorted(kept, key=by_cost(settings.align))[: settings.population])


def all_retain(candidates: Sequence[Candidate], settings: Settings) -> tuple[Candidate, ...]:
    """FunSearch's survival: every program that is alive, however many there are."""
    return tuple(sorted(candidates, key=by_cost(settings.align)))


def complementary_set_retain(
    candidates: Sequence[Candidate], settings: Settings
) -> tuple[Candidate, ...]:
    """EoH-S's survival: the best, then by turns who lowers the mean cost of the set the most.

    The cost of a set on an instance is that of its best program there.
    """
    left = sorted(candidates, key=by_cost(settings.align))
    kept = left[:1]
    reached = left[0].costs if left else ()
    while len(kept) < min(settings.population, len(candidates)):
        left.remove(kept[-1])
        kept.append(max(left, key=lambda c: complement(reached, c.costs)))
        reached = lower_costs(reached, kept[-1].costs)
    return tuple(sorted(kept, key=by_cost(settings.align)))


def dissimilar_retain(
    candidates: Sequence[Candidate], settings: Settings
) -> tuple[Candidate, ...]:
    """MEoH's survival on cost and alignment: the N least like the programs that dominate them.

    Likeness is the share of a dominating program's syntax that occurs in the dominated one, summed
    over those that are no worse in both; of two equals the older one dominates.
    """
    ranked = sorted(candidates, key=by_cost(settings.align))
    likeness = [
        math.fsum(
            syntax_match(better.program.code, member.program.code)
            for better in ranked[:place]
            if alignment(better, settings.align) >= alignment(member, settings.align)
        )
        for place, member in enumerate(ranked)
    ]
    kept = sorted(range(len(ranked)), key=lambda place: (likeness[place], place))
    return tuple(ranked[place] for place in sorted(kept[: settings.population]))


def distinct_retain(candidates: Sequence[Candidate], settings: Settings) -> tuple[Candidate, ...]:
    """Preceptor's survival: the N of lowest cost, one of those that behave alike."""
    order = by_cost(settings.align)
    return _spread_out(sorted(candidates, key=order), settings)


def distinct_pareto_retain(
    candidates: Sequence[Candidate], settings: Settings
) -> tuple[Candidate, ...]:
    """The same with agreement as second axis: the leader, then by S = r_F + lambda r_A."""
    order = by_cost(settings.align)
    r_f = competition_ranks([cost(c) for c in candidates])
    r_a = competition_ranks([-alignment(c, settings.align) for c in candidates])
    score = {c.id: f + settings.lambda_ * a for c, f, a in zip(candidates, r_f, r_a, strict=True)}
    leader = min(candidates, key=order, default=None)
    ranked = sorted(candidates, key=lambda c: (c is not leader, score[c.id], *order(c)))
    return _spread_out(ranked, settings)


def _spread_out(ranked: Sequence[Candidate], settings: Settings) -> tuple[Candidate, ...]:
    """The first N that do not behave as one before; those that do, where there is room left."""
    kept: list[Candidate] = []
    alike: list[Candidate] = []
    for candidate in ranked:
        far = _widest(candidate, ranked[: settings.population])
        twins = (_behave_alike(candidate, other, far) for other in kept)
        (alike if any(twins) else kept).append(candidate)
    survivors = (*kept, *alike)[: settings.population]
    return tuple(sorted(survivors, key=by_cost(settings.align)))


def _behave_alike(one: Candidate, other: Candidate, far: float) -> bool:
    """Whether two programs cost the same within noise and are good and bad at the same instances.

    Their costs then move together: their difference varies little beside `far`.
    """
    found = compare(one.costs, other.costs)
    return found is not None and abs(found.mean) <= NOISE * found.stderr <= NOISE * ALIKE * far


def _widest(candidate: Candidate, others: Sequence[Candidate]) -> float:
    """The largest standard error of the differences between a program and some others."""
    found = (compare(candidate.costs, other.costs) for other in others)
    return max((paired.stderr for paired in found if paired is not None), default=0.0)


def predicts_cost(seen: Sequence[Candidate], align: Align) -> bool:
    """Whether lower cost goes with more alignment among the better half of a run's programs.

    It does where their rank correlation is below 0 by more than its standard error.
    """
    known = [c for c in alive(seen) if known_alignment(c, align) is not None]
    known.sort(key=by_cost(align))
    half = known[: (len(known) + 1) // 2]
    found = correlate_ranks([cost(c) for c in half], [alignment(c, align) for c in half])
    return found is not None and found < -(((1 - found**2) / (len(half) - 2)) ** 0.5)


def lowest_cost(population: Sequence[Candidate], settings: Settings) -> Candidate:
    """The program a run returns: best task objective."""
    return min(population, key=by_cost(settings.align))


def highest_alignment(population: Sequence[Candidate], settings: Settings) -> Candidate:
    """The program that the ablation max-align reads off instead."""
    return min(population, key=by_alignment(settings.align))
