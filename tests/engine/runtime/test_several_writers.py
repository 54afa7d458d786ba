"""Several writers share a run: by operator, or drawn on what their children gained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.program import make_program
from engine.domain.specs.settings import RunSpec, Settings, WritersBy
from engine.domain.values import Candidate, Failure
from engine.runtime.resources import RunResources
from engine.runtime.run import run_with
from engine.runtime.writers.several import draw_writers, list_operators, writer_of
from engine.search.methods.methods import METHODS
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.samples import SPEC

TOY = "tests/toy"
WRITERS = "builtin,tests/scripted.py:Scripted"
BOTH = tuple(WRITERS.split(","))


def spec(by: WritersBy, concurrency: int = 4, writer: str = WRITERS) -> RunSpec:
    """A run of the control without a teacher."""
    settings = Settings(
        generations=2, llm_concurrency=concurrency, eval_concurrency=concurrency, writers=by
    )
    settings = replace(settings, children=4, eval_seconds=10)
    return replace(
        SPEC,
        problem=ProblemRef(TOY),
        method="unreflected",
        writer=writer,
        analyzer="",
        teacher="",
        settings=settings,
        endpoints=(),
    )


async def search(store: Store, spec: RunSpec) -> tuple[Candidate, ...]:
    """All candidates of a new run, in order."""
    run = store.jobs.create_run(spec)
    async with RunResources(spec.problem, spec.settings) as resources:
        assert await run_with(store, run, resources, {}) == "done"
    return store.candidates(run)


def outline(found: tuple[Candidate, ...]) -> list[tuple[object, ...]]:
    """What has to come out the same."""
    return [(one.id, one.operator, one.writer, one.program.hash, one.cost) for one in found]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A new store."""
    return Store(tmp_path / "runs.db")


async def test_operators_take_the_writers_in_turn(store: Store) -> None:
    with store:
        made = await search(store, spec("operator"))
    operators = list_operators(METHODS["unreflected"], Settings())
    children = [one for one in made if one.generation > 0]
    assert {one.writer for one in made if one.generation == 0} == {""}
    assert {one.writer for one in children} == set(BOTH)
    for one in children:
        assert one.writer == BOTH[operators.index(one.operator) % 2]


async def test_a_bandit_draws_the_same_at_any_concurrency_and_on_replay(store: Store) -> None:
    with store:
        one_by_one = await search(store, spec("bandit", 1))
        at_once = await search(store, spec("bandit", 8))
        again = await search(store, spec("bandit", writer="replay:1"))
    assert {one.writer for one in one_by_one[3:]} >= set(BOTH)
    assert outline(one_by_one) == outline(at_once) == outline(again)


def child(number: int, writer: str, cost: float | None, parent: str = "p0000") -> Candidate:
    """A child of a seed that costs 100."""
    program = make_program("An idea.", f"def score(item, state):\n    return {number}\n")
    failure = None if cost is not None else Failure("timeout", "too slow")
    return Candidate(
        f"p{number:04d}", program, "s", 1, number, (parent,), cost, failure=failure, writer=writer
    )


def test_who_gained_more_is_drawn_more_often_and_nobody_is_forgotten() -> None:
    seed = replace(child(0, "", 100.0), parents=())
    good = [child(n, "good", 90.0) for n in range(1, 9)]
    bad = [child(n, "bad", 110.0 if n % 2 else None) for n in range(9, 17)]
    drawn = draw_writers(("bad", "good"), (seed, *good, *bad), 400)
    assert drawn[:4] == ("good",) * 4
    assert 1 <= drawn.count("bad") <= 40
    assert drawn[:7] == draw_writers(("bad", "good"), (seed, *good, *bad), 7)


def test_without_any_gain_they_take_turns() -> None:
    assert draw_writers(("a", "b", "c"), (), 6) == ("a", "b", "c", "a", "b", "c")
    assert writer_of(("a", "b"), ("s", "p", "m"), "m", 0) == "a"
    assert [writer_of(("a", "b"), (), "i1", slot) for slot in range(3)] == ["a", "b", "a"]
