"""A run goes on with its last generation, and is what it would be had it never paused."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from engine.api.run import Run, prepare_resume
from engine.domain.events import GenerationOpened
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.runtime.run import run_booked
from engine.store.store import Store
from problems import ProblemRef

SETTINGS = Settings(eval_seconds=10, llm_concurrency=2, eval_concurrency=2)
GENERATIONS = 6


def book(db: Path, method: str = "ours", generations: int = 2) -> int:
    """A run of the toy, of writers that err at times."""
    teacher = "program:tests/toy/teacher.py" if method == "ours" else ""
    spec = RunSpec(
        ProblemRef("tests/toy"),
        method,
        writer="tests/scripted.py:Scripted",
        teacher=teacher,
        settings=replace(SETTINGS, generations=generations),
    )
    with Store(db) as store:
        return store.jobs.create_run(spec)


def extend(db: Path, run: int, generations: int) -> None:
    """Let a run go on to so many generations."""
    prepare_resume(Run(db, run), Caps(), (f"generations={generations}",))
    work(db, run)


def work(db: Path, run: int) -> None:
    """A run to its end, in this process."""
    with Store(db) as store:
        assert asyncio.run(run_booked(store, run, {})) == "done"


@pytest.mark.parametrize("method", ["ours", "eoh"])
def test_a_run_in_pieces_is_the_run_in_one(method: str, tmp_path: Path) -> None:
    pieces = tmp_path / "pieces.db"
    run = book(pieces, method)
    work(pieces, run)
    for generations in (3, GENERATIONS):
        extend(pieces, run, generations)
    whole = tmp_path / "whole.db"
    assert book(whole, method, GENERATIONS) == run
    work(whole, run)
    with Store(pieces) as one, Store(whole) as other:
        assert one.candidates(run) == other.candidates(run)
        assert one.survivors(run) == other.survivors(run)
        assert one.briefs(run) == other.briefs(run)
        asked = [call.key for call in one.calls(run)]
        assert asked == [call.key for call in other.calls(run)]
        assert one.whole_programs(run, GENERATIONS) == other.whole_programs(run, GENERATIONS)


def test_a_resumed_run_makes_no_more_than_its_last_generation_again(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    run = book(db, generations=4)
    work(db, run)
    with Store(db) as store:
        last = store.events(run)[-1].id
    extend(db, run, 5)
    with Store(db) as store:
        later = store.events(run, last)
        opened = [event.generation for event in later if isinstance(event.fact, GenerationOpened)]
        assert opened == [4, 5]
        assert len(store.generations(run)) == 6
