"""A teacher that prompts leave out: in one go, after a resume, and in a fork with another one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from engine.api.resolve import Answering
from engine.api.run import Run, fork_run, prepare_resume
from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.values import Advice, Diagnostics
from engine.runtime.run import run_booked
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.conftest import TEACHER, TOY, WRITER
from tests.engine.runtime.test_resume import population

SEEDS = (4227.375, 4012.875, 3568.0)
"""The costs of the toy's seeds."""


def search(db: Path, generations: int, teacher: str = TEACHER) -> None:
    """A new run by preceptor, to its end."""
    settings = Settings(generations=generations, advice=6, eval_seconds=10, tune_rollouts=80)
    spec = RunSpec(ProblemRef(TOY), "preceptor", writer=WRITER, teacher=teacher, settings=settings)
    with Store(db) as store:
        run = store.jobs.create_run(spec)
        assert asyncio.run(run_booked(store, run, {})) == "done"


def go_on(db: Path, run: int) -> None:
    """The engine's work on a run that is prepared."""
    with Store(db) as store:
        assert asyncio.run(run_booked(store, run, {})) == "done"


def told(db: Path, run: int, topic: str) -> list[tuple[int | None, str]]:
    """What was said, and in which generations."""
    with Reader(db) as reader:
        return [
            (event.generation, event.fact.text)  # type: ignore[union-attr]
            for event in reader.events(run)
            if event.kind == topic
        ]


def help_children_alone(
    diagnostics: Diagnostics, costs: Sequence[float], *_: object
) -> Diagnostics:
    """In the place of `weigh_advice`: what harms seeds helps children, and more."""
    gain = -0.01 if fmean(costs) in SEEDS else 0.5
    return replace(diagnostics, advice=Advice(10, 0, 0, gain, 0.001))


def test_a_teacher_whose_advice_harmed_once_stays_out_of_a_run_that_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runtime.consultation.weigh_advice", help_children_alone)
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    search(whole, generations=3)
    search(parts, generations=2)
    prepare_resume(Run(parts, 1), Caps(), ("generations=3",))
    go_on(parts, 1)
    reason = (
        "teacher left out since generation 1: following its checked advice costs "
        "1.000 ± 0.058 % more (0 helped, 0 harmed of 30)"
    )
    for db in (whole, parts):
        assert told(db, 1, LEFT_OUT) == [(1, reason)]
        assert told(db, 1, TEACHER_WORD) == []
    assert population(parts, 1) == population(whole, 1)


def test_a_fork_with_another_teacher_hears_that_one(tmp_path: Path) -> None:
    foolish = tmp_path / "foolish.py"
    foolish.write_text("def score(item, state):\n    return item.duration - item.weight\n")
    db = tmp_path / "runs.db"
    search(db, 1, f"program:{foolish}")
    ((generation, reason),) = told(db, 1, LEFT_OUT)
    assert (generation, reason.partition(":")[0]) == (1, "teacher left out since generation 1")
    assert "best program p0002 3568 beats its 8446.62" in reason
    fork = fork_run(
        Run(db, 1), Caps(), answering=Answering(teacher=TEACHER), options=("generations=3",)
    )
    go_on(db, fork.number)
    assert told(db, fork.number, LEFT_OUT) == []
    assert [generation for generation, _ in told(db, fork.number, TEACHER_WORD)] == [3]
