"""Whatever a program does, it is named, it does not get out, and no cost of it is made up."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from engine.domain.values import Evaluation, Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.sandbox import collect
from engine.evaluate.sandbox.child import LEVELS
from engine.evaluate.sandbox.messages import MESSAGE
from problems import ProblemRef, load
from problems.base import Problem
from tests.engine.evaluate.hostile import PROGRAMS, Hostile
from tests.engine.evaluate.processes import session

TOY = ProblemRef(str(Path(__file__).parents[2] / "toy"))
CONTRACT = load(TOY).contract
LIMITS = Limits(cpu_seconds=1, memory_mb=96)

pytestmark = pytest.mark.asyncio(loop_scope="module")
each_program = pytest.mark.parametrize("hostile", PROGRAMS, ids=lambda program: program.name)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator() -> AsyncIterator[Evaluator]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRECEPTOR_TEST_KEY", "canary")
        patch.setattr(collect, "BACKSTOP", 60)  # a busy machine takes its time
        async with Evaluator.start(TOY, LIMITS, workers=1) as evaluator:
            yield evaluator


def aimed(code: str, folder: Path, zygote: int) -> str:
    """The program with its victims filled in: a file with a secret, this process, the zygote."""
    file = folder / "file"
    file.write_text("canary")
    victims = {"FILE": file, "FOLDER": folder, "ENGINE": os.getpid(), "ZYGOTE": zygote}
    for word, victim in victims.items():
        code = code.replace(word, str(victim))
    return code


def honest(evaluator: Evaluator, evaluation: Evaluation) -> bool:
    """True when every cost is that of the actions beside it."""
    instances = evaluator.problem.load("design")
    costs = [
        Problem.replay(evaluator.problem, instance, actions)
        for instance, actions in zip(instances, evaluation.actions, strict=False)
    ]
    return [cost for cost in evaluation.costs if cost is not None] == costs


@each_program
async def test_the_gate_lets_pass_what_the_language_allows_and_no_more(hostile: Hostile) -> None:
    found = inspect(hostile.code, CONTRACT)
    assert (found.kind if isinstance(found, Failure) else None) == hostile.gate


@each_program
async def test_the_sandbox_holds_without_the_gate(
    hostile: Hostile, evaluator: Evaluator, tmp_path: Path
) -> None:
    if LEVELS.index(evaluator.level) > LEVELS.index(hostile.level):
        pytest.skip(f"the sandbox reaches only the level {evaluator.level} here")
    zygote = evaluator._zygote.process.pid
    evaluation = await evaluator._run(aimed(hostile.code, tmp_path, zygote), "design")
    failure = evaluation.failure
    message = failure.message if failure else ""
    assert (failure.kind if failure else "harmless") == hostile.alone, message
    assert hostile.says in message
    assert "ESCAPED" not in message
    assert "canary" not in message
    assert len(message) <= MESSAGE
    assert (evaluation.cost is None) == (failure is not None)
    assert honest(evaluator, evaluation)
    assert (tmp_path / "file").read_text() == "canary"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert evaluator._zygote.process.pid == zygote
    if sys.platform == "linux":
        assert session(zygote) == []
