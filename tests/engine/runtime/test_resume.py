"""A run is a function of settings, code and replies: not of order, place, or being killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import astuple
from pathlib import Path

import pytest

from engine.api.run import Run, prepare_resume
from engine.domain.events import DiagnosisEnded
from engine.domain.specs.settings import Caps, RunSpec, Settings, Start
from engine.domain.values import Candidate, Diagnostics
from engine.monitor.children import find_program_calls
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.runtime.killer import STAGES
from tests.scripted import LOG

TOY = "tests/toy"
TEACHER = "program:tests/toy/teacher.py"
WRITER = "tests/scripted.py:Scripted"
KILLS = int(os.environ.get("TEST_PRECEPTOR_KILLS", "9"))


def book(
    db: Path,
    *,
    seed: int = 0,
    concurrency: int = 4,
    calls: int | None = None,
    start: Start = "seeds",
    generations: int = 3,
) -> int:
    """A run of our method on the toy, not started yet."""
    settings = Settings(
        generations=generations,
        start=start,
        llm_concurrency=concurrency,
        eval_concurrency=concurrency,
        eval_seconds=10,
    )
    spec = RunSpec(
        ProblemRef(TOY),
        seed=seed,
        writer=WRITER,
        teacher=TEACHER,
        settings=settings,
        caps=Caps(calls),
    )
    with Store(db) as store:
        return store.jobs.create_run(spec)


def test_a_teacher_that_fails_on_every_state_says_why(tmp_path: Path) -> None:
    (tmp_path / "expert.py").write_text("def score(item, state):\n    return item.no_such_field\n")
    db = tmp_path / "runs.db"
    settings = Settings(generations=1, eval_seconds=10)
    spec = RunSpec(
        ProblemRef(TOY),
        writer=WRITER,
        teacher=f"program:{tmp_path / 'expert.py'}",
        settings=settings,
    )
    with Store(db) as store:
        run = store.jobs.create_run(spec)
    assert drive(db, run) == 0
    with Reader(db) as reader:
        notes = [e.fact for e in reader.events(run) if e.kind == "no-diagnostics"]
        assert all(candidate.agreement is None for candidate in reader.candidates(run))
    assert notes
    assert all("no_such_field" in getattr(note, "text", "") for note in notes)


def drive(db: Path, run: int, *killer: str, log: Path | None = None) -> int:
    """Let an engine process work on a run to its end; returns its exit code."""
    module = ["tests.engine.runtime.killer"] if killer else ["engine.runtime.run"]
    environment = os.environ | ({LOG: str(log)} if log else {})
    command = [sys.executable, "-m", *module, str(db), str(run), *killer]
    done = subprocess.run(
        command, input="{}\n", text=True, capture_output=True, env=environment, timeout=120
    )
    assert done.returncode in (0, 4, -9), done.stderr
    return done.returncode


def population(db: Path, run: int) -> list[tuple[str, str, float | None, float | None]]:
    """The survivors in order, as far as they must agree between runs."""
    with Reader(db) as reader:
        return [_essence(c) for c in reader.population(run)]


def _essence(candidate: Candidate) -> tuple[str, str, float | None, float | None]:
    return candidate.id, candidate.program.hash, candidate.cost, candidate.agreement


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one run that nobody disturbed, of whose survivors everything is known."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    assert drive(db, book(db)) == 0
    for _, _, cost, agreement in population(db, 1):
        assert cost is not None and agreement is not None and 0 < agreement < 1
    return db


def test_a_fresh_store_and_the_same_store_give_the_same_population(
    undisturbed: Path, tmp_path: Path
) -> None:
    fresh = tmp_path / "runs.db"
    drive(fresh, book(fresh))
    again = book(undisturbed)
    drive(undisturbed, again)
    expected = population(undisturbed, 1)
    assert len(expected) >= 5
    assert population(fresh, 1) == population(undisturbed, again) == expected


def test_a_finished_run_with_more_generations_is_as_if_it_had_begun_with_them(
    undisturbed: Path, tmp_path: Path
) -> None:
    db = tmp_path / "runs.db"
    run = book(db, generations=1)
    drive(db, run)
    first = population(db, run)
    prepare_resume(Run(db, run), Caps(), ("generations=3",))
    with Reader(db) as reader:
        assert status(reader.run(run)) == "paused"
    assert drive(db, run) == 0
    assert population(db, run) == population(undisturbed, 1) != first
    with Reader(db) as longer, Reader(undisturbed) as whole:
        assert longer.run(run).spec.settings == whole.run(1).spec.settings
        assert longer.run(run).settings_sha == whole.run(1).settings_sha
        assert _asked(longer, run) == _asked(whole, 1)


def _asked(reader: Reader, run: int) -> set[tuple[object, ...]]:
    """The places of a run's requests; their texts tell CPU times, which differ."""
    return {astuple(call.key)[1:] for call in reader.calls(run)}


@pytest.mark.parametrize("concurrency", [1, 8])
def test_concurrency_changes_nothing_but_time(
    undisturbed: Path, tmp_path: Path, concurrency: int
) -> None:
    db = tmp_path / "runs.db"
    drive(db, book(db, concurrency=concurrency))
    assert population(db, 1) == population(undisturbed, 1)


def test_another_seed_is_another_run(undisturbed: Path, tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    drive(db, book(db, seed=1))
    assert population(db, 1) != population(undisturbed, 1)


def _moments(count: int) -> list[tuple[str, int]]:
    """Random moments, every stage among the first ones."""
    dice = random.Random(20)
    late = {"start-up": 1, "retention": 4, "close": 4, "closed": 3, "teacher": 12}
    stages = [*STAGES, *(dice.choice(STAGES) for _ in range(count))][:count]
    return [(stage, dice.randint(1, late.get(stage, 15))) for stage in stages]


@pytest.mark.parametrize(("stage", "passes"), _moments(KILLS))
def test_a_killed_run_resumes_to_the_same_population_and_pays_no_reply_twice(
    undisturbed: Path, tmp_path: Path, stage: str, passes: int
) -> None:
    db, log = tmp_path / "runs.db", tmp_path / "asked.log"
    run = book(db)
    assert drive(db, run, stage, str(passes), log=log) == -9
    with Reader(db) as reader:
        assert status(reader.run(run)) in ("interrupted", "starting")
        received = {call.request_sha for call in reader.calls(run) if call.reply is not None}
    before = Counter(log.read_text().split() if log.exists() else [])
    assert drive(db, run, log=log) == 0
    after = Counter(log.read_text().split())
    assert population(db, run) == population(undisturbed, 1)
    assert {sha: after[sha] for sha in received} == {sha: before[sha] for sha in received}
    assert max(after.values()) <= 2


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one run that checks advice, which nobody disturbed."""
    db = tmp_path_factory.mktemp("advised") / "runs.db"
    assert drive(db, book_advised(db)) == 0
    return db


def book_advised(db: Path, teacher: str = TEACHER) -> int:
    """A run that is aligned by advice."""
    settings = Settings(generations=2, advice=6, align="advice", eval_seconds=10)
    spec = RunSpec(ProblemRef(TOY), writer=WRITER, teacher=teacher, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def advice(db: Path, run: int) -> list[tuple[str, Diagnostics | None]]:
    """All that is known of the teacher's advice, program by program."""
    with Reader(db) as reader:
        return [(c.id, c.diagnostics) for c in reader.candidates(run)]


def test_advice_is_checked_counted_and_told(advised: Path) -> None:
    with Reader(advised) as reader:
        known = [c for c in reader.candidates(1) if c.diagnostics]
        told = [e.fact for e in reader.events(1) if isinstance(e.fact, DiagnosisEnded)]
    assert known
    for candidate in known:
        assert candidate.diagnostics is not None
        found = candidate.diagnostics.advice
        tried = [case for case in candidate.diagnostics.cases if case.costs]
        assert found is not None and 0 < found.checked <= 6
        assert len(tried) == found.checked
        assert {candidate.costs[case.instance] for case in tried} >= {
            case.costs[0] for case in tried if case.costs
        }
    counts = {(fact.checked, fact.helped, fact.harmed) for fact in told}
    assert any(helped for _, helped, _ in counts)


@pytest.mark.parametrize("passes", [1, 9])
def test_a_run_killed_while_advice_is_checked_resumes_to_the_same_bits(
    advised: Path, tmp_path: Path, passes: int
) -> None:
    db = tmp_path / "runs.db"
    run = book_advised(db)
    assert drive(db, run, "advice", str(passes)) == -9
    assert drive(db, run) == 0
    assert population(db, run) == population(advised, 1)
    assert advice(db, run) == advice(advised, 1)


def test_a_run_taught_by_rollouts_resumes_to_the_same_bits(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    assert drive(whole, book_advised(whole, "rollout")) == 0
    assert drive(killed, book_advised(killed, "rollout"), "advice", "13") == -9
    assert drive(killed, 1) == 0
    assert population(killed, 1) == population(whole, 1)
    assert advice(killed, 1) == advice(whole, 1)
    known = [found for _, found in advice(whole, 1) if found]
    assert any(found.advice and found.advice.gain > 0 for found in known)
    with Reader(whole) as reader:
        assert [e for e in reader.events(1) if e.kind == "no-diagnostics"] == []


def test_a_capped_run_continues_where_it_stopped_once_the_cap_is_raised(
    undisturbed: Path, tmp_path: Path
) -> None:
    db = tmp_path / "runs.db"
    run = book(db, calls=8)
    assert drive(db, run) == 4
    with Store(db) as store:
        assert store.run(run).state == "budget"
        assert len(store.calls(run)) == 8
        store.jobs.set_caps(run, Caps())
    with Reader(db) as reader:
        cut = [c.id for c in reader.candidates(run)]
    assert drive(db, run) == 0
    with Reader(db) as reader:
        assert [c.id for c in reader.candidates(run)][: len(cut)] == cut
        assert reader.generations(run)[-1].number == 3
        assert reader.run(run).state == "done"


@pytest.mark.parametrize(("stage", "passes"), [("answer", 4), ("close", 1)])
def test_a_run_killed_among_its_first_programs_resumes_to_the_same_population(
    tmp_path: Path, stage: str, passes: int
) -> None:
    calm, db, log = tmp_path / "calm.db", tmp_path / "runs.db", tmp_path / "asked.log"
    assert drive(calm, book(calm, start="contract", concurrency=1)) == 0
    run = book(db, start="contract")
    assert drive(db, run, stage, str(passes), log=log) == -9
    with Reader(db) as reader:
        assert {call.key.generation for call in reader.calls(run)} == {0}
        received = {call.request_sha for call in reader.calls(run) if call.reply is not None}
    assert drive(db, run, log=log) == 0
    after = Counter(log.read_text().split())
    assert population(db, run) == population(calm, 1)
    assert {after[sha] for sha in received} == {1}
    with Reader(db) as reader:
        first = [c for c in reader.candidates(run) if c.generation == 0]
        asked = find_program_calls(reader, run, 0, 0)
    assert [c.operator for c in first] == ["i1"] * 10
    assert {exchange.request.operator for exchange in asked} == {"i1"}
