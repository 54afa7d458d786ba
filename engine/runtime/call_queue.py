"""The calls of a run: recorded before they leave, held back while they cannot be paid for or
answered, and never a slot lost to a provider that is down."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.domain.events import (
    CallAnswered,
    CallRefused,
    CallSent,
    ProviderBack,
    ProviderWaiting,
)
from engine.domain.status import Job
from engine.domain.text.codec import content_key
from engine.domain.values import Usage
from engine.llm.base import Metered, ProviderDown, Repeatable
from engine.llm.openai.breaker import Breaker
from engine.runtime.budget import Budget, count_tokens
from engine.runtime.job import Halted
from engine.runtime.writers.refusals import MOST, Refusals, choose_withdrawn, recall
from engine.store.search_log import WITHDRAWN
from problems.errors import RunMismatch, StoreBlocked, WriterUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.events import Fact
    from engine.domain.records import CallKey
    from engine.domain.specs.settings import Caps
    from engine.domain.values import Reply, Request
    from engine.llm.base import Writer
    from engine.runtime.study_budget import StudyBudget
    from engine.store.store import Store

    Emit = Callable[[Fact, int | None, int | None], None]

LOOK = 0.1
"""Seconds between looks whether a call that was held back may leave."""


@dataclass(slots=True)
class CallQueue:
    """Where a run's calls wait for a call slot, for money and for the provider.

    `call_slots` may be shared by the runs of a study; `outage` are the seconds that calls wait for
    a provider that is down, for which every writer has a breaker; `asked` are the calls in the
    order in which the search asked for them, recorded or new; `unstored` are replies that a full
    disk keeps from being recorded: they wait here, and are not asked for again. `together` is what
    the runs of a study may spend together.
    """

    store: Store
    run: int
    call_slots: asyncio.Semaphore
    caps: Caps
    emit: Emit
    outage: float
    halted: Halted | None = None
    together: StudyBudget | None = None
    breakers: defaultdict[str, Breaker] = field(default_factory=lambda: defaultdict(Breaker))
    budget: Budget = field(default_factory=Budget)
    asked: dict[CallKey, None] = field(default_factory=dict)
    unstored: dict[CallKey, Reply] = field(default_factory=dict)
    _down: dict[str, str] = field(default_factory=dict)
    _refusals: Refusals = field(init=False)

    def __post_init__(self) -> None:
        self._refusals = recall(self.store.last_answered(self.run, MOST))

    async def ask(self, key: CallKey, request: Request, name: str, writer: Writer) -> Reply:
        """The reply of a writer, called `name` in the run, which is asked unless it is recorded.

        Raises Halted when the run ends first or its budget is spent, RunMismatch when something
        else is recorded there, WriterUnavailable when only a person can make the writer answer.
        """
        self.asked[key] = None
        row = self.store.call(key)
        if row is not None and row.request_sha not in (content_key(request), WITHDRAWN):
            raise RunMismatch(
                f"the {key.purpose} call of generation {key.generation}, slot {key.slot} would "
                "now ask something else than is recorded; start a new run, or resume with --fork"
            )
        if row is not None and row.reply is not None:
            return row.reply
        async with self.call_slots:
            return await self._send(key, request, name, writer)

    def halt(self, halted: Halted) -> None:
        """Begin nothing new: calls that wait, and those to come, raise `halted`."""
        self.halted = halted

    def raise_if_halted(self) -> None:
        """Raise Halted if the run was told to end; called before anything new begins.

        A run whose time is over ends like one that spent its money.
        """
        if self.halted is None and (over := self.budget.overtime(self.caps)):
            self.halt(Halted("budget", over))
        if self.halted is None and self.together is not None:
            self.together.watch_time()
        if self.halted is not None:
            raise self.halted

    def probe_now(self) -> None:
        """Let calls that wait for the provider try again at once."""
        for breaker in self.breakers.values():
            breaker.probe_now()

    def set_caps(self, caps: Caps) -> None:
        """Spend so much at most from now on, and when the run is resumed."""
        self.caps = caps
        self.store.jobs.set_caps(self.run, caps)

    async def _send(self, key: CallKey, request: Request, name: str, writer: Writer) -> Reply:
        """Ask until there is an answer, waiting for the provider for as long as it takes."""
        quote = writer.quote(request) if isinstance(writer, Metered) else Usage(usd=0.0)
        wasted = Usage(usd=0.0)
        while True:
            await self._wait(writer.name, quote)
            answer = await self._try(writer, key, request, quote)
            if isinstance(answer, ProviderDown):
                wasted = add_usage(wasted, answer.usage)
                continue
            usage = add_usage(wasted, answer.usage)
            reply = replace(answer, usage=usage, writer=answer.writer or name)
            self.unstored[key] = reply
            self.record_replies()
            self._emit_answered(key, reply)
            return reply

    def record_replies(self) -> None:
        """Record the replies that have not been yet. Raises StoreBlocked as long as that fails."""
        for key, reply in list(self.unstored.items()):
            self.store.search_log.record_done(key, reply)
            del self.unstored[key]

    async def _wait(self, name: str, quote: Usage) -> None:
        """Until the writer may be asked and the call fits into the budget. Raises Halted."""
        breaker = self.breakers[name]
        while True:
            self.raise_if_halted()
            refusal = self.budget.refusal(self.caps, quote)
            if refusal and not self.budget.waiting:
                self.halt(Halted("budget", refusal))
            elif breaker.open_for(time.monotonic()) > self.outage:
                self.halt(Halted("paused", f"{self._down[name]}; resume when it answers again"))
            elif not refusal and self._fits_study(quote) and breaker.admits(time.monotonic()):
                return
            else:
                await asyncio.sleep(LOOK)

    def _fits_study(self, quote: Usage) -> bool:
        """Whether the budget of the study, if there is one, has room for the call."""
        return self.together is None or self.together.admits(quote)

    async def _try(
        self, writer: Writer, key: CallKey, request: Request, quote: Usage
    ) -> Reply | ProviderDown:
        """Ask once, booked before it leaves."""
        log = self.store.search_log
        self.store.refuse_lost()
        log.record_sent(key, request)
        self.emit(CallSent(key.purpose, writer.name), key.generation, key.slot)
        self._hold(quote)
        used = Usage(usd=0.0)
        counts = True
        try:
            reply = await self._answer(writer, request)
            used = reply.usage
            self._note_answer(writer.name)
            self._refuse_repetition(key, reply)
            return reply
        except ProviderDown as down:
            used = down.usage
            counts = down.billed != "no"
            log.record_failed(key, str(down), down.billed)
            self._note_failure(writer.name, down)
            return down
        except WriterUnavailable as error:
            counts = False
            log.record_failed(key, str(error), "no")
            self.halt(self.halted or Halted("paused", str(error)))
            raise
        finally:
            self._free(quote, used, counts)

    def _hold(self, quote: Usage) -> None:
        """Set a quote aside, in the budget of the study too."""
        self.budget.hold(quote)
        if self.together is not None:
            self.together.hold(quote)

    def _free(self, quote: Usage, used: Usage, counts: bool) -> None:
        """The call is over; `counts` whether it was, or may have been, paid."""
        self.budget.free(quote, used)
        if self.together is not None:
            self.together.free(quote, used, counts)

    async def _answer(self, writer: Writer, request: Request) -> Reply:
        """The reply; of a writer that can be asked again only until the run is told to end."""
        if not isinstance(writer, Repeatable):
            return await writer.complete(request)
        answering = asyncio.ensure_future(writer.complete(request))
        try:
            while not (await asyncio.wait([answering], timeout=LOOK))[0]:
                self.raise_if_halted()
            return answering.result()
        finally:
            answering.cancel()

    def _refuse_repetition(self, key: CallKey, reply: Reply) -> None:
        """Raise WriterUnavailable when one unpaid refusal meets call after call.

        None of them then costs a slot: they are unpaid, and asked again when the run is resumed.
        """
        self._refusals.note(key, reply)
        if not self._refusals.too_many:
            return
        refused = self._refusals.keys
        chosen = choose_withdrawn(refused, self.store.calls(self.run))
        self.store.search_log.withdraw(chosen, reply.text)
        raise WriterUnavailable(
            f"{len(refused)} calls in a row were refused alike: {reply.text}; "
            "mend what the provider refuses, then resume: they are asked again"
        )

    def _note_failure(self, name: str, down: ProviderDown) -> None:
        """Count the failure; say so when from now on all calls to that writer wait."""
        now = time.monotonic()
        self._down[name] = str(down)
        breaker = self.breakers[name]
        before = breaker.until
        breaker.failed(now, down.wait)
        until = breaker.until
        if until is not None and until != before:
            text = f"waiting for the provider, next try in {until - now:.0f} s ({down})"
            self.emit(ProviderWaiting(text), None, None)
            self._set_reason(text)

    def _note_answer(self, name: str) -> None:
        """An answer came; say so if all calls to that writer were waiting for it."""
        if self.breakers[name].open:
            self.emit(ProviderBack(), None, None)
            self._set_reason("")
        self.breakers[name].answered()

    def _set_reason(self, text: str) -> None:
        with suppress(StoreBlocked):  # an answer just received counts more
            self.store.jobs.set_reason(Job("run", self.run), text)

    def _emit_answered(self, key: CallKey, reply: Reply) -> None:
        answered = CallAnswered(key.purpose, count_tokens(reply.usage), reply.usage.usd)
        self.emit(answered, key.generation, key.slot)
        if reply.finish == "content_filter":
            self.emit(CallRefused(reply.text), key.generation, key.slot)


def add_usage(one: Usage, other: Usage) -> Usage:
    """Both together; the money is unknown when either is."""
    known = one.usd is not None and other.usd is not None
    usd = (one.usd or 0.0) + (other.usd or 0.0) if known else None
    return Usage(one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out, usd)
