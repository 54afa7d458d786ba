"""Making a run ready to go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.api.run import Run, fork_run, prepare_resume, raise_caps, retry_provider
from engine.domain.records import Provenance
from engine.domain.specs.settings import Caps, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job
from engine.runtime import control
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import UserError
from tests.conftest import ALONE, TOY, WRITER, Shell
from tests.engine.samples import SPEC


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A store with one run, at work in this very process."""
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        store.jobs.claim(Job("run", 1), identity.current())
        return store.path


def test_only_caps_that_are_given_are_raised() -> None:
    assert raise_caps(Caps(30, None, 0.5), Caps(calls=60)) == Caps(60, None, 0.5)


def test_a_run_that_waits_for_its_provider_is_told_to_try_again(db: Path) -> None:
    with Store(db) as store:
        store.jobs.set_reason(Job("run", 1), "waiting for the provider")
    assert retry_provider(Run(db, 1))
    with Reader(db) as reader:
        assert [order.kind for order in control.pending(reader, Job("run", 1))] == ["resume"]


def test_the_engine_of_a_run_at_work_takes_over_raised_caps(db: Path) -> None:
    run = Run(db, 1)
    assert run.resume(Caps(calls=60)) == run
    with Reader(db) as reader:
        (order,) = control.pending(reader, Job("run", 1))
    assert order.kind == "set-cap"
    assert order.caps == raise_caps(SPEC.caps, Caps(calls=60))


def test_a_run_at_work_is_neither_nudged_nor_resumed_nor_forked(db: Path) -> None:
    assert not retry_provider(Run(db, 1))
    for ready in (prepare_resume, fork_run):
        with pytest.raises(UserError, match="at work"):
            ready(Run(db, 1), Caps())


def test_a_fork_needs_a_closed_generation(db: Path) -> None:
    with Store(db) as store:
        store.jobs.release(Job("run", 1), "running")
    with pytest.raises(UserError, match="closed no generation"):
        fork_run(Run(db, 1), Caps())


def close(db: Path, generations: int, settings: Settings) -> None:
    """End run 2 as done after so many generations."""
    with Store(db) as store:
        run = store.jobs.create_run(replace(SPEC, settings=settings))
        for generation in range(generations + 1):
            store.search_log.open_generation(run, generation)
            store.search_log.close_generation(run, generation, (), "digest", None)
        store.jobs.release(Job("run", run), "done")


@pytest.mark.parametrize(
    ("settings", "words", "complaint"),
    [
        (Settings(), ("population=3",), r"resume 2 --fork --option population=3 --db"),
        (Settings(), ("generations=3",), "has begun 3 generations; name more"),
        (Settings(), ("generations=many",), "takes a whole number"),
        (Settings(generations=3, calls=20), ("generations=9",), r"--fork --option calls=N"),
        (Settings(total_children=9), ("generations=9",), r"--fork --option total_children=N"),
        (Settings(), (), r"resume 2 --option generations=N"),
    ],
)
def test_only_generations_that_change_nothing_before_them_are_added(
    db: Path, settings: Settings, words: tuple[str, ...], complaint: str
) -> None:
    close(db, 3, settings)
    with pytest.raises(UserError, match=complaint):
        prepare_resume(Run(db, 2), Caps(), words)
    with Reader(db) as reader:
        assert reader.run(2).state == "done"
        assert reader.run(2).spec.settings == settings


def test_a_run_of_a_study_stays_as_long_as_it_is(db: Path) -> None:
    with Store(db) as store:
        study = store.jobs.create_study(StudySpec("pilot", (Task(SPEC.problem),), ("eoh",)))
        run = store.study_log.enlist(study, 0, SPEC)
        store.jobs.release(Job("run", run), "done")
    with pytest.raises(UserError, match="belongs to a study"):
        prepare_resume(Run(db, run), Caps(), ("generations=9",))


@pytest.mark.parametrize(
    ("folder", "complaint"),
    [
        (TOY, r"code changed since run 2 ended; fork it: .*--fork"),
        ("/no/such/shop", r"shop: run 2's problem is no longer there"),
    ],
)
def test_a_run_of_other_code_or_none_is_left_as_it_ended(
    db: Path, folder: str, complaint: str
) -> None:
    toy = replace(SPEC, problem=ProblemRef(folder))
    with Store(db) as store:
        run = store.jobs.create_run(toy)
        store.jobs.record_provenance(run, Provenance("rooms-1 other", "set", ""))
        store.jobs.release(Job("run", run), "done")
    with pytest.raises(UserError, match=complaint):
        prepare_resume(Run(db, run), Caps(), ("generations=9",))
    with Reader(db) as reader:
        assert (reader.run(run).state, reader.run(run).spec) == ("done", toy)


def test_a_finished_run_goes_on_and_a_fork_under_other_settings(preceptor: Shell) -> None:
    words = ("--llm", WRITER, "--option", "generations=1")
    assert preceptor("run", *ALONE, *words).code == 0
    longer = preceptor("resume", "1", "--option", "generations=2", "--headless")
    assert longer.code == 0, longer.err
    assert "gen 2 cost" in longer.err
    assert "gen 1 cost" not in longer.err
    assert "settings changed from their defaults: generations 2" in longer.out
    wider = preceptor(
        "resume", "1", "--fork", "--option", "generations=3", "--option", "children=2"
    )
    assert wider.code == 0, wider.err
    assert wider.err.count("gen 3 cost") == 2
    for option, complaint in (
        ("design=many", "start a new run"),
        ("poplation=3", "did you mean 'population'?"),
        ("operators=x", "unknown operator 'x'"),
    ):
        refused = preceptor("resume", "1", "--fork", "--option", option)
        assert refused.code == 2
        assert complaint in refused.complaint
