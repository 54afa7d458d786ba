"""Statistics agree with values that are known or counted by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from engine.report.statistics import (
    Contrast,
    adjust,
    caveat,
    contrast,
    flip_signs,
    seeds_needed,
    smallest_p,
    spread,
)


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


def test_a_contrast_pairs_by_seed_and_drops_seeds_that_one_lacks() -> None:
    found = contrast({0: 12.0, 1: 24.0, 2: 99.0}, {0: 10.0, 1: 20.0, 3: 1.0})
    assert found is not None
    assert (found.mean, found.seeds, found.percent) == (3.0, 2, 20.0)
    half = 12.706204736 * 1.0  # Student's 97.5 % quantile of one degree of freedom
    assert found.low == pytest.approx(3.0 - half)
    assert found.high == pytest.approx(3.0 + half)
    assert found.p == pytest.approx(0.2048327647)
    assert found.holds_zero


def test_a_contrast_of_one_seed_has_no_interval_and_of_none_is_none() -> None:
    found = contrast({4: 3.0}, {4: 2.0})
    assert found is not None
    assert (found.low, found.high, found.p, found.holds_zero) == (None, None, None, False)
    assert contrast({1: 3.0}, {2: 2.0}) is None


def test_differences_without_spread_are_told_from_none() -> None:
    seeds = range(3)
    alike = contrast(dict.fromkeys(seeds, 2.0), dict.fromkeys(seeds, 2.0))
    apart = contrast(dict.fromkeys(seeds, 3.0), dict.fromkeys(seeds, 2.0))
    assert alike is not None
    assert apart is not None
    assert (alike.p, apart.p) == (1.0, 0.0)


def test_holm_adjusts_from_the_smallest_up() -> None:
    assert adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust([0.9, 0.8]) == [1.0, 1.0]
    assert adjust([]) == []


def simulate_studies(seeds: int, studies: int, effect: float) -> list[Contrast]:
    """Two methods that differ by `effect`, on seeds that matter to both: paired runs."""
    rng = np.random.default_rng(11)
    shared = rng.normal(0, 30, (studies, seeds))
    one = 1800 + effect + shared + rng.normal(0, 12, (studies, seeds))
    other = 1800 + shared + rng.normal(0, 12, (studies, seeds))
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    found = [contrast(dict(enumerate(a)), dict(enumerate(b))) for a, b in pairs]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_equal_methods_are_told_apart_in_one_study_of_twenty(seeds: int) -> None:
    found = simulate_studies(seeds, 4000, 0.0)
    alarms = sum(one.p is not None and one.p < 0.05 for one in found) / len(found)
    assert alarms == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_intervals_hold_the_true_difference_as_often_as_they_say(seeds: int) -> None:
    found = simulate_studies(seeds, 4000, 9.0)
    held = sum(
        one.low is not None and one.high is not None and one.low <= 9.0 <= one.high
        for one in found
    )
    assert held / len(found) == pytest.approx(0.95, abs=0.02)


def test_a_family_of_equal_methods_seldom_has_any_false_alarm() -> None:
    found = [one.p or 0.0 for one in simulate_studies(5, 8000, 0.0)]
    families = [found[at : at + 8] for at in range(0, len(found), 8)]
    alarms = sum(min(adjust(family)) < 0.05 for family in families) / len(families)
    assert alarms <= 0.07


def test_so_many_seeds_see_a_difference_as_often_as_promised() -> None:
    deviation = math.sqrt(2) * 12
    seeds = seeds_needed(deviation, 18.0)
    assert seeds is not None
    found = simulate_studies(seeds, 4000, 18.0)
    seen = sum(one.p is not None and one.p < 0.05 for one in found) / len(found)
    assert 0.75 <= seen <= 0.92


def test_ten_seeds_see_a_difference_of_one_deviation_and_34_one_of_half_of_it() -> None:
    assert (seeds_needed(1.0, 1.0), seeds_needed(2.0, 1.0), seeds_needed(0.5, 1.0)) == (10, 34, 5)
    assert seeds_needed(1.0, 1e-6) is None


def test_the_smallest_p_is_that_of_all_signs_equal() -> None:
    assert smallest_p(5) == flip_signs([1.0] * 5) == 2 / 32


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
