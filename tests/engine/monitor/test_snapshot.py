"""Snapshots: what events and rows of the store add up to, while a run works and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.events import Event, Note, Scalar, TeacherMeasured, read_fact
from engine.domain.names import TEACHER_WORD
from engine.domain.values import Candidate, Diagnostics, Failure, Program
from engine.monitor.children import ChildInProgress, follow, restart_wait
from engine.monitor.members import rank, rank_members
from engine.monitor.monitor import Monitor
from engine.monitor.snapshot import Snapshot
from engine.monitor.timeline import Timeline
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from tests.tui.exhibit import DONE, FAILED, LIVE, NOW, choose_another


@pytest.fixture
def reader(exhibit: Path) -> Iterator[Reader]:
    """The fixed store, opened."""
    with Reader(exhibit) as reader:
        yield reader


def event(kind: str, time: float, generation: int = 1, slot: int = 0, **data: Scalar) -> Event:
    """An event of a slot."""
    return Event(read_fact(kind, data), generation, slot, time=time)


def ask(time: float) -> Event:
    """A writer is asked for a child."""
    return event("call-sent", time, purpose="program", writer="w")


def answer(time: float) -> Event:
    """It answers."""
    return event("call-answered", time, purpose="program", tokens=3)


def follow_all(*events: Event) -> ChildInProgress:
    """What a child has come to."""
    child = None
    for one in events:
        child = follow(child, one)
    assert child is not None
    return child


def candidate(
    slot: int, cost: float | None, agreement: float = 0.5, generation: int = 1
) -> Candidate:
    """A candidate of a generation."""
    return Candidate(
        id=f"p{generation}{slot}",
        program=Program("", "", str(slot)),
        operator="s",
        generation=generation,
        slot=slot,
        cost=cost,
        diagnostics=Diagnostics(agreement, 0.1, 0.01, None, None, 100, 0, 0),
        failure=None if cost is not None else Failure("timeout", "too slow"),
    )


def look(reader: Reader, run: int, now: float = NOW) -> Snapshot:
    """The first snapshot of a run."""
    snapshot = Monitor(reader, run).look(now)
    assert snapshot is not None
    return snapshot


def test_a_child_waits_for_its_writer_and_says_how_long() -> None:
    assert follow_all(ask(10.0)).format_stage(22.9) == "writer 12 s"


def test_a_second_question_is_a_repair() -> None:
    assert follow_all(ask(1.0), answer(2.0), ask(3.0)).format_stage(4.0) == "repair 1 s"


def test_a_question_repeated_by_a_resumed_engine_is_none() -> None:
    assert follow_all(ask(1.0), ask(9.0)).stage == "asked"


def test_a_child_is_followed_to_its_agreement() -> None:
    child = follow_all(
        ask(1.0),
        answer(2.0),
        event("evaluating", 3.0, program="p0001"),
        event("evaluated", 4.0, program="p0001", cost=7.5, cpu=0.1, failure=None),
        event("consulting", 5.0, program="p0001"),
        event("diagnosed", 6.0, program="p0001", agreement=0.25),
    )
    assert (child.id, child.cost, child.agreement, child.format_stage(9.0)) == (
        "p0001",
        7.5,
        0.25,
        "ready",
    )


def test_a_failed_evaluation_is_told_by_its_kind() -> None:
    failed = event("evaluated", 4.0, program="p0001", cost=None, cpu=60.0, failure="timeout")
    assert follow_all(ask(1.0), failed).format_stage(5.0) == "✗ timeout"


def trials(time: float, program: str, rollouts: int) -> Event:
    """A batch of trials is through."""
    return event("trials", time, program=program, trials=6, rollouts=rollouts, budget=400)


def test_a_child_that_nobody_writes_is_followed_through_its_trials() -> None:
    child = follow_all(trials(1.0, "p0007", 100))
    assert (child.operator, child.parents) == ("tune", ("p0007",))
    assert child.format_stage(9.0) == "tuning 25%"
    evaluating = event("evaluating", 3.0, program="p0012")
    taken = follow_all(trials(1.0, "p0007", 100), evaluating, event("tuned", 4.0, accepted=True))
    assert (taken.id, taken.stage) == ("p0012", "evaluating")
    idle = follow_all(trials(1.0, "p0007", 100), event("tuned", 4.0, accepted=False))
    assert idle.is_done and idle.format_stage(5.0) == "✗ no gain"


def test_a_child_that_is_touched_up_stays_its_writers() -> None:
    evaluating = event("evaluating", 3.0, program="p0012")
    child = follow_all(ask(1.0), answer(2.0), evaluating, trials(4.0, "p0012", 200))
    assert (child.id, child.operator, child.format_stage(5.0)) == ("p0012", "", "tuning 50%")
    assert not follow_all(ask(1.0), evaluating, event("tuned", 4.0, accepted=False)).is_done


@pytest.mark.parametrize("kind", ["no-brief", "refused", "an event of tomorrow"])
def test_other_events_make_no_child(kind: str) -> None:
    assert follow(None, event(kind, 1.0, text="x")) is None


def test_a_call_of_the_analyzer_makes_no_child() -> None:
    assert follow(None, event("call-sent", 1.0, purpose="analyzer", writer="w")) is None


def test_a_child_that_an_engine_goes_on_with_waits_from_then_on() -> None:
    assert restart_wait(follow_all(ask(1.0)), 100.0).format_stage(103.0) == "writer 3 s"


def test_fronts_are_counted_from_the_best() -> None:
    best, aligned, worse = candidate(0, 1.0, 0.1), candidate(1, 2.0, 0.9), candidate(2, 3.0, 0.5)
    assert rank([worse, best, aligned], "agreement") == {best.id: 0, aligned.id: 0, worse.id: 1}


def test_a_duplicate_has_a_cost_and_lies_on_no_front() -> None:
    twin = replace(candidate(0, 1.0), failure=Failure("duplicate", "the same as p11"))
    assert rank([twin, candidate(1, 2.0)], "agreement") == {"p11": 0}


def test_children_stand_above_survivors_and_these_above_the_others() -> None:
    kept, dropped, failed = candidate(0, 1.0), candidate(1, 2.0), candidate(2, None)
    child = ChildInProgress(2, 0, "asked", 0.0)
    members = rank_members([kept], [dropped, failed, kept], [child], "agreement")
    assert [member.fate for member in members] == ["in progress", "kept", "dropped", "failed"]
    assert [member.place for member in members] == ["2.0", "1.0", "1.1", "1.2"]


def test_old_programs_that_were_dropped_have_no_front() -> None:
    old, new = candidate(0, 1.0, generation=1), candidate(0, 2.0, generation=2)
    members = rank_members([new], [old, new], [], "agreement")
    assert {member.id: member.front for member in members} == {"p20": 0, "p10": None}


def test_the_time_left_is_that_of_a_usual_generation() -> None:
    watch = Timeline()
    for generation, begin, end in [(1, 10.0, 14.0), (2, 14.0, 20.0), (3, 20.0, 120.0)]:
        watch.note(event("generation-opened", begin, generation))
        watch.note(event("generation-closed", end, generation))
    assert watch.estimate(2) == 12.0


def test_seeds_say_nothing_of_the_time_left() -> None:
    watch = Timeline()
    watch.note(event("generation-opened", 0.0, 0))
    watch.note(event("generation-closed", 50.0, 0))
    assert watch.estimate(2) is None


def test_operators_and_parents_of_children_come_from_their_requests(reader: Reader) -> None:
    members = {member.place: member for member in look(reader, LIVE).members}
    assert [members[f"3.{slot}"].operator for slot in range(5)] == list("spmsp")
    assert members["3.2"].parents == ("p0008", "p0011")


def test_an_unchanged_store_gives_no_new_board_within_a_second(reader: Reader) -> None:
    monitor = Monitor(reader, LIVE)
    assert monitor.look(NOW) is not None
    assert monitor.look(NOW + 0.4) is None
    assert monitor.look(NOW + 1.0) is not None


def test_a_run_that_is_over_gives_one_board_for_ever(reader: Reader) -> None:
    monitor = Monitor(reader, DONE)
    assert monitor.look(NOW) is not None
    assert monitor.look(NOW + 1000.0) is None


def test_an_engine_that_vanishes_is_seen_though_nobody_writes(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = Monitor(reader, LIVE)
    monitor.look(NOW)
    monkeypatch.setattr(identity, "lives", lambda _: False)
    snapshot = monitor.look(NOW + 0.2)
    assert snapshot is not None
    assert snapshot.status == "interrupted"
    assert monitor.look(NOW + 5) is None


def test_a_closed_generation_replaces_its_children(reader: Reader, exhibit: Path) -> None:
    monitor = Monitor(reader, LIVE)
    monitor.look(NOW)
    with Store(exhibit) as store:
        store.search_log.record_candidate(LIVE, candidate(0, 1500.0, generation=3))
        store.search_log.close_generation(LIVE, 3, ["p30"], "digest", "p30")
    snapshot = monitor.look(NOW)
    assert snapshot is not None
    assert [member.fate for member in snapshot.members if member.child] == []
    assert [member.id for member in snapshot.members if member.fate == "kept"] == ["p30"]
    assert snapshot.closed == 3


def test_what_the_winner_costs_on_the_selection_set_appears_once_it_is_chosen(
    reader: Reader, exhibit: Path
) -> None:
    monitor = Monitor(reader, DONE)
    before = monitor.look(NOW)
    winner, _ = choose_another(exhibit)
    after = monitor.look(NOW)
    assert before is not None and after is not None
    assert [m.candidate.selection_cost for m in before.members if m.candidate][:2] == [None] * 2
    assert after.best is not None and after.best.candidate is not None
    assert (after.best.id, after.best.candidate.selection_cost) == (winner, 1990.25)
    assert len(after.members) == len(before.members)


def test_what_a_resumed_engine_tells_again_is_passed_over(reader: Reader, exhibit: Path) -> None:
    monitor = Monitor(reader, LIVE)
    before = monitor.look(NOW)
    told = reader.events(LIVE)
    with Store(exhibit) as store:
        store.search_log.record_events(LIVE, [told[0], *told[-3:]])
    snapshot = monitor.look(NOW)
    assert before is not None
    assert snapshot is not None
    assert len(snapshot.events) == len(before.events) + 1
    assert snapshot.events[-1].kind == "run-started"


def test_a_repair_is_no_repetition_of_the_first_question(reader: Reader, exhibit: Path) -> None:
    monitor = Monitor(reader, LIVE)
    monitor.look(NOW)
    data = (("purpose", "program"), ("writer", "gpt-5.4"))
    with Store(exhibit) as store:
        store.search_log.record_events(LIVE, [Event(read_fact("call-sent", dict(data)), 3, 1)])
    snapshot = monitor.look(NOW)
    assert snapshot is not None
    member = snapshot.at("3.1")
    assert member is not None
    assert member.child is not None
    assert member.child.stage == "repairing"


def test_a_waiting_analyzer_is_told(reader: Reader, exhibit: Path) -> None:
    with Store(exhibit) as store:
        data = (("purpose", "analyzer"), ("writer", "w"))
        store.search_log.record_events(LIVE, [Event(read_fact("call-sent", dict(data)), 4, 0)])
    snapshot = look(reader, LIVE)
    assert snapshot.reflecting is not None


def test_a_run_without_a_generation_has_an_empty_board(reader: Reader) -> None:
    snapshot = look(reader, FAILED)
    assert (snapshot.members, snapshot.best, snapshot.closed, snapshot.left) == (
        (),
        None,
        None,
        None,
    )


def test_the_last_word_on_the_teacher_up_to_a_generation_is_shown(exhibit: Path) -> None:
    with Store(exhibit) as store:
        told = [Event(TeacherMeasured("offline-l2d", 1921.3))]
        told += [Event(Note(TEACHER_WORD, f"word {number}"), number) for number in (1, 2)]
        store.search_log.record_events(DONE, told)
    with Reader(exhibit) as reader:
        monitor = Monitor(reader, DONE)
        now = monitor.look(NOW)
        assert now is not None
        assert now.teacher is not None and now.teacher.cost == 1921.3
        assert now.teacher_words == ("word 2",)
        assert monitor.look_back(1).teacher_words == ("word 1",)
        assert monitor.look_back(0).teacher_words == ()
        live = look(reader, LIVE).teacher
        assert live is not None and live.cost is None
