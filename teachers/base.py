"""The seam every teacher implements: a black box that comments on decisions.

Paper, "On-policy Teacher Diagnostics": given a state and its feasible actions, a teacher returns
scores over them, or only a preferred action.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from problems.base import Decision

TIE = 1e-6
"""Scores this close to the maximum, as a share of the range, count as preferred too."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A teacher's opinion on one decision.

    `scores` are in the order of `Decision.actions`, higher is better, or None for a teacher
    that only names an action; `preferred` is None when the scores were not finite.
    """

    preferred: int | None
    scores: tuple[float, ...] | None


class Teacher(Protocol):
    """What a teacher provides; queried in fixed batches, on the states of any program.

    Example, of one that prefers the first action everywhere:

        class First:
            name, problem, fingerprint = "first", "jssp", "1"

            def __init__(self, problem, device): ...

            def verdicts(self, decisions):
                return [Verdict(decision.actions[0], None) for decision in decisions]
    """

    @property
    def name(self) -> str:
        """The word on the command line."""

    @property
    def problem(self) -> str:
        """Name of the problem it was trained for."""

    @property
    def fingerprint(self) -> str:
        """Weights hash, code version, device kind and torch version: what a verdict depends on."""

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision, in order.

        States of different sizes go through one forward; a batch of 1 and a batch of n agree
        within 1e-5 of the score range and in the preferred action.
        """


def verdict(actions: Sequence[int], scores: Sequence[float]) -> Verdict:
    """Turn scores into a verdict: the lowest action within `TIE` of the score range of the best.

    `scores` are in the order of `actions`: numbers, an array or a tensor of one dimension. Scores
    of which one is not finite give a verdict without preference. Raises ValueError for more or
    fewer scores than actions.
    """
    if len(scores) != len(actions):
        raise ValueError(f"{len(scores)} scores for {len(actions)} feasible actions")
    numbers = as_floats(scores)
    if not all(map(math.isfinite, numbers)):
        return Verdict(None, None)
    high = max(numbers)
    margin = high - TIE * (high - min(numbers))
    preferred = min(a for a, score in zip(actions, numbers, strict=True) if score >= margin)
    return Verdict(int(preferred), numbers)


def as_floats(scores: Sequence[Any]) -> tuple[float, ...]:
    """The numbers of a sequence, an array or a tensor. Raises TypeError, ValueError for others."""
    values = scores.tolist() if hasattr(scores, "tolist") else scores
    return tuple(float(value) for value in values)
