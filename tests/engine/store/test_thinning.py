"""What a run gives up as it goes on, who keeps what, and how it is found again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.records import CallKey
from engine.domain.text import codec
from engine.domain.values import DiagnosticsRow, Evaluation, FactsRow
from engine.store.store import Store
from engine.store.thinning import outline_request
from engine.store.transfer import vacuum
from tests.engine.samples import CANDIDATE, CASE, DIAGNOSTICS, FACTS, REQUEST, SCENE, SPEC

WALK = tuple(range(30))
WHOLE = Evaluation(0.5, (0.5, 0.5), (WALK, WALK), None, 0.25)
LEFT = ((), WALK[:4])
"""Of a program that is shown in one state of the second instance, at step 3."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as store:
        yield store


@pytest.fixture
def run(store: Store) -> int:
    return store.jobs.create_run(SPEC)


def keep(store: Store, run: int, id: str = "p0009", generation: int = 1) -> None:
    """Record a program that is shown in a case and in a scene."""
    case = replace(CASE, instance=1, step=3)
    scene = replace(SCENE, instance=1, step=0)
    log = store.search_log
    log.record_evaluation(run, "e", WHOLE, program="abc", design="d", evaluator="1")
    log.record_diagnostics(run, "d", DiagnosticsRow(replace(DIAGNOSTICS, cases=(case,))))
    log.record_facts(run, "f", FactsRow(replace(FACTS, scenes=(scene,))))
    named = replace(CANDIDATE, id=id, generation=generation)
    log.record_candidate(run, named, "e", "d", "f")


def walks(store: Store, run: int, id: str = "p0009") -> tuple[tuple[int, ...], ...]:
    """The actions that are kept of a program."""
    found = store.evaluation_of(run, id)
    assert found is not None
    return found.actions


def test_a_program_that_died_keeps_what_leads_to_its_states(store: Store, run: int) -> None:
    keep(store, run)
    store.search_log.close_generation(run, 1, [], "digest", None)
    store.search_log.thin(run, ["p0009"])
    assert walks(store, run) == LEFT
    assert store.evaluation(run, "e") is None
    assert store.evaluation_of(run, "p0009", thinned=False) is None
    assert store.evaluation(run, "e", thinned=True) == replace(WHOLE, actions=LEFT)


def test_made_again_it_is_whole_again(store: Store, run: int) -> None:
    keep(store, run)
    store.search_log.thin(run, ["p0009"])
    keep(store, run)
    assert store.evaluation(run, "e") == WHOLE


def test_what_was_never_whole_does_not_replace_what_is(store: Store, run: int) -> None:
    keep(store, run)
    bare = replace(WHOLE, actions=((), ()))
    store.search_log.record_evaluation(
        run, "e", bare, program="abc", design="d", evaluator="1", thinned=True
    )
    assert store.evaluation(run, "e") == WHOLE


def test_seeds_keep_everything(store: Store, run: int) -> None:
    keep(store, run, generation=0)
    store.search_log.thin(run, ["p0009"])
    assert walks(store, run) == WHOLE.actions


def test_survivors_of_any_run_keep_everything(store: Store, run: int) -> None:
    keep(store, run)
    other = store.jobs.create_run(SPEC)
    keep(store, other)
    store.search_log.open_generation(other, 1)
    store.search_log.close_generation(other, 1, ["p0009"], "digest", "p0009")
    store.search_log.thin(run, ["p0009"])
    assert walks(store, run) == WHOLE.actions
    store.search_log.close_generation(other, 2, [], "digest", None)
    store.search_log.thin(run, ["p0009"])
    assert walks(store, other) == LEFT


def test_a_request_names_its_programs(store: Store, run: int) -> None:
    store.search_log.record_sent(CallKey(run, "program", 1, 0), REQUEST)
    (kept,) = store.exchanges(run, 1, 0)
    assert kept.request == outline_request(REQUEST)
    assert kept.request.messages == REQUEST.messages
    (recipe,) = kept.request.recipes
    (parent,) = recipe.parents
    assert (parent.id, parent.program.hash) == (CANDIDATE.id, CANDIDATE.program.hash)
    assert (parent.diagnostics, parent.facts, parent.program.code) == (None, None, "")


def test_vacuum_makes_an_older_store_as_small(store: Store, run: int, tmp_path: Path) -> None:
    keep(store, run)
    key = CallKey(run, "program", 1, 0)
    store.search_log.record_sent(key, REQUEST)
    store.search_log.close_generation(run, 1, [], "digest", None)
    store.close()
    db = tmp_path / "runs.db"
    long = replace(REQUEST, population=REQUEST.population * 9)
    with closing(sqlite3.connect(db)) as older:
        older.execute("UPDATE calls SET request = ?", (codec.pack(codec.encode(long)),))
        older.commit()
    vacuum(db)
    with Store(db) as now:
        assert walks(now, run) == LEFT
        (kept,) = now.exchanges(run, 1, 0)
        assert kept.request == outline_request(long)
