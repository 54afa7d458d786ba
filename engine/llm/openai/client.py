"""A language model behind any OpenAI-compatible endpoint, asked with one retry loop of our own.

The SDK's retries are off. Every attempt has a deadline, and so has the sum of all attempts: a
server that sends a byte now and then would otherwise never be given up.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.request import getproxies

import httpx2
import openai

from engine.domain.records import Billed
from engine.domain.specs.endpoint import OURS, Endpoint
from engine.domain.values import Reply, Request, Usage
from engine.llm.base import Meter, ParameterRefused, ProviderDown
from engine.llm.openai.body import shorten
from engine.llm.openai.bounded import BoundedClient, ReplyTooLong
from engine.llm.openai.judge import CallOutcome, HttpAnswer, judge
from engine.llm.openai.limiter import shared_limiter
from engine.llm.openai.quoter import LIMITS, Quoter
from engine.llm.openai.secret import Eraser, Secret, strip_scheme
from problems.errors import WriterUnavailable

CONNECT = 10.0
"""Seconds to reach a server; one that does not accept a connection will not answer at all."""

_UNREACHABLE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)

MISFITS = 4
"""Equal answers in a row that are none, after which asking on would only cost."""

EMPTY = 2
"""Attempts at an answer that holds text."""

MEND_MISFIT = "check base_url, model and parameters of the writer, then resume"

_LIMIT = re.compile(r"max.{0,20}tokens", re.IGNORECASE)
"""What is said of a limit on the answer, under whatever name."""

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
        self._misfits = ("", 0)

    def quote(self, request: Request) -> Usage:
        """What a request may use at most, estimated; `usd` None for an unknown price."""
        return self._quoter.quote(request)

    async def complete(self, request: Request) -> Reply:
        """The model's answer, or the provider's refusal with `finish` "content_filter".

        Raises ProviderDown when attempts or time run out and WriterUnavailable when only a
        person can help.
        """
        return await self.complete_metered(request, Unmetered())

    async def complete_metered(self, request: Request, meter: Meter) -> Reply:
        """The same with every attempt metered; raises Halted, too."""
        left = self.endpoint.call_seconds
        attempts = self._retries.attempts
        empty = 0
        earlier = dict[str, None]()
        async with self._client() as client:
            while True:
                await meter.begin(lambda: self._quoter.quote(request, meter.largest))
                largest = meter.largest
                body = self._quoter.body(request, largest if meter.capped else None)
                outcome, seconds = await self._attempt_in_turn(client, request, body, left)
                if self._adapts(outcome, body):
                    meter.fail(self._erase(outcome.reason), outcome.billed, None)
                    continue
                if outcome.too_long and request.role == "repair":  # of an answer of any length
                    refused = Reply(outcome.reason, "content_filter", raw=outcome.reason)
                    outcome = replace(outcome, kind="slot_fail", reply=refused)
                outcome = self._note_misfit(outcome)
                attempts -= 1
                empty += outcome.reply is not None
                pause = outcome.wait or self._jitter(self._retries.attempts - attempts - 1)
                left -= seconds + pause
                last = outcome.kind != "retry" or left <= 0 or not attempts or empty == EMPTY
                if outcome.reply is not None and last and outcome.kind != "pause":
                    return self._finished(outcome.reply, request, outcome.usage, largest)
                used = outcome.usage and self._quoter.priced(outcome.usage)
                if outcome.billed == "no":
                    used = Usage(usd=0.0)
                meter.fail(self._erase(outcome.reason), outcome.billed, used)
                if last:
                    raise self._explain(_add_earlier(outcome, earlier))
                earlier[outcome.reason] = None
                await asyncio.sleep(pause)

    async def _attempt_in_turn(
        self, client: openai.AsyncOpenAI, request: Request, body: dict[str, Any], left: float
    ) -> tuple[CallOutcome, float]:
        """One request, when it is its turn among those of all writers, and the seconds it took."""
        async with shared_limiter(self._concurrency) as limiter:
            began = time.monotonic()  # waiting in our own queue is not its fault
            outcome = await self._attempt(client, body, left, self._quoter.prompt_tokens(request))
            if outcome.crowded:
                limiter.narrow()
            elif outcome.kind == "ok":
                limiter.widen()
            return outcome, time.monotonic() - began

    def _adapts(self, outcome: CallOutcome, body: dict[str, Any]) -> bool:
        """Whether the same request may pass with another limit on its answer than we sent."""
        parameter = outcome.parameter
        if (
            outcome.kind == "slot_fail"
            and outcome.billed == "no"
            and _LIMIT.search(outcome.reason)
        ):
            parameter = next((name for name in LIMITS if name in body), "")
        if not parameter and not outcome.too_long:
            return False
        return self._quoter.adapt(parameter, outcome.reason, body)

    def _note_misfit(self, outcome: CallOutcome) -> CallOutcome:
        """The outcome; of the last of several equal misfits, that a person has to look at it."""
        kind, count = self._misfits
        self._misfits = (outcome.misfit, count + 1 if outcome.misfit == kind else 1)
        if not outcome.misfit or self._misfits[1] < MISFITS:
            return outcome
        self._misfits = ("", 0)
        reason = f"{MISFITS} answers in a row were alike: {outcome.reason} ({MEND_MISFIT})"
        return replace(outcome, kind="pause", reason=reason, wait=0.0)

    def _finished(self, reply: Reply, request: Request, used: Usage | None, largest: int) -> Reply:
        """The reply without keys; one that was not read to its end used all that was quoted."""
        if used is None:
            refused = reply.finish == "content_filter" and reply.raw
            used = Usage() if refused else self._quoter.quote(request, largest)
        else:
            self._quoter.learn(request, used)
        text, raw, model = map(self._erase, (reply.text, reply.raw, reply.model))
        usage = self._quoter.priced(used)
        return replace(reply, text=text, raw=raw, model=model, usage=usage)

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
            if isinstance(error.__cause__, _UNREACHABLE):
                proxies = {} if self.endpoint.local else getproxies()
                way = f" by way of the proxy {', '.join(sorted(proxies.values()))}"
                refusal = f"nothing answers there{way if proxies else ''}"
                raise self._refuse(f"{refusal}; start the server or mend base_url") from None
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
        self, client: openai.AsyncOpenAI, body: dict[str, Any], left: float, prompt: int
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
        return judge(result, [name for name in body if name not in OURS], prompt)

    def _client(self) -> openai.AsyncOpenAI:
        """Connections of its own for every call: none is reused after it has gone stale."""
        endpoint = self.endpoint
        headers = {
            name: self._secrets[value[1:]].reveal() if value.startswith("$") else value
            for name, value in endpoint.headers
        }
        variable = endpoint.api_key_env
        timeout = openai.Timeout(endpoint.attempt_seconds, connect=CONNECT)
        try:
            # No proxy of the environment leads to this very machine.
            http = BoundedClient(timeout=timeout, trust_env=not endpoint.local)
        except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
            told = "the proxy or certificate file that the environment names cannot be used"
            raise self._refuse(f"{told}: {shorten(str(error))}") from None
        client = openai.AsyncOpenAI(
            api_key=strip_scheme(self._secrets[variable].reveal()) if variable else "local",
            admin_api_key="",
            organization=self._variable("OPENAI_ORG_ID"),
            project=self._variable("OPENAI_PROJECT_ID"),
            base_url=endpoint.base_url,
            default_headers={**self._withheld(), **headers},
            max_retries=0,
            timeout=timeout,
            http_client=http,
        )
        client.organization = client.organization or None
        client.project = client.project or None
        return client

    def _variable(self, name: str) -> str:
        """A variable that is meant for OpenAI: empty for any other provider.

        Raises WriterUnavailable for one that no header could hold.
        """
        value = os.environ.get(name, "").strip() if self.endpoint.openai else ""
        if not (value.isascii() and value.isprintable()):
            raise self._refuse(f"{name} holds more than a name in one line; mend it or unset it")
        return value

    def _withheld(self) -> dict[str, Any]:
        """Headers that the environment means for OpenAI, to be left out for other providers."""
        if self.endpoint.openai:
            return {}
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        return {line.partition(":")[0].strip(): openai.Omit() for line in lines if ":" in line}

    def _jitter(self, attempt: int) -> float:
        """Seconds until the next attempt: chance keeps parallel calls from coming back at once."""
        longest = min(self._retries.longest, self._retries.first * 2**attempt)
        return random.uniform(0.0, longest)

    def _explain(self, outcome: CallOutcome) -> WriterUnavailable:
        """The error that an outcome is for whoever asked, without keys."""
        reason = self._erase(f"{self.name} at {self.endpoint.base_url}: {outcome.reason}")
        if outcome.kind == "retry" or outcome.wait:
            wait = outcome.wait if outcome.kind == "pause" else 0.0
            return ProviderDown(reason, outcome.usage or Usage(), outcome.billed, wait)
        if outcome.parameter:
            return ParameterRefused(reason, outcome.parameter)
        return WriterUnavailable(reason)


def _add_earlier(outcome: CallOutcome, earlier: Mapping[str, None]) -> CallOutcome:
    """The outcome; with what went wrong before it, where that was something else."""
    others = [reason for reason in earlier if reason != outcome.reason]
    told = f"{outcome.reason} (before that: {'; '.join(others)})" if others else outcome.reason
    return replace(outcome, reason=told)


class Unmetered:
    """The meter of a call that belongs to no run: nothing is capped or recorded."""

    capped = False
    largest = 0

    async def begin(self, quote: Callable[[], Usage]) -> None:
        """Go ahead."""

    def fail(self, error: str, billed: Billed, used: Usage | None) -> None:
        """Forget it."""
