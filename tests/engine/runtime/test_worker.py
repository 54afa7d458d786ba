"""The plugin of a Dask worker and its helper processes, without a scheduler."""

from __future__ import annotations

import asyncio
import pickle
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import problems
from engine.domain.values import Evaluation
from engine.evaluate.pool import Limits
from engine.runtime import provenance
from engine.runtime.executors.tasks import Assignment, WorkerTask
from engine.runtime.executors.worker import KEPT, HelperPlugin
from problems import ProblemRef
from tests.conftest import TOY

REF = ProblemRef(TOY)
FINE = "def score(item, state):\n    return -item.duration\n"
ENDLESS = "def score(item, state):\n    while True:\n        pass\n"


def as_assignment(seconds: float = 1000.0, version: str = "") -> bytes:
    """Programs of the toy within so many CPU seconds."""
    known = version or provenance.evaluator_version(REF)
    return pickle.dumps(Assignment(REF, known, Limits(seconds, 512)))


def as_task(code: str, name: str = "design") -> bytes:
    """A program on a set."""
    instances = provenance.digest(problems.load(REF).load("design"))
    return pickle.dumps(WorkerTask(name, instances, "evaluate", (code, name, None, None, None)))


@asynccontextmanager
async def plugin() -> AsyncIterator[HelperPlugin]:
    """The plugin of a worker of two threads."""
    made = HelperPlugin()
    worker = SimpleNamespace(state=SimpleNamespace(nthreads=2))
    made.setup(worker)
    try:
        yield made
    finally:
        helpers = [*made._helpers.values()]
        made.teardown(worker)
        for helper in helpers:
            assert await asyncio.to_thread(helper.process.wait, 60) in (0, -signal.SIGKILL)


async def evaluate(plugin: HelperPlugin, code: str = FINE, key: str = "1") -> Evaluation:
    """What a helper finds of a program."""
    kind, found = await plugin.carry_out(as_assignment(), as_task(code), key)
    assert kind == "answer" and isinstance(found, bytes)
    evaluation: Evaluation = pickle.loads(found)
    return evaluation


async def children_of(pid: int) -> list[int]:
    """Processes below a helper's zygotes, once there are any."""
    while True:
        zygotes = _children(pid)
        below = [child for zygote in zygotes for child in _children(zygote)]
        if below:
            return below
        await asyncio.sleep(0.05)


def _children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in children.split()]


async def test_a_task_that_nobody_wants_any_more_ends_its_program() -> None:
    async with plugin() as made:
        asked = asyncio.create_task(evaluate(made, ENDLESS, "unwanted"))
        other = asyncio.create_task(evaluate(made))
        assert (await other).failure is None
        (helper,) = made._helpers.values()
        (child,) = await children_of(helper.process.pid)
        made.transition("unwanted", "executing", "released")
        with pytest.raises(RuntimeError, match="given up"):
            await asked
        while Path(f"/proc/{child}").exists():
            await asyncio.sleep(0.05)
        assert (await evaluate(made)).failure is None
        assert [*made._helpers.values()] == [helper]


async def test_a_helper_that_is_killed_fails_its_tasks_and_the_next_has_another() -> None:
    async with plugin() as made:
        asked = asyncio.create_task(evaluate(made, ENDLESS))
        while not made._helpers:
            await asyncio.sleep(0.01)
        (helper,) = made._helpers.values()
        await children_of(helper.process.pid)
        helper.process.kill()
        with pytest.raises(RuntimeError, match="its process ended with status -9"):
            await asked
        assert (await evaluate(made)).failure is None
        assert helper not in made._helpers.values()


async def test_a_helper_that_refuses_gives_way_to_a_new_one() -> None:
    async with plugin() as made:
        stale = as_assignment(version="another")
        asked = asyncio.create_task(made.carry_out(stale, as_task(FINE), "1"))
        while not made._helpers:
            await asyncio.sleep(0.01)
        (helper,) = made._helpers.values()
        kind, reason = await asked
        assert kind == "refusal" and "another version of Preceptor" in str(reason)
        assert not made._helpers
        assert await asyncio.to_thread(helper.process.wait, 60) == 0


async def test_a_reply_of_any_characters_reaches_the_gate() -> None:
    async with plugin() as made:
        found = await evaluate(made, f"{FINE}# \ud800 \x00")
        assert found.failure is not None and found.failure.kind == "parse"


async def test_what_is_under_way_ends_with_the_worker() -> None:
    async with plugin() as made:
        asked = asyncio.create_task(evaluate(made, ENDLESS))
        while not made._helpers:
            await asyncio.sleep(0.01)
        (helper,) = made._helpers.values()
        await children_of(helper.process.pid)
    with pytest.raises(RuntimeError, match="given up"):
        await asked


async def test_the_helper_that_was_idle_for_longest_ends() -> None:
    async with plugin() as made:
        first = made._helpers.setdefault(b"first", _idle())
        for number in range(KEPT):
            made._helpers[str(number).encode()] = _idle()
        await evaluate(made)
        assert len(made._helpers) == KEPT and first not in made._helpers.values()


def _idle() -> Any:
    process = SimpleNamespace(wait=lambda _: 0)
    return SimpleNamespace(waiting=0, process=process, close=lambda: None)
