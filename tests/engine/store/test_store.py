"""What the store is told is what it says, now and after every restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.events import EvaluationEnded, Event, read_fact
from engine.domain.records import GenerationRow, Measurement, Provenance
from engine.domain.search_state import BriefRow
from engine.domain.specs.settings import Caps
from engine.domain.text.plain_text import clean_all
from engine.domain.values import Candidate, DiagnosticsRow, Evaluation, FactsRow, Failure
from engine.store import rows
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import RunMismatch, StoreError, UnknownName
from tests.engine.samples import (
    BRIEF,
    CANDIDATE,
    DIAGNOSTICS,
    EVALUATION,
    FACTS,
    INVALID,
    SPEC,
    TIMEOUT,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as store:
        yield store


@pytest.fixture
def run(store: Store) -> int:
    return store.jobs.create_run(SPEC)


def keep(store: Store, run: int, candidate: Candidate = CANDIDATE) -> None:
    """Record a candidate together with its sample evaluation and diagnostics."""
    record(store, run, "e", EVALUATION)
    store.search_log.record_diagnostics(run, "d", DiagnosticsRow(DIAGNOSTICS))
    store.search_log.record_facts(run, "f", FactsRow(FACTS))
    store.search_log.record_candidate(run, candidate, "e", "d", "f")


def record(store: Store, run: int, key: str, evaluation: Evaluation) -> None:
    store.search_log.record_evaluation(
        run, key, evaluation, program="abc", design="d", evaluator="1"
    )


def test_runs_are_numbered_and_listed_newest_first(store: Store) -> None:
    assert [store.jobs.create_run(SPEC), store.jobs.create_run(SPEC, forked_from=1)] == [1, 2]
    assert [row.number for row in store.runs()] == [2, 1]
    latest = store.latest()
    assert latest is not None
    assert (latest.number, latest.forked_from) == (2, 1)


def test_a_run_keeps_its_specification(store: Store, run: int) -> None:
    assert store.run(run).spec == SPEC


def test_an_unknown_run_is_named(store: Store, run: int) -> None:
    with pytest.raises(UnknownName, match="unknown run '12'"):
        store.run(12)


def test_caps_can_be_changed(store: Store, run: int) -> None:
    store.jobs.set_caps(run, Caps(calls=60))
    assert store.run(run).spec == replace(SPEC, caps=Caps(calls=60))


def test_a_candidate_comes_back_as_it_was(store: Store, run: int) -> None:
    keep(store, run)
    assert store.candidates(run) == (CANDIDATE,)
    assert store.candidate(run, "1.0") == CANDIDATE


def test_an_outline_is_a_candidate_without_what_takes_long_to_read(store: Store, run: int) -> None:
    keep(store, run)
    assert CANDIDATE.diagnostics is not None
    said = replace(CANDIDATE.diagnostics, cases=(), profile=None)
    outline = replace(CANDIDATE, facts=None, diagnostics=said)
    assert store.outlines(run) == (outline,)
    assert store.outlines(run, CANDIDATE.generation + 1) == ()
    assert store.outline(run, CANDIDATE.id) == outline
    assert store.outline(run, "nobody") is None


@given(
    st.dictionaries(st.text(), st.text() | st.none() | st.floats(allow_nan=False)), st.booleans()
)
def test_what_an_event_says_is_clean_whatever_was_stored(
    said: dict[str, object], ascii: bool
) -> None:
    row: Any = {
        "kind": "of tomorrow",
        "data": json.dumps(list(said.items()), ensure_ascii=ascii),
        "generation": None,
        "slot": None,
        "id": 1,
        "time": 0.0,
    }
    assert rows.event(row).fact == read_fact("of tomorrow", clean_all(said))


def test_a_candidate_without_a_program_comes_back_as_it_was(store: Store, run: int) -> None:
    program = replace(CANDIDATE.program, idea="", code="", hash="")
    failed = replace(
        CANDIDATE,
        program=program,
        cost=None,
        costs=(),
        diagnostics=None,
        behaviour=None,
        facts=None,
    )
    store.search_log.record_candidate(run, failed)
    assert store.candidates(run) == (failed,)


def test_a_candidate_recorded_again_has_the_later_values(store: Store, run: int) -> None:
    record(store, run, "e", EVALUATION)
    store.search_log.record_candidate(run, replace(CANDIDATE, diagnostics=None), "e")
    assert store.candidate(run, "1.0").diagnostics is None
    keep(store, run)
    assert store.candidates(run) == (CANDIDATE,)


def test_equal_programs_written_differently_keep_their_own_text(store: Store, run: int) -> None:
    spaced = replace(CANDIDATE.program, code=CANDIDATE.program.code + "\n")
    keep(store, run)
    keep(store, run, replace(CANDIDATE, id="1.1", slot=1, program=spaced))
    assert [c.program.code for c in store.candidates(run)] == [
        CANDIDATE.program.code,
        spaced.code,
    ]


def test_candidates_stand_in_order_of_generation_and_slot(store: Store, run: int) -> None:
    for generation, slot in ((10, 0), (2, 10), (2, 9)):
        place = replace(CANDIDATE, id=f"{generation}.{slot}", generation=generation, slot=slot)
        keep(store, run, place)
    assert [c.id for c in store.candidates(run)] == ["2.9", "2.10", "10.0"]
    assert [c.id for c in store.candidates(run, 2)] == ["2.9", "2.10"]


def test_an_unknown_program_is_named(store: Store, run: int) -> None:
    keep(store, run)
    with pytest.raises(UnknownName, match=r"did you mean '1\.0'"):
        store.candidate(run, "1.2")


@pytest.mark.parametrize("evaluation", [EVALUATION, INVALID], ids=["ok", "invalid"])
def test_a_reproducible_evaluation_is_shared_over_runs(
    store: Store, run: int, evaluation: Evaluation
) -> None:
    record(store, run, "e", evaluation)
    assert store.evaluation(store.jobs.create_run(SPEC), "e") == evaluation


def test_a_timeout_is_not_inherited_by_another_run(store: Store, run: int) -> None:
    record(store, run, "e", TIMEOUT)
    assert store.evaluation(run, "e") == TIMEOUT
    assert store.evaluation(store.jobs.create_run(SPEC), "e") is None


def test_a_run_keeps_its_own_timeout_when_another_run_succeeds(store: Store, run: int) -> None:
    record(store, run, "e", TIMEOUT)
    record(store, store.jobs.create_run(SPEC), "e", EVALUATION)
    assert store.evaluation(run, "e") == TIMEOUT


def test_the_first_evaluation_stays(store: Store, run: int) -> None:
    record(store, run, "e", EVALUATION)
    record(store, run, "e", replace(EVALUATION, cpu=9.0))
    assert store.evaluation(run, "e") == EVALUATION


def test_diagnostics_are_shared_and_a_failed_teacher_is_not(store: Store, run: int) -> None:
    other = store.jobs.create_run(SPEC)
    store.search_log.record_diagnostics(run, "d", DiagnosticsRow(DIAGNOSTICS))
    store.search_log.record_diagnostics(run, "x", DiagnosticsRow(None, "out of memory"))
    assert store.diagnostics(other, "d") == DiagnosticsRow(DIAGNOSTICS)
    assert store.diagnostics(run, "x") == DiagnosticsRow(None, "out of memory")
    assert store.diagnostics(other, "x") is None


def test_facts_are_shared_and_their_absence_is_not(store: Store, run: int) -> None:
    other = store.jobs.create_run(SPEC)
    store.search_log.record_facts(run, "f", FactsRow(FACTS, cpu=0.5))
    store.search_log.record_facts(run, "x", FactsRow(None, "no state with a choice"))
    assert store.facts(other, "f") == FactsRow(FACTS, cpu=0.5)
    assert store.facts(run, "x") == FactsRow(None)
    assert store.facts(other, "x") is None


def test_what_anybody_measured_is_found_by_its_key(store: Store) -> None:
    found = Measurement("tsp", "design", "savings", "rule", (1.5, None), None)
    store.study_log.keep_measurement(0, "k", found)
    assert store.shared_measurement("k") == found
    assert store.shared_measurement("other") is None


def test_a_candidate_needs_its_evaluation_first(store: Store, run: int) -> None:
    with pytest.raises(StoreError, match="record the evaluations before"):
        store.search_log.record_candidate(run, CANDIDATE, "e", "d")
    assert store.candidates(run) == ()


def test_what_a_run_has_is_counted_without_reading_it(store: Store, run: int) -> None:
    keep(store, run)
    keep(store, run, replace(CANDIDATE, id="seed", generation=0))
    assert store.count_programs(run) == 2
    assert store.count_children(run) == 1
    assert store.count_calls(run) == store.totals(run).calls
    assert store.call_costs(run) == ()


def test_totals_count_evaluated_candidates_and_their_seconds(store: Store, run: int) -> None:
    keep(store, run)
    keep(store, run, replace(CANDIDATE, id="1.1", slot=1))
    store.search_log.record_candidate(run, replace(CANDIDATE, id="1.2", slot=2))
    totals = store.totals(run)
    assert (totals.evaluations, totals.cpu) == (2, 0.25)


def test_the_population_is_the_last_closed_generation_in_its_order(store: Store, run: int) -> None:
    for slot in (0, 1):
        keep(store, run, replace(CANDIDATE, id=f"0.{slot}", generation=0, slot=slot))
    store.search_log.open_generation(run, 0)
    store.search_log.close_generation(run, 0, ["0.1", "0.0"], "sha", "0.1")
    store.search_log.open_generation(run, 1)
    assert store.generations(run) == (GenerationRow(0, True, "sha"), GenerationRow(1, False, None))
    assert [c.id for c in store.population(run)] == ["0.1", "0.0"]
    assert store.population(run, 1) == ()
    assert store.run(run).best == "0.1"


def test_the_survivors_of_every_closed_generation_are_known_by_name(
    store: Store, run: int
) -> None:
    keep(store, run)
    keep(store, run, replace(CANDIDATE, id="p0009"))
    store.search_log.close_generation(run, 0, [CANDIDATE.id], "digest", CANDIDATE.id)
    store.search_log.close_generation(run, 1, ["p0009", CANDIDATE.id], "digest", "p0009")
    assert store.survivors(run) == {0: (CANDIDATE.id,), 1: ("p0009", CANDIDATE.id)}


def test_closing_a_generation_is_all_or_nothing(store: Store, run: int) -> None:
    keep(store, run)
    store.search_log.open_generation(run, 1)
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.search_log.close_generation(run, 1, ["1.0", "1.7"], "sha", "1.0")
    assert store.generations(run) == (GenerationRow(1, False, None),)
    assert store.population(run, 1) == ()
    assert store.run(run).best is None


def test_a_generation_that_comes_out_differently_is_refused(store: Store, run: int) -> None:
    keep(store, run)
    store.search_log.close_generation(run, 1, ["1.0"], "sha", "1.0")
    store.search_log.close_generation(run, 1, ["1.0"], "sha", "1.0")
    with pytest.raises(RunMismatch, match="generation 1 came out differently"):
        store.search_log.close_generation(run, 1, ["1.0"], "other", "1.0")


def test_briefs_belong_to_slots_and_are_replaced_as_a_whole(store: Store, run: int) -> None:
    store.search_log.record_briefs(run, 1, [BRIEF, BRIEF, BRIEF])
    store.search_log.record_briefs(run, 1, [None, BRIEF])
    assert store.briefs(run) == (BriefRow(1, 1, BRIEF),)


def test_events_are_read_on_from_where_one_stopped(store: Store, run: int) -> None:
    fact = EvaluationEnded(cost=0.5, cpu=1.5)
    events = [Event(fact, 1, slot) for slot in range(5)]
    store.search_log.record_events(run, events)
    first = store.events(run, limit=2)
    rest = store.events(run, after=first[-1].id)
    assert [replace(e, id=0, time=0.0) for e in first + rest] == events


def test_provenance_is_written_once_and_held_to(store: Store, run: int) -> None:
    known = Provenance("code", "design", "weights")
    store.jobs.record_provenance(run, known)
    store.jobs.record_provenance(run, known)
    assert store.run(run).provenance == known
    with pytest.raises(RunMismatch, match="the design set and the teacher changed"):
        store.jobs.record_provenance(run, Provenance("code", "other", "others"))


def test_a_fork_begins_with_what_its_origin_had(store: Store, run: int) -> None:
    keep(store, run)
    store.search_log.record_briefs(run, 1, [BRIEF])
    store.search_log.close_generation(run, 1, ["1.0"], "sha", "1.0")
    keep(store, run, replace(CANDIDATE, id="2.0", generation=2))
    fork = store.jobs.create_run(SPEC, forked_from=run)
    assert [store.search_log.inherit(fork, run), store.search_log.inherit(fork, run)] == [1, 1]
    assert store.candidates(fork) == store.population(fork) == (CANDIDATE,)
    assert store.briefs(fork) == (BriefRow(1, 0, BRIEF),)
    assert store.run(fork).best == "1.0"
    assert store.candidates(fork)[0].decisions == CANDIDATE.decisions > 0


def test_a_run_without_a_closed_generation_cannot_be_forked(store: Store, run: int) -> None:
    store.search_log.open_generation(run, 0)
    with pytest.raises(StoreError, match="closed no generation"):
        store.search_log.inherit(store.jobs.create_run(SPEC, forked_from=run), run)


def test_a_resumed_engine_finds_what_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        keep(store, store.jobs.create_run(SPEC))
    with Store(path) as store:
        assert store.evaluation(1, "e") == EVALUATION
        assert store.candidates(1) == (CANDIDATE,)


def test_a_reader_learns_that_something_was_written(store: Store, run: int) -> None:
    with Reader(store.path) as reader:
        before = reader.data_version()
        assert reader.data_version() == before
        store.search_log.record_events(run, [Event(read_fact("note", {}))])
        assert reader.data_version() != before
        assert [event.kind for event in reader.events(run)] == ["note"]


def test_a_program_failure_keeps_its_line(store: Store, run: int) -> None:
    failure = Failure("signature", "score takes 2 arguments", line=4, repairable=True)
    store.search_log.record_candidate(run, replace(CANDIDATE, failure=failure))
    assert store.candidate(run, "1.0").failure == failure


def test_the_best_stays_that_of_the_last_generation_while_a_resumed_run_catches_up(
    store: Store, run: int
) -> None:
    for generation, best in enumerate(("p0001", "p0002")):
        store.search_log.close_generation(run, generation, (), "digest", best)
    store.search_log.close_generation(run, 0, (), "digest", "p0001")
    assert store.run(run).best == "p0002"
    store.search_log.close_generation(run, 2, (), "digest", "p0003")
    assert store.run(run).best == "p0003"
