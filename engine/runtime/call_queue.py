"""The calls of a run: recorded before they leave, held back while they cannot be paid for or
answered, and never a slot lost to a provider that is down."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from engine.domain.events import (
    CallAnswered,
    CallRefused,
    CallSent,
    Fact,
    ProviderBack,
    ProviderWaiting,
)
from engine.domain.records import Billed, CallKey
from engine.domain.specs.settings import Caps
from engine.domain.status import Job
from engine.domain.text.codec import content_key
from engine.domain.values import Reply, Request, Usage
from engine.llm.base import Metered, ProviderDown, Repeatable, Retrying, Writer
from engine.llm.openai.limiter import Breaker
from engine.runtime.budget import Budget, StudyBudget, count_tokens
from engine.runtime.job import Halted
from engine.runtime.writers.refusals import MOST, Refusals, choose_withdrawn, recall
from engine.store.search_log import WITHDRAWN
from engine.store.store import Store
from problems.errors import RunMismatch, StoreBlocked, WriterUnavailable

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
    the runs of a study may spend together; `largest` are the tokens of each writer's longest
    answer.
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
    largest: dict[str, int] = field(init=False)
    _tried: set[str] = field(default_factory=set)
    _down: dict[str, str] = field(default_factory=dict)
    _refusals: Refusals = field(init=False)

    def __post_init__(self) -> None:
        self._refusals = recall(self.store.last_answered(self.run, MOST))
        self.largest = self.store.largest_answers(self.run)
        self.budget.spent = self.store.totals(self.run).spent

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
        while True:
            answer = await self._try(Attempts(self, key, request, name, writer))
            if isinstance(answer, ProviderDown):
                continue
            reply = replace(answer, writer=answer.writer or name)
            self.unstored[key] = reply
            self.record_replies()
            self._emit_answered(key, reply)
            return reply

    def record_replies(self) -> None:
        """Record the replies that have not been yet. Raises StoreBlocked as long as that fails."""
        for key, reply in list(self.unstored.items()):
            self.store.search_log.record_done(key, reply)
            del self.unstored[key]

    @property
    def capped(self) -> bool:
        """Whether tokens or money are capped, of this run or of all of its study."""
        caps = [self.caps] if self.together is None else [self.caps, self.together.caps]
        return any(cap.tokens is not None or cap.usd is not None for cap in caps)

    async def admit(self, writer: str, ask: Callable[[], Usage], first: bool) -> Usage:
        """Wait until the writer may be asked and the attempt fits into the budget; its quote.

        The first attempt at an answer waits for the provider, too. Raises Halted.
        """
        breaker = self.breakers[writer]
        while True:
            self.raise_if_halted()
            quote = ask()
            refusal = self.budget.refusal(self.caps, quote)
            if refusal and not self.budget.waiting:
                self.halt(Halted("budget", refusal))
            elif breaker.open_for(time.monotonic()) > self.outage:
                self.halt(Halted("paused", f"{self._down[writer]}; resume when it answers again"))
            elif (
                not refusal
                and self._knows(writer)
                and self._fits_study(quote)
                and (not first or breaker.admits(time.monotonic()))
            ):
                return quote
            else:
                await asyncio.sleep(LOOK)

    def _knows(self, writer: str) -> bool:
        """Whether another attempt may leave beside those under way.

        Under a cap the very first goes alone: it shows whether its quote holds.
        """
        return not self.capped or writer in self._tried or not self.budget.under_way(writer)

    def _fits_study(self, quote: Usage) -> bool:
        """Whether the budget of the study, if there is one, has room for the attempt."""
        return self.together is None or self.together.admits(quote)

    async def _try(self, attempts: Attempts) -> Reply | ProviderDown:
        """Ask once, recorded before it leaves."""
        name = attempts.writer.name
        try:
            reply = await self._answer(attempts)
            attempts.settle(reply.usage, "yes")
            self._note_answer(name)
            self._refuse_repetition(attempts.key, reply)
            return reply
        except ProviderDown as down:
            attempts.fail_if_open(str(down), down.billed, down.usage)
            self._note_failure(name, down)
            return down
        except WriterUnavailable as error:
            attempts.fail_if_open(str(error), "no", Usage(usd=0.0))
            self.halt(self.halted or Halted("paused", str(error)))
            raise
        finally:
            attempts.abandon()

    def hold(self, writer: str, quote: Usage) -> None:
        """Set a quote aside, in the budget of the study too."""
        self.budget.hold(writer, quote)
        if self.together is not None:
            self.together.budget.hold(writer, quote)

    def free(self, writer: str, quote: Usage, used: Usage, billed: Billed) -> None:
        """An attempt is over; `billed` whether it was, or may have been, paid."""
        self._tried.add(writer)
        self.budget.free(writer, quote, used, billed)
        if self.together is not None:
            self.together.budget.free(writer, quote, used, billed)

    async def _answer(self, attempts: Attempts) -> Reply:
        """The reply; of a writer that can be asked again only until the run is told to end."""
        writer = attempts.writer
        request = attempts.request
        if isinstance(writer, Retrying):
            return await writer.complete_metered(request, attempts)
        await attempts.begin(lambda: _quote(writer, request))
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
        self.store.search_log.withdraw(list({*chosen, key}), reply.text)
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


@dataclass(slots=True)
class Attempts:
    """The attempts at one reply, as a writer reports them (`engine.llm.base.Meter`).

    At most one is under way; it is in the store with all that it may cost until it is settled.
    """

    queue: CallQueue
    key: CallKey
    request: Request
    name: str
    writer: Writer
    _quote: Usage | None = None
    _begun: bool = False

    @property
    def capped(self) -> bool:
        """Whether tokens or money are capped."""
        return self.queue.capped

    @property
    def largest(self) -> int:
        """Tokens of the longest answer of this writer in the run."""
        known = self.queue.largest
        return max(known.get(self.name, 0), known.get("", 0))

    async def begin(self, quote: Callable[[], Usage]) -> None:
        """Wait until the quote fits into the budget and record the attempt. Raises Halted."""
        queue = self.queue
        most = await queue.admit(self.writer.name, quote, first=not self._begun)
        queue.store.refuse_lost()
        queue.store.search_log.record_sent(self.key, self.request, self.name, most)
        queue.hold(self.writer.name, most)
        self._quote = most
        if not self._begun:
            self._begun = True
            key = self.key
            queue.emit(CallSent(key.purpose, self.writer.name), key.generation, key.slot)

    def fail(self, error: str, billed: Billed, used: Usage | None) -> None:
        """Record that the attempt came to nothing; `used` None: all that was quoted."""
        quote = self._quote or Usage(usd=0.0)
        spent = quote if used is None else used
        if billed == "maybe":
            spent = _larger(quote, spent)
        elif count_tokens(spent) or spent.usd:
            billed = "yes"
        self.queue.store.search_log.record_failed(self.key, error, billed, spent)
        self.settle(spent, billed)

    def fail_if_open(self, error: str, billed: Billed, used: Usage) -> None:
        """The same for an attempt that the writer has not reported itself."""
        if self._quote is not None:
            self.fail(error, billed, used)

    def settle(self, used: Usage, billed: Billed) -> None:
        """The attempt is over: what it used is spent, and its answer's length known."""
        if self._quote is None:
            return
        quote = self._quote
        self._quote = None
        self.queue.free(self.writer.name, quote, used, billed)
        if billed == "yes":
            largest = self.queue.largest
            largest[self.name] = max(largest.get(self.name, 0), used.tokens_out)

    def abandon(self) -> None:
        """Leave an attempt that nobody waits for as it is recorded: all of it may be paid."""
        if self._quote is not None:
            self.settle(self._quote, "maybe")


def _quote(writer: Writer, request: Request) -> Usage:
    """What a request may use at most; nothing where the writer is not metered."""
    return writer.quote(request) if isinstance(writer, Metered) else Usage(usd=0.0)


def _larger(quote: Usage, used: Usage) -> Usage:
    """The larger of each; money that was not quoted is what is known of it."""
    usd = used.usd if quote.usd is None else max(quote.usd, used.usd or 0.0)
    tokens_in = max(quote.tokens_in, used.tokens_in)
    return Usage(tokens_in, max(quote.tokens_out, used.tokens_out), usd)


def add_usage(one: Usage, other: Usage) -> Usage:
    """Both together; the money is unknown when either is."""
    known = one.usd is not None and other.usd is not None
    usd = (one.usd or 0.0) + (other.usd or 0.0) if known else None
    return Usage(one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out, usd)
