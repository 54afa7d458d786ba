"""From scores to a verdict."""

from __future__ import annotations

import math

import pytest

from teachers.base import verdict


def test_the_highest_score_is_preferred() -> None:
    assert verdict((2, 5, 7), (0.1, 0.9, 0.3)).preferred == 5


def test_equal_scores_go_to_the_lowest_action() -> None:
    assert verdict((2, 5, 7), (0.1, 0.9, 0.9)).preferred == 5
    assert verdict((2, 5, 7), (1.0, 1.0, 1.0)).preferred == 2


def test_a_score_within_a_millionth_of_the_range_counts_as_best() -> None:
    assert verdict((0, 1, 2), (1.0 - 5e-7, 1.0, 0.0)).preferred == 0
    assert verdict((0, 1, 2), (1.0 - 5e-6, 1.0, 0.0)).preferred == 1


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_scores_that_are_not_finite_prefer_nothing(broken: float) -> None:
    found = verdict((0, 1), (0.5, broken))
    assert found.preferred is None and found.scores is None
