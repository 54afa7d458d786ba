"""What the runs of a study may spend together: once it is used up, the whole study pauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.domain.records import Spent
from engine.domain.specs.settings import Caps
from engine.domain.values import Usage
from engine.runtime.budget import Budget
from engine.runtime.job import Halted

ADVICE = "raise {} in the [budget] of its file and give the same command again"


@dataclass(slots=True)
class StudyBudget:
    """Keeps all runs of a study below its caps together; `halt` tells them all to pause."""

    caps: Caps
    halt: Callable[[Halted], None]
    budget: Budget

    @classmethod
    def opened(
        cls, caps: Caps, halt: Callable[[Halted], None], spent: Spent, seconds: float
    ) -> StudyBudget:
        """One of which something was spent before, in `seconds` at work."""
        return cls(caps, halt, Budget(spent, seconds, advice=ADVICE))

    def admits(self, quote: Usage) -> bool:
        """Whether an attempt fits in what is left.

        While others are under way, it may fit later: they may turn out cheaper, or unpaid. Else
        the study is told to pause.
        """
        refusal = self.budget.refusal(self.caps, quote)
        if refusal and not self.budget.waiting:
            self._pause(refusal)
        return not refusal

    def watch_time(self) -> None:
        """Tell the study to pause where its time is over."""
        if over := self.budget.overtime(self.caps):
            self._pause(over)

    def _pause(self, reason: str) -> None:
        self.halt(Halted("paused", f"the budget of the study is used up: {reason}"))
