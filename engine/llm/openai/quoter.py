"""What an endpoint is sent for a request, what that may cost, and the prices of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from engine.domain.specs.endpoint import Endpoint
from engine.domain.values import Request, Usage
from engine.llm.openai.body import count_tokens

OUTPUT = 4096
"""Tokens that an answer may have at first when the writer's parameters do not say."""

LONGEST = 65_536
"""Tokens up to which that limit grows after answers that reached it."""

LIMITS = ("max_completion_tokens", "max_tokens")
"""The names that providers give to the limit."""

_AT_MOST = re.compile(
    r"(?:at most|less than or equal to|<=|maximum (?:allowed|value|number of \w+ tokens)\D{0,40})"
    r" *([0-9][0-9,]{0,9})",
    re.IGNORECASE,
)
"""What a provider says of a limit that is higher than it allows."""


class Quoter:
    """One endpoint's request bodies and prices; `parameters` are those of its settings.

    Where a cap has to hold and the settings name no limit, one is sent: the power of two above
    the longest answer seen, from `OUTPUT` on. What the provider refuses of it is not sent again.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.parameters = {name: json.loads(text) for name, text in endpoint.parameters}
        self._names = [*LIMITS] if endpoint.openai else [*reversed(LIMITS)]
        self._ceiling = LONGEST
        self._uncounted = 0

    def quote(self, request: Request, largest: int = 0) -> Usage:
        """What a request may use at most, estimated; `usd` None for an unknown price.

        `largest` is how many tokens the longest answer so far had.
        """
        return self.priced(
            Usage(self.prompt_tokens(request) + self._uncounted, self._most(request, largest))
        )

    def prompt_tokens(self, request: Request) -> int:
        """Tokens of a prompt, estimated from above."""
        messages = self.body(request)["messages"]
        return count_tokens("".join(message["content"] for message in messages))

    def body(self, request: Request, largest: int | None = None) -> dict[str, Any]:
        """The request as JSON; with a limit on the answer where `largest` is given.

        A repair may be twice as long as the settings say, for the answer may have been cut.
        """
        system = [{"role": "system", "content": self.endpoint.system}]
        asked = [{"role": m.role, "content": m.content} for m in request.messages]
        limited = largest is not None and self._names and not self._own_limit
        return {
            "model": self.endpoint.model,
            "messages": [*(system if self.endpoint.system else []), *asked],
            **self.parameters,
            **self._limits(request),
            **({self._names[0]: self._grown(largest or 0)} if limited else {}),
        }

    def adapt(self, parameter: str, reason: str, sent: Collection[str]) -> bool:
        """Whether a limit of ours is at fault for a refusal; the next request has another.

        A lower one where the provider says how high it may be, else one of another name, at last
        none. `parameter` is what the provider refuses, `sent` what went with the request.
        """
        ours = [name for name in sent if name in LIMITS and name not in self.parameters]
        if not ours or not self._names or (parameter and parameter not in ours):
            return False
        found = _AT_MOST.search(reason)
        allowed = int(found.group(1).replace(",", "")) if found else 0
        if parameter and 0 < allowed < self._ceiling:
            self._ceiling = allowed
        elif parameter:
            self._names.pop(0)
        else:
            self._names.clear()
        return True

    def learn(self, request: Request, used: Usage) -> None:
        """Note what a provider counts of a prompt beyond our estimate."""
        more = used.tokens_in - self.prompt_tokens(request)
        self._uncounted = max(self._uncounted, more)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its price, `usd` None where that is not known."""
        return replace(usage, usd=price(self.endpoint, usage.tokens_in, usage.tokens_out))

    @property
    def _own_limit(self) -> bool:
        """Whether the settings name a limit."""
        return any(name in self.parameters for name in LIMITS)

    def _most(self, request: Request, largest: int) -> int:
        """Tokens that an answer is taken to have at most."""
        limits = self._limits(request).values()
        if limits:
            return max(min(limits), largest if largest > 2 * min(limits) else 0)
        return max(self._grown(largest), largest)

    def _limits(self, request: Request) -> dict[str, int]:
        """The limits that the settings name."""
        more = 2 if request.role == "repair" else 1
        found = {name: self.parameters[name] for name in LIMITS if name in self.parameters}
        return {name: limit * more for name, limit in found.items() if isinstance(limit, int)}

    def _grown(self, largest: int) -> int:
        limit = OUTPUT
        while limit <= largest and limit < LONGEST:
            limit *= 2
        return min(limit, self._ceiling)


MILLION = 1_000_000


def price(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """US dollars for tokens in and out; 0 on this machine, None when the price is not known."""
    if endpoint.price_in is not None and endpoint.price_out is not None:
        usd = tokens_in * endpoint.price_in + tokens_out * endpoint.price_out
        return usd / MILLION
    return 0.0 if endpoint.local else _published(endpoint, tokens_in, tokens_out)


def _published(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    import genai_prices  # 0.2 s, and only paid writers need it

    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        found = genai_prices.calc_price(usage, endpoint.model, provider_api_url=endpoint.base_url)
    except (LookupError, ValueError):
        return None
    return float(found.total_price)
