"""Where an evaluation may stop: a part of a set that decides whether the rest is worth it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.domain.values import Evaluation, Failure


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """After its first `count` instances an evaluation ends where `judge` finds a failure.

    `judge` is a function of the costs of these instances alone.
    """

    count: int
    judge: Callable[[Sequence[float]], Failure | None]

    def judge_known(self, evaluation: Evaluation | None) -> Failure | None:
        """The failure of an evaluation that is known already, in whole or up to here, if any."""
        first = [] if evaluation is None else self._first(evaluation)
        return self.judge(first) if len(first) == self.count else None

    def cut(self, evaluation: Evaluation | None) -> Evaluation | None:
        """What an evaluation found up to here; None for one that did not come so far.

        Its CPU seconds are a share of those of all instances.
        """
        if evaluation is None or len(self._first(evaluation)) < self.count:
            return None
        rest = len(evaluation.costs) - self.count
        return replace(
            evaluation,
            cost=None,
            costs=(*evaluation.costs[: self.count], *(None,) * rest),
            actions=evaluation.actions[: self.count],
            cpu=evaluation.cpu * self.count / len(evaluation.actions),
        )

    def _first(self, evaluation: Evaluation) -> list[float]:
        return [cost for cost in evaluation.costs[: self.count] if cost is not None]
