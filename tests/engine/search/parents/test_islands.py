"""Islands are filled, drawn from and founded anew as FunSearch's are."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.parents.islands import (
    island,
    island_of,
    populate,
    reset_worse_half,
    weigh_clusters,
    weigh_lengths,
)
from tests.engine.builders import candidate, program
from tests.engine.search.parents.histories import draw_from, histories

THREE = Settings(islands=3, children=3, island_generations=2)
SEEDS = [candidate(k, cost, costs=(cost, cost)) for k, cost in enumerate((9.0, 8.0))]


def child(number: int, cost: float, generation: int, slot: int) -> Candidate:
    """A child of the first seed."""
    born = candidate(number, cost, generation=generation, costs=(cost, cost), parents=("p0000",))
    return replace(born, slot=slot)


def ids(islands: list[list[Candidate]]) -> list[list[str]]:
    """The members of each island."""
    return [[member.id for member in members] for members in islands]


def test_slots_take_the_islands_in_turn() -> None:
    settings = Settings(islands=4, children=5)
    taken = [island_of(g, slot, settings) for g in (1, 2, 3, 4) for slot in range(5)]
    assert Counter(taken) == dict.fromkeys(range(4), 5)


def test_first_programs_are_on_all_islands_and_children_on_that_of_their_slot() -> None:
    seen = [*SEEDS, *(child(2 + slot, 7.0 - slot, 1, slot) for slot in range(3))]
    assert ids(populate(seen, THREE, 2)) == [
        ["p0000", "p0001", "p0002"],
        ["p0000", "p0001", "p0003"],
        ["p0000", "p0001", "p0004"],
    ]


def test_the_worse_half_begins_anew_with_the_best_of_a_better_one() -> None:
    first = [child(2 + slot, (7.0, 5.0, 6.0)[slot], 1, slot) for slot in range(3)]
    late = child(5, 4.0, 3, 0)
    seen = [*SEEDS, *first, late]
    assert ids(populate(seen, THREE, 2))[0] == ["p0000", "p0001", "p0002"]
    # After generation 2 island 0, whose best costs 7, begins with the best of island 1.
    assert ids(populate(seen, THREE, 3)) == [
        ["p0003", "p0005"],
        ["p0000", "p0001", "p0003"],
        ["p0000", "p0001", "p0004"],
    ]


def test_half_of_the_islands_rounded_down_begins_anew() -> None:
    for count in range(1, 8):
        islands = [[candidate(k, float(k))] * 2 for k in range(count)]
        renewed = reset_worse_half(islands, Settings())
        kept = count - count // 2
        assert renewed[:kept] == islands[:kept]
        assert [[c.slot for c in members] for members in renewed[kept:]] == [
            [k] for k in range(count // 2)
        ]


def test_clusters_are_weighed_by_cost_and_programs_by_length() -> None:
    one, two, three = weigh_clusters([100.0, 101.0, 110.0], 0)
    assert (one, two, three) == pytest.approx((1.0, math.exp(-0.1), math.exp(-1.0)))
    colder = weigh_clusters([100.0, 101.0], 15_000)
    assert colder[1] == pytest.approx(math.exp(-0.2))
    assert weigh_lengths([50, 100]) == pytest.approx([1.0, math.exp(-0.5)], abs=1e-6)


def test_a_cluster_is_drawn_first_and_then_a_program_of_it() -> None:
    same = [replace(candidate(k, 5.0, costs=(5.0, 5.0)), slot=0) for k in (0, 1, 2)]
    same[2] = replace(same[2], program=program("x" * 400))
    other = candidate(3, 5.0, costs=(4.0, 6.0))
    drawn = Counter[str]()
    for seed in range(6000):
        found = island(draw_from([*same, other], settings=THREE, seed=seed))
        assert found is not None
        drawn[found.id] += 1
    assert drawn["p0003"] / 6000 == pytest.approx(1 / 2, abs=0.03)
    assert drawn["p0000"] > drawn["p0002"] and drawn["p0001"] > drawn["p0002"]


def test_an_island_of_one_cluster_shows_one_version() -> None:
    one = candidate(0, 5.0, costs=(5.0,))
    assert island(draw_from([one], settings=THREE)) == one
    assert island(draw_from([one], [one], settings=THREE)) is None


@given(histories(), st.integers(1, 6), st.integers(0, 9), st.integers(1, 5))
def test_what_is_drawn_is_alive_and_on_the_slots_island(
    seen: list[Candidate], generation: int, slot: int, islands: int
) -> None:
    settings = Settings(islands=islands, island_generations=2)
    filled = populate(seen, settings, generation)
    draw = draw_from(seen, settings=settings, generation=generation, slot=slot)
    first = island(draw)
    assert first is not None and first.failure is None
    home = filled[island_of(generation, slot, settings)]
    assert first in (home or draw.population)
    second = island(replace(draw, drawn=[first]))
    assert (second is None) == (len({c.costs for c in home or draw.population}) == 1)
    best = min(c.cost for c in seen if c.cost is not None and c.generation <= generation)
    assert best in {c.cost for members in filled for c in members}
