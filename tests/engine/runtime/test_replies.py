"""Replies of every shape through whole runs, store and sandbox included: each ends as done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import problems
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.values import Reply, Request
from engine.runtime.resources import RunResources
from engine.runtime.run import run_with
from engine.store.store import Store
from problems import ProblemRef
from problems.base import Problem
from tests.engine.runtime.test_resume import TEACHER, TOY
from tests.engine.search.brief_shapes import SHAPES
from tests.engine.search.test_reply_parser import BAD, GOOD, HOSTILE
from tests.scripted import Scripted

REPLIES = {
    **GOOD,
    **{name: text for name, (text, _) in BAD.items()},
    **{f"hostile: {name}": text for name, text in HOSTILE.items()},
}
BRIEFS = {name: text for name, (text, _) in SHAPES.items()}


@dataclass
class Stubborn:
    """Answers one role with one and the same text, everybody else as the scripted writer."""

    role: str
    text: str
    problem: Problem
    name: str = "stubborn"

    async def complete(self, request: Request) -> Reply:
        """The text, or a scripted reply."""
        if (request.role == "analyzer") == (self.role == "analyzer"):
            return Reply(self.text, raw="{}")
        return await Scripted(self.problem).complete(request)


async def endings(
    db: Path, spec: RunSpec, role: str, texts: dict[str, str], patch: pytest.MonkeyPatch
) -> dict[str, str]:
    """How the runs end in which `role` says nothing but one of these texts."""
    ended: dict[str, str] = {}
    with Store(db) as store:
        async with RunResources(spec.problem, spec.settings) as resources:
            problem = problems.load(spec.problem)
            for name, text in texts.items():
                writer = Stubborn(role, text, problem)
                patch.setattr("engine.runtime.run.open_writer", lambda *_, writer=writer: writer)
                run = store.jobs.create_run(spec)
                ended[name] = await run_with(store, run, resources, {})
                assert store.generations(run)[-1].closed
    return ended


async def test_sixty_shapes_of_program_replies_end_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(generations=1, children=2, eval_seconds=10, eval_concurrency=2)
    spec = RunSpec(ProblemRef(TOY), method="performance-only", settings=settings)
    ended = await endings(tmp_path / "runs.db", spec, "program", REPLIES, monkeypatch)
    assert len(ended) >= 60
    assert set(ended.values()) == {"done"}, ended
    with Store(tmp_path / "runs.db") as store:
        made = [c for row in store.runs() for c in store.candidates(row.number, 1)]
    assert {c.failure is None for c in made} == {True, False}


async def test_forty_shapes_of_briefs_end_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(generations=1, children=5, eval_seconds=10, eval_concurrency=2, states=8)
    spec = RunSpec(ProblemRef(TOY), teacher=TEACHER, settings=settings)
    ended = await endings(tmp_path / "runs.db", spec, "analyzer", BRIEFS, monkeypatch)
    assert len(ended) >= 40
    assert set(ended.values()) == {"done"}, ended
    with Store(tmp_path / "runs.db") as store:
        given = [len(store.briefs(row.number)) for row in store.runs()]
    assert min(given) == 0 and max(given) == 5
