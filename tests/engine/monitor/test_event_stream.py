"""The stream of a run's events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.events import Event, read_fact
from engine.domain.status import Job
from engine.monitor.event_stream import EventHistory, EventStream, is_over
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from tests.engine.samples import SPEC

STARTED = Event(read_fact("run-started", {}))
SENT = Event(read_fact("call-sent", {"purpose": "program"}), 1, 2)
OPENED = Event(read_fact("generation-opened", {}), 0)
CLOSED = Event(read_fact("generation-closed", {"best": "p0001"}), 0, None)
WAITING = Event(read_fact("waiting", {"text": "next try in 30 s"}), None, None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one booked run."""
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        yield store


def kinds(feed: EventStream) -> list[str]:
    """What is new."""
    return [event.kind for event in feed.news()]


def test_events_come_once_and_in_order(store: Store) -> None:
    feed = EventStream(store, 1)
    store.search_log.record_events(1, [OPENED, CLOSED])
    assert kinds(feed) == ["generation-opened", "generation-closed"]
    assert kinds(feed) == []


def test_what_a_resumed_engine_tells_again_is_passed_over(store: Store) -> None:
    feed = EventStream(store, 1)
    store.search_log.record_events(1, [STARTED, OPENED, CLOSED])
    feed.skip()
    store.search_log.record_events(
        1, [STARTED, OPENED, CLOSED, Event(read_fact("generation-opened", {}), 1)]
    )
    assert [event.generation for event in feed.news()] == [None, 1]


def test_a_repair_is_told_and_after_resuming_not_again(store: Store) -> None:
    feed = EventStream(store, 1)
    store.search_log.record_events(1, [STARTED, SENT, SENT])
    assert kinds(feed) == ["run-started", "call-sent", "call-sent"]
    store.search_log.record_events(1, [STARTED, SENT, SENT, SENT])
    assert kinds(feed) == ["run-started", "call-sent"]


def test_waiting_twice_is_told_twice(store: Store) -> None:
    store.search_log.record_events(1, [WAITING, WAITING])
    assert kinds(EventStream(store, 1)) == ["waiting", "waiting"]


def test_a_long_run_is_read_to_its_end(store: Store) -> None:
    store.search_log.record_events(
        1, [Event(read_fact("candidate", {}), 1, slot) for slot in range(2500)]
    )
    assert len(kinds(EventStream(store, 1))) == 2500


def test_of_a_long_history_old_steps_are_left_out(store: Store) -> None:
    steps = [Event(read_fact("evaluating", {}), 1, slot) for slot in range(3)]
    store.search_log.record_events(1, [STARTED, *steps, STARTED, steps[0], SENT, OPENED, CLOSED])
    assert kinds(EventStream(store, 1, latest=2)) == [
        *("run-started", "evaluating", "run-started"),  # the step that an engine ended with
        *("call-sent", "generation-opened", "generation-closed"),
    ]
    assert len(kinds(EventStream(store, 1, latest=100))) == 8
    assert len(kinds(EventStream(store, 1))) == 8


def test_steps_of_the_last_generation_are_kept_however_many(store: Store) -> None:
    steps = [Event(read_fact("evaluating", {}), 1, slot) for slot in range(3)]
    store.search_log.record_events(1, [STARTED, OPENED, *steps, SENT])
    assert len(kinds(EventStream(store, 1, latest=1))) == 6


def test_a_run_is_over_only_when_its_engine_has_left(store: Store, tmp_path: Path) -> None:
    with Reader(tmp_path / "runs.db") as reader:
        assert not is_over(reader.run(1))
        store.jobs.claim(Job("run", 1), identity.current())
        assert not is_over(replace(reader.run(1), state="done"))
        store.jobs.release(Job("run", 1), "done")
        assert is_over(reader.run(1))


FACTS = [SENT.fact, OPENED.fact, CLOSED.fact, WAITING.fact]
EVENTS = st.builds(
    Event,
    st.sampled_from(FACTS),
    st.none() | st.integers(0, 2),
    st.none() | st.integers(0, 1),
)


@given(st.lists(st.lists(EVENTS, max_size=12), max_size=4))
def test_news_is_what_no_earlier_engine_recorded_as_often(engines: list[list[Event]]) -> None:
    history = EventHistory()
    known: Counter[Event] = Counter()
    for events in engines:
        assert history.is_news(STARTED)
        seen: Counter[Event] = Counter()
        for event in events:
            seen[event] += 1
            is_news = event.generation is None or seen[event] > known[event]
            assert history.is_news(event) == is_news
        known |= seen
