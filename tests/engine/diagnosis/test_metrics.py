"""How a verdict rates a decision, by numbers that can be checked by hand."""

from __future__ import annotations

import pytest

from engine.diagnosis.metrics import is_tied, place, regret
from problems.base import Decision
from teachers.base import Verdict


@pytest.mark.parametrize(
    ("scores", "tied"),
    [
        ((0.0, 1.0, 4.0, 2.0), False),
        ((0.0, 4.0, 4.0, 2.0), True),
        ((0.0, 0.0, 0.0, 1.0), False),  # the worst are no tie
        ((3.0, 3.0, 3.0), True),
        ((3.0,), False),
        ((0.0, 1.0 - 1e-8, 1.0), True),
        ((0.0, 1.0 - 1e-4, 1.0), False),
        ((-5.0, -5.0, -9.0), True),
    ],
)
def test_a_state_is_tied_where_two_actions_share_the_best_score(
    scores: tuple[float, ...], tied: bool
) -> None:
    assert is_tied(scores) is tied


@pytest.mark.parametrize(
    ("chosen", "scores", "lost"),
    [(9, (0.0, 1.0, 4.0), 0.0), (7, (0.0, 1.0, 4.0), 0.75), (4, (0.0, 1.0, 4.0), 1.0)],
)
def test_a_choice_loses_what_it_lacks_of_the_best_score(
    chosen: int, scores: tuple[float, ...], lost: float
) -> None:
    assert regret(Decision(0, 0, None, (4, 7, 9), chosen), Verdict(9, scores)) == lost


def test_without_scores_any_other_choice_loses_everything() -> None:
    assert regret(Decision(0, 0, None, (4, 7, 9), 9), Verdict(9, None)) == 0.0
    assert regret(Decision(0, 0, None, (4, 7, 9), 7), Verdict(9, None)) == 1.0


@pytest.mark.parametrize(
    ("own", "values", "expected"),
    [
        (3.0, (3.0,), 1.0),
        (1.0, (1.0, 2.0, 5.0), 0.0),
        (2.0, (1.0, 2.0, 5.0), 0.5),
        (5.0, (1.0, 2.0, 5.0), 1.0),
        (2.0, (1.0, 2.0, 2.0, 2.0, 5.0), 0.5),
        (2.0, (2.0, 2.0), 0.5),
    ],
)
def test_a_place_counts_the_lower_and_half_of_the_equal_ones(
    own: float, values: tuple[float, ...], expected: float
) -> None:
    assert place(own, values) == expected
