"""Calls through the ledger: held back by a provider that is down or a cap, lost to neither."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.domain.records import Billed, CallKey, Spent
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.status import Job
from engine.domain.values import Message, Reply, Request, Usage
from engine.llm.base import ProviderDown
from engine.llm.openai.limiter import Breaker
from engine.runtime import control
from engine.runtime.job import Halted, obey
from engine.runtime.ledger import Ledger
from engine.runtime.plan import plan
from engine.search.methods.methods import OURS
from engine.store import process_identity as identity
from engine.store.search_log import SearchLog
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import DiskFull, StoreLost, WriterUnavailable

QUOTE = Usage(100, 50, 0.5)
USED = Usage(90, 20, 0.3)


@dataclass
class Moody:
    """A metered writer that is down for its first `down` calls, or refuses for good."""

    down: int = 0
    broken: str = ""
    name: str = "moody"
    asked: list[str] = field(default_factory=list)

    def quote(self, request: Request) -> Usage:
        """The same for all."""
        return QUOTE

    async def complete(self, request: Request) -> Reply:
        """The question comes back, sooner or later."""
        text = request.messages[0].content
        self.asked.append(text)
        await asyncio.sleep(0)
        if self.broken:
            raise WriterUnavailable(self.broken)
        if len(self.asked) <= self.down:
            raise ProviderDown("nobody there", Usage(7, 0, 0.1), "maybe")
        return Reply(text, usage=USED)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one run, at work in this very process."""
    with Store(tmp_path / "runs.db") as opened:
        opened.jobs.create_run(
            RunSpec(ProblemRef("tests/toy"), settings=Settings(llm_concurrency=2))
        )
        opened.jobs.claim(Job("run", 1), identity.current())
        yield opened


def open_ledger(store: Store, writer: Moody, caps: Caps | None = None) -> Ledger:
    """A ledger for calls alone; its breaker waits hundredths of seconds, not minutes."""
    spec = store.run(1).spec
    resources: Any = SimpleNamespace(
        call_slots=asyncio.Semaphore(spec.settings.llm_concurrency),
        key_locks=defaultdict[str, asyncio.Lock](asyncio.Lock),
    )
    nobody: Any = None
    planned = plan(replace(spec, teacher="rollout"), OURS)
    ledger = Ledger(store, 1, planned, resources, {"builtin": writer}, writer, nobody)
    ledger.queue.caps = caps or Caps()
    ledger.queue.breakers[writer.name] = Breaker(first=0.02, longest=0.05)
    return ledger


async def ask_all(ledger: Ledger, count: int = 6) -> list[Reply | BaseException]:
    """One program call per slot, all at once, as the loop asks them."""
    requests = (Request("program", "s", (Message("user", f"{n}"),), ()) for n in range(count))
    calls = (ledger.ask("program", 1, slot, 0, request) for slot, request in enumerate(requests))
    return await asyncio.gather(*calls, return_exceptions=True)


def texts(results: list[Reply | BaseException]) -> list[str]:
    """What was answered; fails on an error."""
    assert all(isinstance(result, Reply) for result in results), results
    return [result.text for result in results if isinstance(result, Reply)]


def kinds(store: Store) -> list[str]:
    """The kinds of the run's events in order."""
    return [event.kind for event in store.events(1)]


def test_no_slot_is_lost_while_the_provider_is_down(store: Store) -> None:
    ledger = open_ledger(store, Moody(down=7))
    assert texts(asyncio.run(ask_all(ledger))) == ["0", "1", "2", "3", "4", "5"]
    ledger.flush()
    told = [kind for kind in kinds(store) if kind in ("waiting", "provider-back")]
    assert told[0] == "waiting"
    assert told[-1] == "provider-back"
    assert told.count("provider-back") == 1
    assert (store.run(1).state, store.run(1).reason) == ("running", "")


def test_at_most_three_calls_and_those_under_way_fail_before_all_wait(store: Store) -> None:
    writer = Moody(down=10**6)
    ledger = open_ledger(store, writer)
    ledger.queue.breakers[writer.name] = Breaker(first=3600.0)

    async def watch() -> None:
        asking = asyncio.create_task(ask_all(ledger))
        while not ledger.queue.breakers[Moody.name].open:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.3)
        assert 3 <= len(writer.asked) <= 3 + 1  # two lanes: one more was under way
        assert "waiting for the provider" in store.run(1).reason
        ledger.queue.halt(Halted("stopped", "stopped on request"))
        assert [str(result) for result in await asking] == ["stopped on request"] * 6

    asyncio.run(watch())
    assert all(call.state == "failed" for call in store.calls(1))


def test_a_provider_that_stays_down_is_given_up_and_named(store: Store) -> None:
    ledger = open_ledger(store, Moody(down=10**6))
    ledger.queue.outage = 0.0
    (halted, *_) = asyncio.run(ask_all(ledger))
    assert isinstance(halted, Halted)
    assert halted.state == "paused"
    assert halted.reason == "nobody there; resume when it answers again"


def test_resume_by_hand_probes_at_once(store: Store) -> None:
    ledger = open_ledger(store, Moody(down=4))
    ledger.queue.breakers[Moody.name] = Breaker(first=3600.0)

    async def mend() -> list[str]:
        asking = asyncio.create_task(ask_all(ledger))
        while not asking.done():
            await asyncio.sleep(0.01)
            if ledger.queue.breakers[Moody.name].open:
                control.send(store.path, Job("run", 1), control.Command("resume"))
                obey(store, Job("run", 1), ledger.queue)
        return texts(await asking)

    assert len(asyncio.run(mend())) == 6


def test_lost_attempts_count_as_all_that_was_quoted_also_when_resumed(store: Store) -> None:
    ledger = open_ledger(store, Moody(down=2))
    (reply,) = asyncio.run(ask_all(ledger, count=1))
    assert isinstance(reply, Reply) and reply.usage == USED
    (call,) = store.calls(1)
    assert call.reply == reply
    totals = store.totals(1)
    assert (totals.calls, totals.maybe) == (3, 2)
    assert (totals.tokens_in, totals.tokens_out) == (90 + 2 * 100, 20 + 2 * 50)
    assert totals.usd == pytest.approx(0.3 + 2 * 0.5)
    assert totals.maybe_tokens == 300
    assert totals.maybe_usd == pytest.approx(1.0)
    assert ledger.queue.budget.spent == totals.spent
    assert open_ledger(store, Moody()).queue.budget.spent == totals.spent


@dataclass
class Failing(Moody):
    """Fails in one way for ever: `used` and `billed` of its errors."""

    used: Usage = field(default_factory=Usage)
    billed: Billed = "no"

    async def complete(self, request: Request) -> Reply:
        """No answer."""
        self.asked.append(request.messages[0].content)
        raise ProviderDown("nobody there", self.used, self.billed)


@pytest.mark.parametrize(
    ("used", "billed", "cap", "asked"),
    [
        (Usage(), "maybe", Caps(usd=1.2), 2),
        (Usage(), "maybe", Caps(tokens=400), 2),
        (Usage(), "maybe", Caps(calls=3), 3),
        (Usage(90, 20, 0.3), "no", Caps(usd=1.2), 3),
        (Usage(90, 20, 0.3), "yes", Caps(calls=3), 3),
    ],
)
def test_paid_failures_count_against_every_cap_and_a_resume_adds_none(
    store: Store, used: Usage, billed: Billed, cap: Caps, asked: int
) -> None:
    writer = Failing(used=used, billed=billed)
    for _ in range(2):
        results = asyncio.run(ask_all(open_ledger(store, writer, cap)))
        assert {type(result) for result in results} == {Halted}
        assert len(writer.asked) == asked
    halted = results[0]
    assert isinstance(halted, Halted) and halted.state == "budget"
    assert ("without an answer" in halted.reason) == (billed == "maybe")


def test_an_attempt_under_way_when_the_engine_is_killed_counts_as_its_quote(store: Store) -> None:
    key = CallKey(1, "program", 1, 0)
    request = Request("program", "s", (Message("user", "0"),), ())
    store.search_log.record_sent(key, request, "builtin", QUOTE)
    resumed = open_ledger(store, Moody(), Caps(usd=0.9))
    assert resumed.queue.budget.spent == Spent(1, 150, 0.5, 1, 150, 0.5)
    assert {type(result) for result in asyncio.run(ask_all(resumed))} == {Halted}


def test_under_a_cap_the_first_attempt_goes_alone(store: Store) -> None:
    beside: list[int] = []
    two = asyncio.Event()

    class Slow(Moody):
        under_way = 0

        async def complete(self, request: Request) -> Reply:
            self.under_way += 1
            beside.append(self.under_way)
            if self.under_way == 2:
                two.set()
            if len(beside) > 1:
                await two.wait()  # the second waits for a third beside it
            for _ in range(50):
                await asyncio.sleep(0)
            self.under_way -= 1
            return await super().complete(request)

    asyncio.run(ask_all(open_ledger(store, Slow(), Caps(tokens=10**6)), count=3))
    assert beside == [1, 1, 2]


def test_calls_that_wait_are_quoted_again_by_what_the_first_one_used(store: Store) -> None:
    class Growing(Moody):
        def quote(self, request: Request) -> Usage:
            return USED if not self.asked else Usage(100, 50, 10.0)

    writer = Growing()
    results = asyncio.run(ask_all(open_ledger(store, writer, Caps(usd=5.0))))
    assert len(writer.asked) == 1
    assert sum(isinstance(result, Halted) for result in results) == 5


def test_the_longest_answer_of_a_writer_is_known_when_the_run_is_resumed(store: Store) -> None:
    asyncio.run(ask_all(open_ledger(store, Moody())))
    assert open_ledger(store, Moody()).queue.largest == {"builtin": 20}


def test_a_fault_that_only_a_person_mends_pauses_within_one_call(store: Store) -> None:
    writer = Moody(broken="the key is not accepted")
    ledger = open_ledger(store, writer)
    results = asyncio.run(ask_all(ledger))
    assert {str(result) for result in results} == {"the key is not accepted"}
    assert len(writer.asked) <= 2  # as many as left in the same moment
    halted = ledger.queue.halted
    assert halted is not None
    assert (halted.state, halted.reason) == ("paused", "the key is not accepted")
    assert {call.billed for call in store.calls(1)} == {"no"}


@pytest.mark.parametrize("calls", range(7))
def test_a_token_cap_is_never_exceeded_and_raised_changes_no_answer(
    store: Store, calls: int
) -> None:
    """Room for so many calls: each used 110 tokens, and the next one may use 150."""
    writer = Moody()
    cap = 110 * calls + 149
    ledger = open_ledger(store, writer, Caps(tokens=cap))
    results = asyncio.run(ask_all(ledger))
    assert len(writer.asked) == min(6, calls)
    assert ledger.queue.budget.spent.tokens <= cap
    unanswered = [result for result in results if not isinstance(result, Reply)]
    assert len(unanswered) == 6 - min(6, calls)
    for result in unanswered:
        assert isinstance(result, Halted)
        assert result.state == "budget"
        assert "raise --max-" in result.reason
    resumed = open_ledger(store, writer, Caps(tokens=10**6))
    assert resumed.queue.budget.spent == ledger.queue.budget.spent
    assert texts(asyncio.run(ask_all(resumed))) == ["0", "1", "2", "3", "4", "5"]
    assert sorted(writer.asked) == ["0", "1", "2", "3", "4", "5"]


def test_a_run_that_is_told_to_end_does_not_wait_for_what_can_be_asked_again(
    store: Store,
) -> None:
    class Person(Moody):
        async def complete(self, request: Request) -> Reply:
            self.asked.append(request.messages[0].content)
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

        def withdraw(self, request: Request) -> None:
            """Costs nothing."""

    writer = Person()
    ledger = open_ledger(store, writer)

    async def stop_meanwhile() -> None:
        asking = asyncio.create_task(ask_all(ledger))
        while not writer.asked:
            await asyncio.sleep(0.001)
        ledger.queue.halt(Halted("paused", "paused on request"))
        assert all(isinstance(answer, Halted) for answer in await asking)

    asyncio.run(stop_meanwhile())
    resumed = open_ledger(store, Moody())
    assert len(asyncio.run(ask_all(resumed))) == 6


def test_a_money_cap_holds_while_calls_are_under_way_together(store: Store) -> None:
    writer = Moody()
    ledger = open_ledger(store, writer, Caps(usd=1.2))
    asyncio.run(ask_all(ledger))
    assert len(writer.asked) == 3  # 0.3 each, and 0.5 set aside: a fourth could reach 1.4
    assert ledger.queue.budget.spent.usd == pytest.approx(0.9)


def test_a_run_whose_time_is_over_begins_nothing_and_counts_on_when_resumed(
    store: Store,
) -> None:
    writer = Moody()
    ledger = open_ledger(store, writer, Caps(seconds=3600))
    assert texts(asyncio.run(ask_all(ledger))) == ["0", "1", "2", "3", "4", "5"]
    ledger.queue.budget.seconds = 3600  # what it was at work before it was resumed
    with pytest.raises(Halted, match=r"cap of 1h .*raise --max-time") as over:
        ledger.queue.raise_if_halted()
    assert over.value.state == "budget"
    resumed = open_ledger(store, writer, Caps(seconds=7200))
    resumed.queue.budget.seconds = 3600
    resumed.queue.raise_if_halted()


def test_an_unknown_price_leaves_money_uncounted_and_tokens_capped(store: Store) -> None:
    class Unpriced(Moody):
        def quote(self, request: Request) -> Usage:
            return replace(QUOTE, usd=None)

        async def complete(self, request: Request) -> Reply:
            return replace(await super().complete(request), usage=replace(USED, usd=None))

    writer = Unpriced()
    ledger = open_ledger(store, writer, Caps(tokens=400, usd=0.01))
    asyncio.run(ask_all(ledger))
    assert len(writer.asked) == 3
    assert store.totals(1).unpriced == 3


def test_a_cap_that_is_raised_while_calls_wait_lets_them_leave(store: Store) -> None:
    writer = Moody()
    ledger = open_ledger(store, writer, Caps(tokens=0))
    ledger.queue.budget.hold("moody", QUOTE)  # a call under way, so that the others wait for it

    async def raise_later() -> list[str]:
        asking = asyncio.create_task(ask_all(ledger))
        await asyncio.sleep(0.05)
        assert writer.asked == []
        ledger.queue.caps = Caps()
        return texts(await asking)

    assert len(asyncio.run(raise_later())) == 6


def full(store: Store, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """Let writes of the search log meet a full disk from now on; returns what was tried."""
    tried: list[str] = []

    def refuse(name: str) -> Callable[..., None]:
        def write(self: SearchLog, *arguments: object) -> None:
            tried.append(name)
            raise DiskFull("the disk is full")

        return write

    for name in names:
        monkeypatch.setattr(SearchLog, name, refuse(name))
    return tried


def test_a_reply_that_a_full_disk_refuses_is_held_and_never_asked_for_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.job.PROBE", 0.01)
    writer = Moody()
    ledger = open_ledger(store, writer)

    async def fill_and_free() -> list[Reply | BaseException]:
        with monkeypatch.context() as patch:
            tried = full(store, patch, "record_done", "record_events")
            results = await ask_all(ledger)
            assert all(isinstance(result, DiskFull) for result in results)
            assert list(ledger.queue.unstored.values()) == [
                Reply(text, usage=USED, writer="builtin") for text in writer.asked
            ]
            ledger.queue.halt(Halted("paused", "a pause does not throw paid replies away"))
            waiting = asyncio.create_task(ledger.wait_for_store(DiskFull("the disk is full")))
            tried.clear()
            while len(tried) < 3:
                await asyncio.sleep(0)
            assert not waiting.done()
            row = store.run(1)
            assert (row.state, row.reason) == (
                "paused",
                "the disk is full; the run continues by itself",
            )
        await waiting
        ledger.restart()
        ledger.queue.halted = None
        return await ask_all(ledger)

    assert texts(asyncio.run(fill_and_free())) == ["0", "1", "2", "3", "4", "5"]
    assert sorted(writer.asked) == ["0", "1", "2", "3", "4", "5"]
    assert (store.run(1).state, store.run(1).reason) == ("running", "")
    assert store.totals(1).calls == 6


def test_no_call_leaves_once_the_store_is_deleted(store: Store) -> None:
    writer = Moody()
    ledger = open_ledger(store, writer)
    store.path.unlink()
    results = asyncio.run(ask_all(ledger))
    assert all(isinstance(result, StoreLost) for result in results), results
    assert writer.asked == []


def test_a_stop_ends_a_run_that_waits_for_space(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_ledger(store, Moody())
    ledger.queue.halt(Halted("stopped", "stopped on request"))
    with pytest.raises(Halted):
        asyncio.run(ledger.wait_for_store(DiskFull("the disk is full")))


@dataclass
class Strict(Moody):
    """Refuses what its `rules` say, unpaid, and answers the rest."""

    rules: tuple[str, ...] = ()
    paid: Usage = field(default_factory=Usage)

    async def complete(self, request: Request) -> Reply:
        """A refusal or the question."""
        number = len(self.asked)
        reply = await Moody.complete(self, request)
        rule = self.rules[number] if number < len(self.rules) else ""
        return Reply(rule, "content_filter", usage=self.paid) if rule else reply


async def ask_in_turn(ledger: Ledger, count: int = 6) -> list[Reply | BaseException]:
    """One call after the other."""
    ledger.queue.call_slots = asyncio.Semaphore(1)
    return await ask_all(ledger, count)


def test_three_equal_refusals_in_a_row_pause_the_run_and_cost_no_slot(store: Store) -> None:
    writer = Strict(rules=("HTTP 400: no",) * 6)
    ledger = open_ledger(store, writer)
    asyncio.run(ask_in_turn(ledger))
    assert len(writer.asked) == 3
    halted = ledger.queue.halted
    assert halted is not None and halted.state == "paused"
    assert "3 calls in a row were refused alike: HTTP 400: no" in halted.reason
    assert [(c.state, c.billed, c.error, c.reply) for c in store.calls(1)][:2] == [
        ("failed", "no", "HTTP 400: no", None)
    ] * 2
    assert {call.billed for call in store.calls(1)} == {"no"}
    assert store.totals(1).calls == 0
    mended = open_ledger(store, Strict())
    assert texts(asyncio.run(ask_in_turn(mended))) == ["0", "1", "2", "3", "4", "5"]
    assert store.totals(1).calls == 6


def test_equal_refusals_are_counted_on_when_the_run_is_resumed(store: Store) -> None:
    writer = Strict(rules=("no",) * 6)
    asyncio.run(ask_in_turn(open_ledger(store, writer), count=2))
    resumed = open_ledger(store, writer)
    asyncio.run(ask_in_turn(resumed))
    assert len(writer.asked) == 3
    assert resumed.queue.halted is not None
    again = open_ledger(store, Strict(rules=("no",)))  # what was asked again is not counted
    assert texts(asyncio.run(ask_in_turn(again))) == ["no", "1", "2", "3", "4", "5"]


def test_an_answer_between_two_runs_of_refusals_is_counted_as_well(store: Store) -> None:
    asyncio.run(ask_in_turn(open_ledger(store, Strict(rules=("no", "no"))), count=3))
    resumed = open_ledger(store, Strict(rules=("no", "no")))
    assert len(texts(asyncio.run(ask_in_turn(resumed)))) == 6


def ask_one(ledger: Ledger, purpose: str, generation: int, slot: int, text: str) -> object:
    """What comes of one call."""

    async def ask() -> object:
        request = Request("program", "s", (Message("user", text),), ())
        try:
            return (await ledger.ask(purpose, generation, slot, 0, request)).text
        except WriterUnavailable:
            return None

    return asyncio.run(ask())


def test_a_refused_analysis_is_asked_again_when_nothing_was_built_on_it(store: Store) -> None:
    ledger = open_ledger(store, Strict(rules=("no",) * 3))
    ask_one(ledger, "analyzer", 1, 0, "analysis")
    ask_one(ledger, "program", 1, 0, "without a brief")
    assert ask_one(ledger, "program", 1, 1, "without a brief") is None
    resumed = open_ledger(store, Strict())
    assert ask_one(resumed, "analyzer", 1, 0, "analysis") == "analysis"
    assert ask_one(resumed, "program", 1, 0, "with a brief") == "with a brief"
    assert ask_one(resumed, "program", 1, 1, "with a brief") == "with a brief"


def test_a_refused_analysis_stays_where_other_calls_have_left_without_it(store: Store) -> None:
    ledger = open_ledger(store, Strict(rules=("no",) * 3))
    ask_one(ledger, "analyzer", 1, 0, "analysis")
    request = Request("program", "s", (Message("user", "without a brief"),), ())
    store.search_log.record_sent(CallKey(1, "program", 1, 5), request)  # still under way
    ask_one(ledger, "program", 1, 0, "without a brief")
    assert ask_one(ledger, "program", 1, 1, "without a brief") is None
    resumed = open_ledger(store, Strict())
    assert ask_one(resumed, "analyzer", 1, 0, "analysis") == "no"
    assert ask_one(resumed, "program", 1, 0, "without a brief") == "without a brief"


def test_what_a_closed_generation_was_made_of_stays(store: Store) -> None:
    ledger = open_ledger(store, Strict(rules=("no",) * 3))
    ask_one(ledger, "program", 1, 4, "last of its generation")
    ask_one(ledger, "program", 2, 0, "first of the next")
    assert ask_one(ledger, "program", 2, 1, "second of it") is None
    resumed = open_ledger(store, Strict())
    assert ask_one(resumed, "program", 1, 4, "last of its generation") == "no"
    assert ask_one(resumed, "program", 2, 0, "first of the next") == "first of the next"


@pytest.mark.parametrize(
    "rules",
    [
        ("no", "no", "", "no", "no", ""),
        ("no", "never", "no", "never", "no", "never"),
    ],
)
def test_refusals_that_differ_cost_their_slots_alone(store: Store, rules: tuple[str, ...]) -> None:
    ledger = open_ledger(store, Strict(rules=rules))
    assert len(texts(asyncio.run(ask_in_turn(ledger)))) == 6


def test_refusals_that_were_paid_are_kept(store: Store) -> None:
    ledger = open_ledger(store, Strict(rules=("no",) * 6, paid=USED))
    assert texts(asyncio.run(ask_in_turn(ledger))) == ["no"] * 6
