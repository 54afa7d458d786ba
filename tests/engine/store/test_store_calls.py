"""Calls are booked before they leave, answered once, and never forgotten when they are lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from engine.domain.records import Billed, CallKey, Spent
from engine.domain.values import Reply, Usage
from engine.store.store import Store
from engine.store.thinning import outline_request
from problems.errors import RunMismatch, StoreError
from tests.engine.samples import REPLY, REQUEST, SPEC


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as store:
        yield store


@pytest.fixture
def run(store: Store) -> int:
    return store.jobs.create_run(SPEC)


def test_a_call_is_booked_before_it_leaves_and_its_reply_kept(store: Store, run: int) -> None:
    key = CallKey(run, "program", 1, 0)
    assert store.call(key) is None
    store.search_log.record_sent(key, REQUEST)
    sent = store.call(key)
    assert sent is not None
    assert (sent.state, sent.billed, sent.reply) == ("sent", "maybe", None)
    store.search_log.record_done(key, REPLY)
    done = store.call(key)
    assert done is not None
    assert (done.state, done.billed, done.reply) == ("done", "yes", REPLY)
    assert store.calls(run) == (done,)
    (exchange,) = store.exchanges(run, 1, 0)
    assert (exchange.call, exchange.request) == (done, outline_request(REQUEST))


def test_an_answered_call_is_never_sent_again(store: Store, run: int) -> None:
    key = CallKey(run, "program", 1, 0)
    store.search_log.record_sent(key, REQUEST)
    store.search_log.record_done(key, REPLY)
    with pytest.raises(StoreError, match="answered already"):
        store.search_log.record_sent(key, REQUEST)


def test_a_call_that_would_ask_something_else_is_refused(store: Store, run: int) -> None:
    key = CallKey(run, "program", 1, 0)
    store.search_log.record_sent(key, REQUEST)
    with pytest.raises(RunMismatch, match="program call of generation 1"):
        store.search_log.record_sent(key, replace(REQUEST, draw=6))


def test_calls_that_were_lost_stay_counted_and_free_failures_do_not(
    store: Store, run: int
) -> None:
    lost, refused = CallKey(run, "program", 1, 0), CallKey(run, "program", 1, 1)
    for _ in range(2):  # the engine was killed in between
        store.search_log.record_sent(lost, REQUEST, most=Usage(90, 40, 0.5))
    store.search_log.record_done(lost, REPLY)
    store.search_log.record_sent(refused, REQUEST)
    store.search_log.record_failed(refused, "401", "no")
    totals = store.totals(run)
    assert (totals.calls, totals.maybe, totals.unpriced) == (2, 1, 0)
    assert (totals.tokens_in, totals.tokens_out) == (100 + 90, 20 + 40)
    assert totals.usd == pytest.approx((REPLY.usage.usd or 0.0) + 0.5)


def test_asked_again_a_writer_that_is_not_paid_was_called_once(store: Store, run: int) -> None:
    key = CallKey(run, "program", 1, 0)
    for _ in range(3):  # a folder's prompt, of a run that was paused twice
        store.search_log.record_sent(key, REQUEST)
    assert store.totals(run).calls == 1
    store.search_log.record_done(key, Reply("{As before.}"))
    assert (store.totals(run).calls, store.totals(run).maybe) == (1, 0)


def test_every_attempt_is_a_row_with_what_it_used_or_used_at_most(store: Store, run: int) -> None:
    key = CallKey(run, "program", 1, 0)
    most = Usage(10, 40, 0.5)
    for billed, used in (("no", Usage(usd=0.0)), ("yes", Usage(9, 3, 0.1)), ("maybe", most)):
        store.search_log.record_sent(key, REQUEST, "paid", most)
        assert store.totals(run).maybe_usd == 0.5
        store.search_log.record_failed(key, "nothing came", cast("Billed", billed), used)
    assert store.totals(run).spent == Spent(2, 62, 0.6, 1, 50, 0.5)
    store.search_log.record_sent(key, REQUEST, "paid", most)
    store.search_log.record_done(key, REPLY)
    totals = store.totals(run)
    assert (totals.calls, totals.maybe, totals.tokens_out) == (3, 1, 3 + 40 + 20)
    assert store.largest_answers(run) == {"paid": 20}
