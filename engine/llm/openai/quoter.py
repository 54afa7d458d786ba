"""What an endpoint is sent for a request and what that may cost, told without a connection."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.domain.values import Usage
from engine.llm.openai.body import count_tokens
from engine.llm.openai.prices import price

if TYPE_CHECKING:
    from engine.domain.specs.endpoint import Endpoint
    from engine.domain.values import Request

OUTPUT = 4096
"""Tokens that an answer is taken to have at most when the writer's parameters do not say."""

LIMITS = ("max_completion_tokens", "max_tokens")


class Quoter:
    """One endpoint's request bodies and prices; `parameters` are those of its settings."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.parameters = {name: json.loads(text) for name, text in endpoint.parameters}

    def quote(self, request: Request) -> Usage:
        """What a request may use at most, estimated; `usd` None for an unknown price."""
        body = self.body(request)
        text = "".join(message["content"] for message in body["messages"])
        limits = [body[name] for name in LIMITS if isinstance(body.get(name), int)]
        return self.priced(Usage(count_tokens(text), min(limits, default=OUTPUT)))

    def body(self, request: Request) -> dict[str, Any]:
        """The request as JSON; a repair may be twice as long, for the answer may have been cut."""
        system = [{"role": "system", "content": self.endpoint.system}]
        asked = [{"role": m.role, "content": m.content} for m in request.messages]
        more = 2 if request.role == "repair" else 1
        return {
            "model": self.endpoint.model,
            "messages": [*(system if self.endpoint.system else []), *asked],
            **self.parameters,
            **{k: v * more for k, v in self.parameters.items() if k in LIMITS},
        }

    def priced(self, usage: Usage) -> Usage:
        """The usage with its price, `usd` None where that is not known."""
        return replace(usage, usd=price(self.endpoint, usage.tokens_in, usage.tokens_out))
