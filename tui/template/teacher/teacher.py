"""A teacher to start from: it scores every feasible action, here by one number of the problem's.

Replace `score` with what you know: a network, a solver, an expert's rule. A run asks it with
`--teacher ./DIR/teacher.py:Teacher`; `test_teacher.py` tells whether it keeps the seam.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from preceptor import Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from preceptor import Decision, Problem


class Teacher:
    """Prefers the action whose first number is the smallest."""

    name = "smallest-first"
    fingerprint = "1"  # change it with what verdicts depend on beside this file: weights

    def __init__(self, problem: Problem, device: str) -> None:
        """`device` is the word after --device: where a network would compute."""
        self.problem = problem.name
        self._rules = problem

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision, in order: a score for every feasible action."""
        return [verdict(one.actions, self._scores(one)) for one in decisions]

    def _scores(self, decision: Decision) -> list[float]:
        """Scores in the order of the actions, the higher the better."""
        numbers = (self._rules.fields(decision.state, action) for action in decision.actions)
        return [score(one) for one in numbers]


def score(numbers: Mapping[str, float]) -> float:
    """How good an action is, by the numbers that a program would read of it."""
    return -next(iter(numbers.values()))
