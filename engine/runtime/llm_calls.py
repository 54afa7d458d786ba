"""One call from booking to answer: recorded before it leaves, held back while it cannot be paid
for or answered, and never a slot lost to a provider that is down."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.events import (
    CallAnswered,
    CallRefused,
    CallSent,
    ProviderBack,
    ProviderWaiting,
)
from engine.domain.values import Usage
from engine.llm.base import Metered, ProviderDown
from problems.errors import WriterUnavailable

if TYPE_CHECKING:
    from engine.domain.records import CallKey
    from engine.domain.status import State
    from engine.domain.values import Reply, Request
    from engine.llm.base import Writer
    from engine.runtime.ledger import Ledger

LOOK = 0.1
"""Seconds between looks whether a call that was held back may leave."""


class Halted(Exception):
    """The run was told to pause or stop; raised before anything new begins."""

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state, self.reason = state, reason


async def send(ledger: Ledger, key: CallKey, request: Request) -> Reply:
    """The recorded reply to one request, waiting for the provider for as long as it takes.

    Raises Halted when the run ends first or its budget is spent, WriterUnavailable when only a
    person can make the writer answer.
    """
    writes = request.role in ("program", "repair")
    writer = ledger.parts.writer if writes else ledger.parts.analyzer
    quote = writer.quote(request) if isinstance(writer, Metered) else Usage(usd=0.0)
    wasted = Usage(usd=0.0)
    while True:
        await _wait_for_turn(ledger, quote)
        answer = await _try(ledger, writer, key, request, quote)
        if isinstance(answer, ProviderDown):
            wasted = add_usage(wasted, answer.usage)
            continue
        reply = replace(answer, usage=add_usage(wasted, answer.usage))
        ledger.store.record_done(key, reply)
        _tell_answered(ledger, key, reply)
        return reply


async def _wait_for_turn(ledger: Ledger, quote: Usage) -> None:
    """Until the provider may be asked and the call fits into the budget. Raises Halted."""
    while True:
        ledger.raise_if_halted()
        refusal = ledger.budget.refusal(ledger.caps, quote)
        if refusal and not ledger.budget.waiting:
            ledger.halt = Halted("budget", f"{refusal}; raise the cap and resume")
        elif not refusal and ledger.breaker.admits(time.monotonic()):
            return
        else:
            await asyncio.sleep(LOOK)


async def _try(
    ledger: Ledger, writer: Writer, key: CallKey, request: Request, quote: Usage
) -> Reply | ProviderDown:
    """Ask once, booked before it leaves."""
    ledger.store.record_sent(key, request)
    ledger.emit(CallSent(key.purpose, writer.name), key.generation, key.slot)
    ledger.budget.hold(quote)
    used = Usage(usd=0.0)
    try:
        reply = await writer.complete(request)
        used = reply.usage
        _greet(ledger)
        return reply
    except ProviderDown as down:
        used = down.usage
        ledger.store.record_failed(key, str(down), down.billed)
        _hold_back(ledger, down)
        return down
    except WriterUnavailable as error:
        ledger.store.record_failed(key, str(error), "no")
        ledger.halt = ledger.halt or Halted("paused", str(error))
        raise
    finally:
        ledger.budget.settle(quote, used)


def _hold_back(ledger: Ledger, down: ProviderDown) -> None:
    """Count the failure; say so when from now on all calls wait."""
    now, before = time.monotonic(), ledger.breaker.until
    ledger.breaker.failed(now, down.wait)
    until = ledger.breaker.until
    if until is not None and until != before:
        text = f"waiting for the provider, next try in {until - now:.0f} s ({down})"
        ledger.emit(ProviderWaiting(text))
        ledger.store.set_state(ledger.run, "running", text)


def _greet(ledger: Ledger) -> None:
    """An answer came; say so if all calls were waiting for it."""
    if ledger.breaker.open:
        ledger.emit(ProviderBack())
        ledger.store.set_state(ledger.run, "running")
    ledger.breaker.answered()


def _tell_answered(ledger: Ledger, key: CallKey, reply: Reply) -> None:
    usage = reply.usage
    answered = CallAnswered(key.purpose, usage.tokens_in + usage.tokens_out, usage.usd)
    ledger.emit(answered, key.generation, key.slot)
    if reply.finish == "content_filter":
        ledger.emit(CallRefused(reply.text), key.generation, key.slot)


def add_usage(one: Usage, other: Usage) -> Usage:
    """Both together; the money is unknown when either is."""
    known = one.usd is not None and other.usd is not None
    usd = (one.usd or 0.0) + (other.usd or 0.0) if known else None
    return Usage(one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out, usd)
