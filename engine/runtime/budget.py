"""Tokens and money of a run: what is spent, and what is set aside for calls under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.specs.settings import Caps
    from engine.domain.values import Usage


@dataclass(slots=True)
class Budget:
    """Keeps a run below its caps: a call leaves only when its quote fits in what is left.

    What is recorded counts when a run is resumed; an unknown price counts as no money.
    """

    tokens: int = 0
    usd: float = 0.0
    _held: list[Usage] = field(default_factory=list)

    def refusal(self, caps: Caps, quote: Usage) -> str:
        """Why a call cannot be afforded, or "" when it can."""
        tokens = self.tokens + sum(map(count, self._held))
        usd = self.usd + sum(held.usd or 0.0 for held in self._held)
        if caps.tokens is not None and tokens + max(1, count(quote)) > caps.tokens:
            return f"the next call may exceed the cap of {caps.tokens:,} tokens ({tokens:,} used)"
        if caps.usd is not None and usd + (quote.usd or 0.0) > caps.usd:
            return f"the next call may exceed the cap of ${caps.usd:,.2f} (${usd:,.2f} used)"
        return ""

    @property
    def waiting(self) -> bool:
        """Whether calls are under way that may turn out cheaper than what is set aside."""
        return bool(self._held)

    def hold(self, quote: Usage) -> None:
        """Set a quote aside."""
        self._held.append(quote)

    def settle(self, quote: Usage, used: Usage) -> None:
        """The call is over: its quote is free again, what it used is spent."""
        self._held.remove(quote)
        self.spend(used)

    def spend(self, used: Usage) -> None:
        """Count what was used."""
        self.tokens += count(used)
        self.usd += used.usd or 0.0


def count(usage: Usage) -> int:
    """Tokens in and out."""
    return usage.tokens_in + usage.tokens_out
