"""What a job, or a study for its runs, may still spend: calls, tokens, money and time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engine.domain.records import Billed, Spent
from engine.domain.specs.settings import Caps
from engine.domain.text.figures import write_time_span
from engine.domain.values import Usage
from engine.runtime.job import Halted


@dataclass(slots=True)
class Budget:
    """Keeps a job below its caps: an attempt leaves only when its quote fits in what is left.

    `spent` counts all that was, or may have been, paid; an unknown price counts as no money.
    `seconds` are those that the job was at work before it was opened `since` (of the monotonic
    clock); `advice` says how a cap is raised, by its name.
    """

    spent: Spent = field(default_factory=Spent)
    seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)
    advice: str = "raise --max-{} and resume"
    _held: list[tuple[str, Usage]] = field(default_factory=list)

    def refusal(self, caps: Caps, quote: Usage) -> str:
        """Why an attempt cannot be afforded, or "" when it can."""
        spent = self.spent
        held = [usage for _, usage in self._held]
        if caps.calls is not None and spent.calls + len(held) >= caps.calls:
            unsure = f" ({spent.maybe:,} without an answer)" if spent.maybe else ""
            made = f"{spent.calls:,} of {caps.calls:,} calls are made{unsure}"
            return f"{made}; {self.advice.format('calls')}"
        tokens = spent.tokens + sum(map(count_tokens, held))
        if caps.tokens is not None and tokens + max(1, count_tokens(quote)) > caps.tokens:
            used = self._divide(f"{tokens - spent.maybe_tokens:,}", f"{spent.maybe_tokens:,}")
            cap = f"{caps.tokens:,} tokens ({used})"
            return f"the next call may exceed the cap of {cap}; {self.advice.format('tokens')}"
        usd = spent.usd + sum(usage.usd or 0.0 for usage in held)
        if caps.usd is not None and usd + (quote.usd or 0.0) > caps.usd:
            used = self._divide(f"${usd - spent.maybe_usd:,.2f}", f"${spent.maybe_usd:,.2f}")
            cap = f"${caps.usd:,.2f} ({used})"
            return f"the next call may exceed the cap of {cap}; {self.advice.format('usd')}"
        return ""

    def _divide(self, known: str, most: str) -> str:
        """What is used, in words: what is known, and the most that is not."""
        maybe = self.spent.maybe
        if not maybe:
            return f"{known} used"
        calls = "a call" if maybe == 1 else f"{maybe:,} calls"
        return f"{known} used, at most {most} more by {calls} without an answer"

    def overtime(self, caps: Caps) -> str:
        """Why nothing new may begin at this hour, or "" while there is time."""
        seconds = self.seconds + time.monotonic() - self.since
        if caps.seconds is None or seconds < caps.seconds:
            return ""
        cap = f"{write_time_span(caps.seconds)} ({write_time_span(seconds)} used)"
        return f"at work for the cap of {cap}; {self.advice.format('time')}"

    @property
    def waiting(self) -> int:
        """How many attempts are under way that may turn out cheaper than what is set aside."""
        return len(self._held)

    def under_way(self, writer: str) -> int:
        """How many attempts of a writer are under way."""
        return Counter(name for name, _ in self._held)[writer]

    def hold(self, writer: str, quote: Usage) -> None:
        """Set a quote aside."""
        self._held.append((writer, quote))

    def free(self, writer: str, quote: Usage, used: Usage, billed: Billed) -> None:
        """The attempt is over: its quote is free again, what it used is spent."""
        self._held.remove((writer, quote))
        if billed == "no":
            return
        spent = self.spent
        tokens = count_tokens(used)
        usd = used.usd or 0.0
        maybe = billed == "maybe"
        self.spent = replace(
            spent,
            calls=spent.calls + 1,
            tokens=spent.tokens + tokens,
            usd=spent.usd + usd,
            maybe=spent.maybe + maybe,
            maybe_tokens=spent.maybe_tokens + maybe * tokens,
            maybe_usd=spent.maybe_usd + maybe * usd,
        )


def count_tokens(usage: Usage) -> int:
    """Tokens in and out."""
    return usage.tokens_in + usage.tokens_out


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
