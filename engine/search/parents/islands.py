"""Islands of programs, as in FunSearch (Romera-Paredes et al. 2024).

A program without parents is on every island, a child on that of its slot; slots take the islands
in turn. Every few generations the worse half of the islands begins again, each with the best
program of one of the better half. Programs that cost the same on each instance are a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.domain.search_state import alive
from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.selection import Draw, by_cost, cost

TEMPERATURE = 0.1
PERIOD = 30_000
"""Published: clusters are drawn at this temperature, which falls to 0 over so many programs.

Published scores are in units of their task; ours are shares of the lowest cost of the island.
"""


def island(draw: Draw) -> Candidate | None:
    """A program of the slot's island: a good cluster, then a short program of it.

    None where the island has no second cluster to draw from.
    """
    number = island_of(draw.generation, draw.slot, draw.settings)
    islands = populate(draw.seen, draw.settings, draw.generation)
    members = islands[number] or list(draw.population)
    clusters: dict[tuple[float | None, ...], list[Candidate]] = {}
    for member in members:
        clusters.setdefault(member.costs or (member.cost,), []).append(member)
    if len(draw.drawn) >= len(clusters):
        return None
    groups = list(clusters.values())
    weights = weigh_clusters([cost(group[0]) for group in groups], len(members))
    group = draw.rng.choices(groups, weights)[0]
    return draw.rng.choices(group, weigh_lengths([len(c.program.code) for c in group]))[0]


def island_of(generation: int, slot: int, settings: Settings) -> int:
    """The number of the island that a slot draws from and gives its child to."""
    return (generation * settings.children + slot) % settings.islands


def populate(
    seen: Sequence[Candidate], settings: Settings, generation: int
) -> list[list[Candidate]]:
    """The members of each island when a generation is drawn, in the order in which they came."""
    islands: list[list[Candidate]] = [[] for _ in range(settings.islands)]
    born: dict[int, list[Candidate]] = {}
    for candidate in alive(seen):
        born.setdefault(candidate.generation, []).append(candidate)
    for when in range(generation + 1):
        if when > 1 and (when - 1) % settings.island_generations == 0:
            islands = reset_worse_half(islands, settings)
        for candidate in born.get(when, ()):
            home = island_of(when, candidate.slot, settings)
            for number in [home] if candidate.parents else range(settings.islands):
                islands[number].append(candidate)
    return islands


def reset_worse_half(
    islands: Sequence[Sequence[Candidate]], settings: Settings
) -> list[list[Candidate]]:
    """The islands, the worse half each with nothing but the best program of a better one."""
    order = by_cost(settings.align)
    bests = [min(members, key=order, default=None) for members in islands]
    ranked = sorted(
        range(len(islands)),
        key=lambda n: (math.inf,) if (best := bests[n]) is None else order(best),
    )
    worse = ranked[len(ranked) - len(ranked) // 2 :]
    renewed = [list(members) for members in islands]
    for number, better in zip(worse, ranked, strict=False):
        founder = bests[better]
        renewed[number] = [] if founder is None else [founder]
    return renewed


def weigh_clusters(costs: Sequence[float], members: int) -> list[float]:
    """How likely each cluster is drawn: a softmax of minus its cost, colder the more members."""
    best = min(costs)
    scale = abs(best) or 1.0
    temperature = TEMPERATURE * (1 - members % PERIOD / PERIOD)
    return [math.exp((best - each) / scale / temperature) for each in costs]


def weigh_lengths(lengths: Sequence[int]) -> list[float]:
    """How likely each program of a cluster is drawn: a softmax that favours short ones."""
    shortest = min(lengths)
    longest = max(lengths) + 1e-6
    return [math.exp((shortest - length) / longest) for length in lengths]
