"""A program that is no function of its arguments is found out, and a pure one costs the same."""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import pytest_asyncio

from engine.evaluate import pool, proof, rollout
from engine.evaluate.constants import Changed, check_unchanged, fingerprints
from engine.evaluate.gate.vocabulary import MODULES
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.sandbox import collect
from problems import ProblemRef
from tests.engine.evaluate.red_team import PROGRAMS
from tests.engine.evaluate.red_team.ordinary import ORDINARY, REFUSED
from tests.engine.evaluate.red_team.trick import Trick

TOY = ProblemRef(str(Path(__file__).parents[2] / "toy"))
LIMITS = Limits(cpu_seconds=1, memory_mb=256)
SAME_ACTIONS = {"room on the stack"}
"""Impure scores that may choose the same actions: the order of candidates does not depend on a
common factor, so that neither does the cost."""

in_a_loop = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator() -> AsyncIterator[Evaluator]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (collect, pool):
            patch.setattr(module, "BACKSTOP", 60)  # a busy machine takes its time
        async with Evaluator.start(TOY, LIMITS, workers=1) as evaluator:
            yield evaluator


@pytest.mark.parametrize(
    "one",
    [one for one in PROGRAMS if one.contract == "toy" and one.expected != "harmless"],
    ids=lambda one: one.name,
)
@in_a_loop
async def test_no_program_of_the_red_team_is_accepted(one: Trick, evaluator: Evaluator) -> None:
    evaluation = await evaluator.evaluate(one.code, "design")
    assert evaluation.failure is not None or one.name in SAME_ACTIONS
    assert (evaluation.cost is None) == (evaluation.failure is not None)


def test_calls_go_to_several_definitions_and_to_memory_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rollout, "DEFINING", math.inf)
    called, temporaries = list[int](), list[int]()

    def define() -> object:
        def score(item: object) -> object:
            called.append(id(score))
            temporaries.append(id(iter(())))
            return item

        return score

    function = rollout.take_turns(define)
    assert [function(number) for number in range(30)] == [*range(30)]
    assert len(set(called)) == len(set(called[: rollout.COPIES])) == rollout.COPIES
    assert len(set(temporaries)) > rollout.COPIES


@pytest.mark.parametrize(
    "one", [one for one in ORDINARY if one.contract == "toy"], ids=lambda one: one.name
)
@in_a_loop
async def test_ordinary_programs_are_accepted_or_repairable(
    one: Trick, evaluator: Evaluator
) -> None:
    evaluation = await evaluator.evaluate(one.code, "design")
    if one.name in REFUSED:
        assert evaluation.failure is not None
        assert evaluation.failure.repairable
    else:
        assert evaluation.failure is None
        assert evaluation == await same_cpu(evaluator, one.code, evaluation.cpu)


async def same_cpu(evaluator: Evaluator, code: str, cpu: float) -> object:
    """The evaluation without gate and proof, with another's CPU time."""
    return replace(await evaluator._run(code, "design"), cpu=cpu)


@in_a_loop
async def test_another_action_is_told_with_instance_and_step(evaluator: Evaluator) -> None:
    code = (
        "import numpy as np\n"
        "def score(item, state, seed=None):\n"
        "    return np.random.default_rng(seed).random()\n"
    )
    failure = (await evaluator.evaluate(code, "design")).failure
    assert failure is not None
    assert (failure.kind, failure.repairable) == ("nondeterministic", True)
    assert "(instance " in failure.message
    assert "step " in failure.message


@in_a_loop
async def test_a_changed_constant_is_told_by_its_name(evaluator: Evaluator) -> None:
    code = (
        "KEPT = [0]\ndef score(item, state):\n    own = KEPT\n    own[0] += 1\n    return own[0]"
    )
    failure = (await evaluator.evaluate(code, "design")).failure
    assert failure is not None
    assert failure.kind == "nondeterministic"
    assert "`KEPT` changed" in failure.message


def test_the_instance_depends_on_the_program_alone_and_is_one_with_decisions() -> None:
    long = [tuple(range(30)) for _ in range(40)]
    assert proof.choose("a", long) == proof.choose("a", long)
    assert len({proof.choose(text, long) for text in "abcdef"}) > 1
    assert proof.choose("a", [(), (1,), ()]) == 1
    assert proof.choose("a", [()]) is None


@in_a_loop
@pytest.mark.parametrize(
    ("status", "refused"),
    [(signal.SIGXCPU, False), (signal.SIGKILL, False), (signal.SIGSEGV, True), (0, True)],
)
async def test_running_out_of_time_says_nothing(status: int, refused: bool) -> None:
    stream = asyncio.StreamReader()
    stream.feed_eof()
    child = Mock(stream=stream, ended=asyncio.get_running_loop().create_future())
    child.ended.set_result(Mock(status=status))
    failure = await proof.compare(child, 3, (0, 1, 2))
    assert (failure is not None) == refused


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ("X = [1]", "X.append(1)"),
        ("X = {1: [2]}", "X[1][0] = 3"),
        ("X = {1}", "X.add(2)"),
        ("import numpy as np\nX = np.zeros(3)", "X[1] = 1"),
        ("import numpy as np\nX = np.zeros(3)", "X[1] = -0.0"),
        ("class X:\n    y = 1", "X.y = 2"),
        ("class Y:\n    def __init__(self): self.z = 1\nX = Y()", "X.z = 2"),
        ("def X(y=[]): pass", "X.__defaults__[0].append(1)"),
        ("def X(): pass", "X.y = 1"),
        ("def make():\n    y = []\n    return lambda: y.append(1)\nX = make()", "X()"),
        ("from collections import deque\nX = deque()", "X.append(1)"),
        ("from functools import partial\nX = partial(len, [])", "X.args[0].append(1)"),
        ("import random\nX = random.Random(1)", "X.random()"),
        ("import numpy as np\nX = [np.random.default_rng(1)]", "X[0].random()"),
        ("import numpy as np\nX = np.random.RandomState(1)", "X.rand()"),
        ("Y = 1", "X = 1"),
    ],
)
def test_every_change_of_a_constant_is_seen(before: str, change: str) -> None:
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(before, namespace)
    first = fingerprints(namespace)
    check_unchanged(first, namespace)
    exec(change, namespace)
    with pytest.raises(Changed, match="`X`"):
        check_unchanged(first, namespace)


@pytest.mark.parametrize("value", ["iter([1])", "(x for x in [1])", "[map(abs, [1])]"])
def test_an_iterator_is_no_constant(value: str) -> None:
    namespace = {"X": eval(value)}
    with pytest.raises(Changed):
        fingerprints(namespace)


def test_a_large_array_is_looked_at_in_parts() -> None:
    assert fingerprints({"X": np.zeros(1 << 19)}) == fingerprints({"X": np.zeros(1 << 19)})


def test_the_prompt_names_the_modules_in_few_lines() -> None:
    text = files("engine.search.prompts").joinpath("rules.md").read_text("utf-8")
    assert len(text.splitlines()) <= 7
    tops = {name.partition(".")[0] for name in MODULES} - {"__future__"}
    assert all(name in text for name in tops)
