"""A language model behind any OpenAI-compatible endpoint, asked with one retry loop of our own.

The SDK's retries are off. Every attempt has a deadline, and so has the sum of all attempts: a
server that sends a byte now and then would otherwise never be given up.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import httpx2
import openai

from engine.domain.values import Reply, Usage
from engine.llm.base import ParameterRefused, ProviderDown
from engine.llm.openai.bounded import BoundedClient, ReplyTooLong
from engine.llm.openai.judge import CallOutcome, HttpAnswer, judge
from engine.llm.openai.limiter import shared_limiter
from engine.llm.openai.quoter import Quoter
from engine.llm.openai.secret import Eraser
from problems.errors import WriterUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.specs.endpoint import Endpoint
    from engine.domain.values import Request
    from engine.llm.openai.secret import Secret

CONNECT = 10.0
"""Seconds to reach a server; one that does not accept a connection will not answer at all."""

_MAY_NOT_LIST = re.compile(r"scope|permission", re.IGNORECASE)
"""What is said of a key that works, but not for the list of models."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempts at one answer; the pause after attempt k is at most min(longest, first * 2^k) s."""

    attempts: int = 4
    first: float = 1.0
    longest: float = 30.0


class LanguageModel:
    """One endpoint; knows its keys only as secrets, and erases them from all that it returns."""

    def __init__(
        self,
        endpoint: Endpoint,
        secrets: Mapping[str, Secret],
        concurrency: int,
        retries: RetryPolicy = RetryPolicy(),
    ) -> None:
        """`secrets` by environment variable; `concurrency` requests at most, of all writers.

        Raises WriterUnavailable when one is missing.
        """
        for variable in endpoint.variables:
            if variable not in secrets:
                raise WriterUnavailable(f"{endpoint.name}: {variable} did not reach the engine")
        self.endpoint = endpoint
        self.name = endpoint.name
        self._secrets = secrets
        self._concurrency = concurrency
        self._retries = retries
        self._erase = Eraser(secrets.values())
        self._quoter = Quoter(endpoint)

    def quote(self, request: Request) -> Usage:
        """What a request may use at most, estimated; `usd` None for an unknown price."""
        return self._quoter.quote(request)

    async def complete(self, request: Request) -> Reply:
        """The model's answer, or the provider's refusal with `finish` "content_filter".

        Raises ProviderDown when attempts or time run out and WriterUnavailable when only a
        person can help.
        """
        body = self._quoter.body(request)
        used = Usage()
        left = self.endpoint.call_seconds
        outcome = CallOutcome("retry", "no answer in time")
        async with self._client() as client:
            for attempt in range(self._retries.attempts):
                async with shared_limiter(self._concurrency) as limiter:
                    began = time.monotonic()  # waiting in our own queue is not its fault
                    outcome = await self._attempt(client, body, left)
                    if outcome.crowded:
                        limiter.narrow()
                    elif outcome.kind == "ok":
                        limiter.widen()
                used = self._add(used, outcome, request)
                pause = outcome.wait or self._jitter(attempt)
                left -= time.monotonic() - began + pause
                if outcome.kind != "retry" or left <= 0:
                    break
                await asyncio.sleep(pause)
        return self._reply_or_raise(outcome, self._quoter.priced(used))

    async def refuse_unusable(self) -> None:
        """Try address and key by asking for the list of models, which costs nothing.

        Raises WriterUnavailable where nothing answers and where the key is not accepted. A server
        that knows no such list passes, and so does a key that may not see it.
        """
        try:
            async with asyncio.timeout(2 * CONNECT), self._client() as client:
                await client.get(
                    "/models", cast_to=httpx2.Response, options={"follow_redirects": False}
                )
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout):
                refusal = "nothing answers there; start the server or mend base_url"
                raise self._refuse(refusal) from None
        except openai.AuthenticationError as error:
            outcome = judge(HttpAnswer(error.status_code, error.response.text))
            if not _MAY_NOT_LIST.search(outcome.reason):
                raise self._refuse(outcome.reason) from None
        except (TimeoutError, openai.OpenAIError, ReplyTooLong):
            pass  # somebody is there

    def _refuse(self, reason: str) -> WriterUnavailable:
        """The error that names this writer and its address, without keys."""
        return WriterUnavailable(self._erase(f"{self.name} at {self.endpoint.base_url}: {reason}"))

    async def _attempt(
        self, client: openai.AsyncOpenAI, body: dict[str, Any], left: float
    ) -> CallOutcome:
        """One request, given up in time whatever trickles in."""
        result: HttpAnswer | Exception
        try:
            async with asyncio.timeout(min(left, self.endpoint.attempt_seconds)):
                got = await client.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body=body,
                    options={"follow_redirects": False},  # a key stays where it was sent
                )
                result = HttpAnswer(got.status_code, got.text)
        except openai.APIStatusError as error:
            wait = error.response.headers.get("retry-after", "")
            result = HttpAnswer(error.status_code, error.response.text, wait)
        except Exception as error:  # whatever it is, `judge` decides what follows
            result = error
        return judge(result, self._quoter.parameters)

    def _client(self) -> openai.AsyncOpenAI:
        """Connections of its own for every call: none is reused after it has gone stale."""
        endpoint = self.endpoint
        headers = {
            name: self._secrets[value[1:]].reveal() if value.startswith("$") else value
            for name, value in endpoint.headers
        }
        variable = endpoint.api_key_env
        timeout = openai.Timeout(endpoint.attempt_seconds, connect=CONNECT)
        return openai.AsyncOpenAI(
            api_key=self._secrets[variable].reveal() if variable else "local",
            base_url=endpoint.base_url,
            default_headers=headers,
            max_retries=0,
            timeout=timeout,
            http_client=BoundedClient(timeout=timeout),
        )

    def _jitter(self, attempt: int) -> float:
        """Seconds until the next attempt: chance keeps parallel calls from coming back at once."""
        longest = min(self._retries.longest, self._retries.first * 2**attempt)
        return random.uniform(0.0, longest)

    def _add(self, used: Usage, outcome: CallOutcome, request: Request) -> Usage:
        """Tokens so far; an answer that does not count its prompt has read it all the same.

        An answer that was not read to its end may have used all that was set aside for it.
        """
        more = outcome.usage
        quote = self.quote(request)
        if outcome.kind == "slot_fail" and outcome.billed == "maybe":
            more = quote
        read = more.tokens_in
        if more.tokens_out and not read:
            read = quote.tokens_in
        return Usage(used.tokens_in + read, used.tokens_out + more.tokens_out)

    def _reply_or_raise(self, outcome: CallOutcome, used: Usage) -> Reply:
        """The last outcome as this writer's answer, without keys. Raises as `complete` does."""
        reason = self._erase(f"{self.name} at {self.endpoint.base_url}: {outcome.reason}")
        if outcome.kind in ("ok", "retry", "slot_fail") and outcome.reply is not None:
            reply = outcome.reply
            text, raw, model = map(self._erase, (reply.text, reply.raw, reply.model))
            return replace(reply, text=text, raw=raw, model=model, usage=used)
        if outcome.kind == "retry" or outcome.wait:
            wait = outcome.wait if outcome.kind == "pause" else 0.0
            raise ProviderDown(reason, used, outcome.billed, wait)
        if outcome.parameter:
            raise ParameterRefused(reason, outcome.parameter)
        raise WriterUnavailable(reason)
