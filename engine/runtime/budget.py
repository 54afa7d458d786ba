"""What a job may still spend: tokens, money and time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.text.time_span import write_time_span

if TYPE_CHECKING:
    from engine.domain.specs.settings import Caps
    from engine.domain.values import Usage


@dataclass(slots=True)
class Budget:
    """Keeps a job below its caps: a call leaves only when its quote fits in what is left.

    What is recorded counts when a job is resumed; an unknown price counts as no money. `seconds`
    are those that the job was at work before it was opened `since` (of the monotonic clock);
    `advice` says how a cap is raised, by its name.
    """

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)
    advice: str = "raise --max-{} and resume"
    _held: list[Usage] = field(default_factory=list)

    def refusal(self, caps: Caps, quote: Usage) -> str:
        """Why a call cannot be afforded, or "" when it can."""
        tokens = self.tokens + sum(map(count_tokens, self._held))
        usd = self.usd + sum(held.usd or 0.0 for held in self._held)
        if caps.tokens is not None and tokens + max(1, count_tokens(quote)) > caps.tokens:
            cap = f"{caps.tokens:,} tokens ({tokens:,} used)"
            return f"the next call may exceed the cap of {cap}; {self.advice.format('tokens')}"
        if caps.usd is not None and usd + (quote.usd or 0.0) > caps.usd:
            cap = f"${caps.usd:,.2f} (${usd:,.2f} used)"
            return f"the next call may exceed the cap of {cap}; {self.advice.format('usd')}"
        return ""

    def overtime(self, caps: Caps) -> str:
        """Why nothing new may begin at this hour, or "" while there is time."""
        seconds = self.seconds + time.monotonic() - self.since
        if caps.seconds is None or seconds < caps.seconds:
            return ""
        cap = f"{write_time_span(caps.seconds)} ({write_time_span(seconds)} used)"
        return f"at work for the cap of {cap}; {self.advice.format('time')}"

    @property
    def waiting(self) -> int:
        """How many calls are under way that may turn out cheaper than what is set aside."""
        return len(self._held)

    def hold(self, quote: Usage) -> None:
        """Set a quote aside."""
        self._held.append(quote)

    def free(self, quote: Usage, used: Usage) -> None:
        """The call is over: its quote is free again, what it used is spent."""
        self._held.remove(quote)
        self.spend(used)

    def spend(self, used: Usage) -> None:
        """Count what was used."""
        self.tokens += count_tokens(used)
        self.usd += used.usd or 0.0


def count_tokens(usage: Usage) -> int:
    """Tokens in and out."""
    return usage.tokens_in + usage.tokens_out
