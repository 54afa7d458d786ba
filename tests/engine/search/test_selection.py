"""Parents and survivors are chosen as the paper and design 3 say."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.search.selection import (
    Draw,
    alignment_ranked,
    any_ranked,
    better_of_pair,
    competition_ranks,
    cost_retain,
    distinct_cost_retain,
    elite,
    fronts,
    generational_retain,
    highest_alignment,
    lowest_cost,
    objective_ranked,
    pareto_retain,
    worse_of_pair,
)
from tests.engine.builders import candidate

if TYPE_CHECKING:
    from engine.domain.values import Candidate

POINTS = st.lists(
    st.tuples(st.integers(0, 6).map(float), st.integers(0, 6).map(float)), min_size=1, max_size=14
)


def test_equal_values_share_the_better_rank() -> None:
    assert competition_ranks([5.0, 1.0, 1.0, 9.0]) == [3, 1, 1, 4]


@given(POINTS)
def test_no_point_of_a_front_dominates_another_and_each_later_one_is_dominated(
    points: list[tuple[float, float]],
) -> None:
    layers = fronts(points)
    assert sorted(i for layer in layers for i in layer) == list(range(len(points)))
    for above, layer in zip([None, *layers], layers, strict=False):
        for i in layer:
            assert not any(_dominates(points[j], points[i]) for j in layer)
            assert above is None or any(_dominates(points[j], points[i]) for j in above)


def _dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a != b and a[0] <= b[0] and a[1] <= b[1]


def test_the_best_cost_always_survives() -> None:
    pool = [candidate(k, cost=100.0 - k, agreement=0.9 - k / 20) for k in range(15)]
    kept = pareto_retain(pool, Settings(population=3))
    assert kept[0].id == "p0014"
    assert [c.cost for c in kept] == sorted(c.cost for c in kept if c.cost is not None)


def test_the_last_front_is_cut_by_ranks_over_the_whole_pool() -> None:
    # Inside the front {a, b, c} the two ranks mirror each other; the dominated d and e lie between
    # b and c in cost, which is what makes c's cost rank worse than its place in the front.
    pool = [
        candidate(0, cost=1.0, agreement=0.1),
        candidate(1, cost=2.0, agreement=0.2),
        candidate(2, cost=9.0, agreement=0.9),
        candidate(3, cost=3.0, agreement=0.15),
        candidate(4, cost=4.0, agreement=0.12),
    ]
    kept = pareto_retain(pool, Settings(population=2, lambda_=0.5))
    # S: a = 1 + 0.5 * 5 = 3.5, b = 2 + 0.5 * 2 = 3.0, c = 5 + 0.5 * 1 = 5.5
    assert [c.id for c in kept] == ["p0000", "p0001"]


def test_a_missing_agreement_is_dominated_by_any_real_one() -> None:
    pool = [candidate(0, cost=5.0), candidate(1, cost=5.0, agreement=0.0)]
    assert pareto_retain(pool, Settings(population=2))[0].id == "p0001"


def test_equal_cost_and_agreement_go_to_the_older() -> None:
    pool = [candidate(9, 5.0, 0.5, generation=1), candidate(3, 5.0, 0.5, generation=2)]
    assert lowest_cost(pool, Settings()).id == "p0009"


def test_a_population_larger_than_its_pool_keeps_everyone() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(4)]
    assert len(pareto_retain(pool, Settings(population=10))) == 4


def test_survival_by_cost_ignores_agreement() -> None:
    pool = [candidate(k, cost=float(k), agreement=k / 10) for k in range(6)]
    assert [c.slot for c in cost_retain(pool, Settings(population=3))] == [0, 1, 2]


def test_survival_by_distinct_cost_keeps_the_oldest_of_equals() -> None:
    pool = [candidate(0, 2.0), candidate(1, 1.0), candidate(2, 1.0), candidate(3, 3.0)]
    kept = distinct_cost_retain(pool, Settings(population=3))
    assert [c.slot for c in kept] == [1, 0, 3]


def test_max_align_reads_off_the_highest_agreement() -> None:
    pool = [candidate(0, 1.0, 0.2), candidate(1, 9.0, 0.8)]
    assert highest_alignment(pool, Settings()).slot == 1


def _draws(sampler: object, pool: list[Candidate], drawn: list[Candidate]) -> Counter[int]:
    rng = random.Random(1)
    settings = Settings(population=10, top_k=5)
    assert callable(sampler)
    draw = Draw(pool, drawn, settings, rng)
    return Counter(sampler(draw).slot for _ in range(20_000))


def test_only_the_top_k_by_cost_become_parents_weighted_by_rank() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(10)]
    drawn = _draws(objective_ranked, pool, [])
    assert set(drawn) == {0, 1, 2, 3, 4}
    total = sum(1 / (r + 10) for r in range(1, 6))
    assert drawn[0] / 20_000 == pytest.approx((1 / 11) / total, abs=0.01)
    assert drawn[4] / 20_000 == pytest.approx((1 / 15) / total, abs=0.01)


def test_the_second_parent_of_a_fusion_is_another_one() -> None:
    pool = [candidate(k, cost=float(k), agreement=1 - k / 10) for k in range(10)]
    drawn = _draws(alignment_ranked, pool, [pool[0]])
    assert set(drawn) == {1, 2, 3, 4, 5}


def test_a_lone_member_is_its_own_partner() -> None:
    pool = [candidate(0, cost=1.0, agreement=0.5)]
    assert set(_draws(alignment_ranked, pool, [pool[0]])) == {0}


def test_eoh_draws_from_the_whole_population() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(10)]
    drawn = _draws(any_ranked, pool, [])
    assert set(drawn) == set(range(10))
    assert drawn[0] > drawn[9]
    assert drawn[0] / drawn[9] == pytest.approx(20 / 11, abs=0.25)


def test_every_pair_of_unequal_cost_is_equally_likely_the_better_first() -> None:
    pool = [candidate(k, cost=cost) for k, cost in enumerate([1.0, 2.0, 2.0, 5.0])]
    rng, pairs = random.Random(1), Counter[tuple[int, int]]()
    for _ in range(20_000):
        better = better_of_pair(Draw(pool, [], Settings(), rng))
        worse = worse_of_pair(Draw(pool, [better], Settings(), rng))
        pairs[better.slot, worse.slot] += 1
    assert set(pairs) == {(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    assert all(count / 20_000 == pytest.approx(1 / 5, abs=0.02) for count in pairs.values())


def test_a_pair_of_equals_is_still_two_different_members() -> None:
    pool = [candidate(k, cost=1.0) for k in range(3)]
    assert set(_draws(better_of_pair, pool, [])) == {0, 1, 2}
    assert set(_draws(worse_of_pair, pool, [pool[1]])) == {0, 2}
    assert set(_draws(worse_of_pair, pool[:1], [pool[0]])) == {0}


def test_the_elite_is_the_oldest_of_lowest_cost() -> None:
    pool = [candidate(0, 2.0), candidate(2, 1.0, generation=2), candidate(1, 1.0, generation=1)]
    assert set(_draws(elite, pool, [])) == {1}


def test_a_new_generation_replaces_the_old_one_all_but_the_elite() -> None:
    old = [candidate(k, cost=float(k)) for k in range(4)]
    new = [candidate(k, cost=float(k), generation=1) for k in (4, 5, 6)]
    assert [c.slot for c in generational_retain([*old, *new], Settings())] == [0, 4, 5, 6]
    assert [c.slot for c in generational_retain([*old, *new], Settings(population=2))] == [0, 4]
    assert [c.slot for c in generational_retain(old, Settings())] == [0, 1, 2, 3]
    assert generational_retain([], Settings()) == ()
