"""Costs in the natural sense of their problem, for screens that must not wait for its module."""

from __future__ import annotations

from threading import Thread

import problems
from problems import ProblemRef
from problems.base import Problem


class Objectives:
    """Loads each problem once, in a thread; objectives are None until it is loaded."""

    def __init__(self) -> None:
        self._problems: dict[ProblemRef, Problem | None] = {}

    def natural(self, ref: ProblemRef, cost: float | None) -> float | None:
        """A cost in the natural sense where that differs from the cost, else None."""
        if ref not in self._problems:
            self._problems[ref] = None
            Thread(target=self._load, args=(ref,), daemon=True).start()
        problem = self._problems[ref]
        if problem is None or cost is None:
            return None
        objective = problem.objective(cost)
        return None if objective == cost else objective

    def _load(self, ref: ProblemRef) -> None:
        try:
            self._problems[ref] = problems.load(ref)
        except Exception:  # a third party's module may raise anything: its costs are shown as such
            return
