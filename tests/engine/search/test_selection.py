"""Parents and survivors are chosen as the paper and design 3 say."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.selection import (
    Draw,
    alignment_ranked,
    all_retain,
    any_ranked,
    better_of_pair,
    competition_ranks,
    complementary,
    complementary_set_retain,
    contenders,
    cost_retain,
    dissimilar_retain,
    distinct_cost_retain,
    distinct_pareto_retain,
    distinct_retain,
    elite,
    favoured,
    fronts,
    generational_retain,
    highest_alignment,
    lowest_cost,
    objective_ranked,
    other_ranked,
    pareto_retain,
    predicts_cost,
    relatives,
    worse_of_pair,
)
from tests.engine.builders import candidate, program

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


def test_eoh_weighs_ranks_by_the_size_that_the_population_has() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(3)]
    drawn = _draws(any_ranked, pool, [])
    total = sum(1 / (r + 3) for r in (1, 2, 3))
    assert drawn[0] / 20_000 == pytest.approx((1 / 4) / total, abs=0.01)


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


def test_the_leader_has_the_first_slot_and_a_good_share_of_the_others() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(10)]
    drawn = _draws(favoured, pool, [])
    total = sum(1 / rank for rank in range(1, 11))
    assert drawn[0] / 20_000 == pytest.approx(1 / total, abs=0.01)
    assert drawn[9] / 20_000 == pytest.approx(0.1 / total, abs=0.01)
    leading = Draw(pool[::-1], [], Settings(), random.Random(1), slot=0)
    assert {favoured(leading).slot for _ in range(20)} == {0}


def test_an_operator_takes_nobody_twice_while_there_are_others() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(3)]
    used = frozenset({"p0000", "p0002"})
    draw = Draw(pool, [], Settings(), random.Random(1), used=used)
    assert {favoured(draw).slot for _ in range(20)} == {1}
    everyone = Draw(pool, [], Settings(), random.Random(1), used=used | {"p0001"})
    assert {favoured(everyone).slot for _ in range(60)} == {0, 1, 2}


def rivals(*gaps: float) -> list[Candidate]:
    """Programs so far behind the first, with a standard error of 0.1 on four instances."""
    noise = (0.1, -0.1, 0.1, -0.1)
    scale = 3**0.5
    own = (5.0, 6.0, 7.0, 8.0)
    return [
        candidate(
            k,
            6.5 + gap,
            costs=tuple(
                cost + gap + (scale * error if k else 0.0)
                for cost, error in zip(own, noise, strict=True)
            ),
        )
        for k, gap in enumerate((0.0, *gaps))
    ]


def test_nobody_far_behind_the_best_is_a_parent_while_there_are_others() -> None:
    pool = rivals(0.5, 1.5, 1.7, 5.0)
    near = {c.slot for c in contenders(pool, "agreement")}
    assert near == {0, 1, 2}
    draw = Draw(pool, [], Settings(), random.Random(1))
    assert {favoured(replace(draw, slot=2)).slot for _ in range(200)} == near
    second = replace(draw, drawn=pool[:1], seen=pool)
    assert {complementary(second).slot for _ in range(200)} == {1, 2}


def test_where_everyone_else_is_far_behind_the_partner_is_the_best_of_these() -> None:
    pool = rivals(3.0, 2.0, 4.0)
    draw = Draw(pool, pool[:1], Settings(), random.Random(1), seen=pool)
    assert {complementary(draw).slot for _ in range(100)} == {2}
    assert {favoured(replace(draw, drawn=[], used=frozenset({"p0000"}))).slot} == {0}


FIRST = candidate(0, 3.0, costs=(1.0, 1.0, 7.0))
STRONGER_EVERYWHERE_ELSE = candidate(1, 4.0, costs=(6.0, 5.0, 1.0))
A_LITTLE_BETTER = candidate(2, 2.9, costs=(1.0, 0.9, 6.8))


def _partners(seen: list[Candidate], population: list[Candidate]) -> Counter[int]:
    rng = random.Random(1)
    draw = Draw(population, [FIRST], Settings(), rng, seen=seen)
    return Counter(complementary(draw).slot for _ in range(2_000))


def test_a_partner_is_rather_one_that_is_better_where_the_first_is_bad() -> None:
    pool = [FIRST, STRONGER_EVERYWHERE_ELSE, A_LITTLE_BETTER]
    drawn = _partners(pool, pool)
    assert set(drawn) == {1, 2}
    assert drawn[1] / 2_000 == pytest.approx(2 / 3, abs=0.05)


def test_a_partner_is_no_kin_as_long_as_there_are_others() -> None:
    child = replace(STRONGER_EVERYWHERE_ELSE, generation=1, parents=("p0000", "p0002"))
    assert set(_partners([FIRST, A_LITTLE_BETTER, child], [FIRST, A_LITTLE_BETTER, child])) == {2}
    assert set(_partners([FIRST, A_LITTLE_BETTER, child], [FIRST, child])) == {1}


def test_a_partner_of_the_only_survivor_comes_from_earlier_programs() -> None:
    assert set(_partners([FIRST, A_LITTLE_BETTER], [FIRST])) == {2}
    assert set(_partners([FIRST], [FIRST])) == {0}


def test_kin_are_ancestors_and_descendants_but_not_cousins() -> None:
    tree = {0: (), 1: (), 2: (0,), 3: (0, 1), 4: (2,), 5: (4, 3)}
    seen = [
        candidate(slot, 1.0, parents=tuple(f"p{parent:04d}" for parent in parents))
        for slot, parents in tree.items()
    ]
    assert relatives(seen[2], seen) == {"p0000", "p0002", "p0004", "p0005"}
    assert relatives(seen[3], seen) == {"p0000", "p0001", "p0003", "p0005"}


def _walk(seed: int, size: int = 20) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(100, 10) for _ in range(size)]


def _costing(slot: int, costs: list[float], agreement: float | None = None) -> Candidate:
    mean = sum(costs) / len(costs)
    return candidate(slot, mean, agreement, costs=tuple(costs))


def test_programs_that_behave_alike_leave_room_for_others() -> None:
    leader = _walk(0)
    nearly = [cost + 0.5 * (-1) ** k for k, cost in enumerate(leader)]
    others = [[cost + 5 for cost in _walk(seed)] for seed in (3, 4, 5)]
    pool = [_costing(k, costs) for k, costs in enumerate([leader, leader, nearly, *others])]
    kept = distinct_retain(pool, Settings(population=4))
    assert {c.slot for c in kept} == {0, 3, 4, 5}
    assert [c.cost for c in kept] == sorted(c.cost for c in kept if c.cost is not None)


def test_programs_that_behave_alike_but_cost_clearly_less_count_by_themselves() -> None:
    leader = _walk(0)
    pool = [
        _costing(k, [cost + gap + 0.1 * (-1) ** n for n, cost in enumerate(leader)])
        for k, gap in enumerate((0.0, 1.0, 2.0))
    ]
    pool[1] = replace(pool[1], costs=tuple(cost + 0.1 for cost in pool[1].costs if cost))
    assert len(distinct_retain(pool, Settings(population=3))) == 3


def test_twins_fill_the_room_that_is_left() -> None:
    pool = [_costing(k, _walk(0)) for k in range(4)]
    assert [c.slot for c in distinct_retain(pool, Settings(population=3))] == [0, 1, 2]
    assert distinct_retain([], Settings()) == ()


def test_a_set_takes_who_lowers_its_mean_the_most() -> None:
    specialist = _costing(1, [9.0, 9.0, 1.0])
    pool = [_costing(0, [3.0, 3.0, 9.0]), specialist, _costing(2, [3.0, 2.0, 9.5])]
    kept = complementary_set_retain(pool, Settings(population=2))
    assert [c.slot for c in kept] == [2, 1]  # the best mean first; 0 would save nothing but 0.5
    everyone = complementary_set_retain(pool, Settings(population=5))
    assert [c.slot for c in everyone] == [2, 0, 1]


def test_who_adds_nothing_to_a_set_fills_it_up_by_cost() -> None:
    pool = [_costing(k, [float(k), float(k)]) for k in (4, 2, 3, 1)]
    kept = complementary_set_retain(pool, Settings(population=3))
    assert [c.slot for c in kept] == [1, 2, 3]
    assert complementary_set_retain([], Settings()) == ()


COLUMNS = st.lists(st.tuples(*[st.integers(0, 9).map(float)] * 4), max_size=8)


@given(COLUMNS, st.integers(2, 9))
def test_a_set_holds_the_leader_and_each_member_was_the_best_addition(
    columns: list[tuple[float, ...]], population: int
) -> None:
    pool = [_costing(k, list(column)) for k, column in enumerate(columns)]
    kept = complementary_set_retain(pool, Settings(population=population))
    assert len({c.id for c in kept}) == len(kept) == min(population, len(pool))
    assert [c.cost for c in kept] == sorted(c.cost for c in kept if c.cost is not None)
    if not kept:
        return
    assert lowest_cost(pool, Settings()) in kept
    smaller = complementary_set_retain(pool, Settings(population=max(2, population - 1)))
    assert {c.id for c in smaller} <= {c.id for c in kept}
    reached = sum(map(min, zip(*(c.costs for c in smaller), strict=True)))
    best = sum(map(min, zip(*(c.costs for c in kept), strict=True)))
    left = [c for c in pool if c not in smaller]
    if len(kept) > len(smaller):
        gains = [sum(map(min, zip(*(m.costs for m in (*smaller, c)), strict=True))) for c in left]
        assert best == min(gains) <= reached


def _written(slot: int, cost: float, agreement: float, code: str) -> Candidate:
    return replace(candidate(slot, cost, agreement), program=program(code))


PLAIN = "def score(a):\n    return a.x\n"
RENAMED = "def score(b):\n    return b.y\n"
LOOPED = "def score(a):\n    for k in a:\n        k += 1\n    return a\n"


def test_of_dominated_programs_those_survive_that_are_unlike_the_better_ones() -> None:
    pool = [
        _written(0, 1.0, 0.5, PLAIN),
        _written(1, 2.0, 0.4, RENAMED),
        _written(2, 9.0, 0.1, LOOPED),
        _written(3, 3.0, 0.9, RENAMED),
    ]
    kept = dissimilar_retain(pool, Settings(population=3))
    assert [c.slot for c in kept] == [0, 3, 2]  # 3 is dominated by nobody, 2 is unlike the others
    assert [c.slot for c in dissimilar_retain(pool, Settings(population=9))] == [0, 1, 3, 2]
    assert dissimilar_retain([], Settings()) == ()


def test_only_cheaper_programs_count_against_one_that_is_like_them() -> None:
    """The dearer one is like the cheaper one and agrees more: that is no reason against either."""
    pool = [
        _written(0, 1.0, 0.5, PLAIN),
        _written(1, 2.0, 0.9, RENAMED),
        _written(2, 3.0, 0.4, LOOPED),
    ]
    assert [c.slot for c in dissimilar_retain(pool, Settings(population=2))] == [0, 1]


@given(POINTS, st.integers(2, 9))
def test_whom_nobody_dominates_survives_as_long_as_there_is_room(
    points: list[tuple[float, float]], population: int
) -> None:
    texts = (PLAIN, RENAMED, LOOPED)
    pool = [_written(k, cost, a / 10, texts[k % 3]) for k, (cost, a) in enumerate(points)]
    kept = dissimilar_retain(pool, Settings(population=population))
    assert len({c.id for c in kept}) == len(kept) == min(population, len(pool))
    assert kept[0] == lowest_cost(pool, Settings())
    free = {pool[i].id for i in fronts([(cost, -a) for cost, a in points])[0]}
    first = {points[int(c.id[1:])] for c in pool if c.id in free}
    if len(first) <= population:
        assert first <= {points[int(c.id[1:])] for c in kept}


def test_nobody_is_dropped_where_all_survive() -> None:
    pool = [candidate(k, float(9 - k)) for k in range(9)]
    assert [c.slot for c in all_retain(pool, Settings(population=3))] == [*range(8, -1, -1)]


def test_the_other_parent_is_another_one_while_there_is_one() -> None:
    pool = [candidate(k, cost=float(k)) for k in range(3)]
    drawn = _draws(other_ranked, pool, [pool[0]])
    assert set(drawn) == {1, 2}
    assert drawn[1] / 20_000 == pytest.approx((1 / 3) / (1 / 3 + 1 / 4), abs=0.01)
    assert set(_draws(other_ranked, pool[:1], [pool[0]])) == {0}


def test_the_second_axis_breaks_near_ties_in_cost_and_never_drops_the_leader() -> None:
    pool = [candidate(k, float(k), agreement) for k, agreement in enumerate((0.1, 0.5, 0.2, 0.9))]
    kept = distinct_pareto_retain(pool, Settings(population=3, lambda_=0.9))
    # S: 1 = 2 + 0.9 * 2 = 3.8, 2 = 3 + 0.9 * 3 = 5.7, 3 = 4 + 0.9 * 1 = 4.9
    assert [c.slot for c in kept] == [0, 1, 3]
    assert distinct_pareto_retain([], Settings()) == ()


def test_agreement_predicts_cost_where_the_better_half_says_so() -> None:
    down = [candidate(k, float(k), agreement=0.9 - k / 30) for k in range(12)]
    up = [candidate(k, float(k), agreement=0.1 + k / 30) for k in range(12)]
    flat = [candidate(k, float(k), agreement=0.5) for k in range(12)]
    good_half_up = [*up[:6], *(candidate(k, float(k), agreement=0.0) for k in range(6, 12))]
    assert predicts_cost(down, "agreement")
    assert not any(predicts_cost(pool, "agreement") for pool in (up, flat, good_half_up))
    assert not predicts_cost(down[:8], "agreement")  # a half of four says nothing
    good_half_down, good_half_flat = [*down[:6], *up[6:]], [*flat[:6], *down[6:]]
    for pool in (good_half_down, good_half_down[::-1]):  # in whatever order they were seen
        assert predicts_cost(pool, "agreement")
    for pool in (good_half_flat[::-1], good_half_up[::-1], [*up[:6], *down[6:]][::-1]):
        assert not predicts_cost(pool, "agreement")
    assert not predicts_cost([replace(c, diagnostics=None) for c in down], "agreement")
