"""Who becomes a parent and who survives (paper, "Parent sampling", "Population Management")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from engine.domain.specs.settings import Align, Settings
    from engine.domain.values import Candidate

    Key = Callable[[Candidate], tuple[float, ...]]
    Sampler = Callable[["Draw"], Candidate]


def alignment(candidate: Candidate, align: Align) -> float:
    """The alignment signal; -1 where it is missing, which is below every real one."""
    value = None if candidate.diagnostics is None else getattr(candidate.diagnostics, align)
    return -1.0 if value is None else float(value)


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
    candidates of the run.
    """

    population: Sequence[Candidate]
    drawn: Sequence[Candidate]
    settings: Settings
    rng: random.Random
    used: frozenset[str] = frozenset()
    seen: Sequence[Candidate] = ()

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
    """EoH's draw: the whole population by cost, weight 1/(r + N), with replacement."""
    ranked = sorted(draw.population, key=by_cost(draw.settings.align))
    return draw.rng.choices(ranked, _weights(len(ranked), draw.settings.population))[0]


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


def lowest_cost(population: Sequence[Candidate], settings: Settings) -> Candidate:
    """The program a run returns: best task objective."""
    return min(population, key=by_cost(settings.align))


def highest_alignment(population: Sequence[Candidate], settings: Settings) -> Candidate:
    """The program that the ablation max-align reads off instead."""
    return min(population, key=by_alignment(settings.align))
