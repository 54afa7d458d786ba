"""How a verdict rates one decision: value, percentile, regret and ties (paper, 3.2)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from problems.base import Decision
from teachers.base import TIE, Verdict


def value(decision: Decision, verdict: Verdict) -> float:
    """The paper's normalised score of the chosen action: 1 is the best, 1 at zero range."""
    assert verdict.scores is not None
    return normalise(verdict.scores)[decision.actions.index(decision.chosen)]


def normalise(scores: Sequence[float]) -> list[float]:
    """Scores of one state between 0 and 1, the best; all 1 when they are equal."""
    low = min(scores)
    high = max(scores)
    if high == low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def percentile(decision: Decision, verdict: Verdict) -> float:
    """The place of the chosen action among the teacher's scores: 1 is the best."""
    assert verdict.scores is not None
    return place(verdict.scores[decision.actions.index(decision.chosen)], verdict.scores)


def place(own: float, values: Sequence[float]) -> float:
    """(number lower + half of the equal others) / (n - 1); `own` is one of the values, alone 1."""
    if len(values) == 1:
        return 1.0
    ascending = sorted(values)
    lower = bisect_left(ascending, own)
    equal = bisect_right(ascending, own, lower) - lower - 1
    return (lower + equal / 2) / (len(values) - 1)


def regret(decision: Decision, verdict: Verdict) -> float:
    """The normalised score that the choice loses; 1 for any other choice without scores."""
    if verdict.scores is None:
        return float(decision.chosen != verdict.preferred)
    return 1 - value(decision, verdict)


def is_tied(scores: Sequence[float]) -> bool:
    """Whether several actions have the best score."""
    high = max(scores)
    margin = TIE * (high - min(scores))
    return sum(score >= high - margin for score in scores) > 1
