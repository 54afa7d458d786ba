"""Statistics agree with values that are known or counted by hand."""

from __future__ import annotations

import math
import random

import pytest

from engine.report.statistics import caveat, flip_signs, interval, spread


def test_spread_is_the_mean_with_the_sample_deviation() -> None:
    found = spread([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])
    assert found is not None
    assert (found.mean, found.count) == (5.0, 8)
    assert found.deviation == pytest.approx(math.sqrt(32 / 7))


def test_one_value_has_no_spread_and_none_has_no_mean() -> None:
    alone = spread([3.0])
    assert alone is not None
    assert (alone.mean, alone.deviation) == (3.0, 0.0)
    assert spread([]) is None


def test_an_interval_of_equal_values_is_a_point() -> None:
    found = interval([[7.0] * 4] * 3)
    assert (found.low, found.high) == (7.0, 7.0)


def test_seeds_that_differ_widen_an_interval_as_far_as_they_go() -> None:
    found = interval([[10.0] * 50, [20.0] * 50])
    assert (found.low, found.high) == (10.0, 20.0)


def test_an_interval_over_instances_is_near_the_normal_one() -> None:
    dice = random.Random(5)
    values = [dice.gauss(100, 10) for _ in range(400)]
    found, known = interval([values]), spread(values)
    assert known is not None
    half = 1.96 * known.deviation / math.sqrt(400)
    assert found.low == pytest.approx(known.mean - half, abs=0.15)
    assert found.high == pytest.approx(known.mean + half, abs=0.15)


def test_the_same_figures_give_the_same_interval() -> None:
    costs = [[1.0, 5.0, 2.0], [3.0, 8.0, 1.0]]
    assert interval(costs) == interval(costs)


@pytest.mark.parametrize(
    ("gaps", "p"),
    [
        ([1.0] * 10, 2 / 1024),  # only all plus and all minus are as far from 0
        ([3.0, -1.0], 1.0),  # sums 4, 2, -2, -4: two are as far as 2, and two are farther
        ([1.0, 2.0, 3.0], 2 / 8),
        ([0.0, 0.0], 1.0),
        ([0.1, 0.2, -0.3], 1.0),
    ],
)
def test_the_sign_flip_test_counts_patterns_of_signs(gaps: list[float], p: float) -> None:
    assert flip_signs(gaps) == p


def test_many_instances_are_tested_by_drawn_patterns() -> None:
    dice = random.Random(3)
    gaps = [dice.gauss(2.0, 10.0) for _ in range(100)]
    known = spread(gaps)
    assert known is not None
    z = known.mean / (math.sqrt(math.fsum(g * g for g in gaps)) / len(gaps))
    assert flip_signs(gaps) == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.01)
    assert flip_signs([1.0] * 30) == 1 / 20_001


def test_fewer_than_five_seeds_are_too_few_for_a_claim() -> None:
    assert caveat(1) == "1 seed: too few for a claim about methods"
    assert caveat(4) == "4 seeds: too few for a claim about methods"
    assert caveat(5) == ""
