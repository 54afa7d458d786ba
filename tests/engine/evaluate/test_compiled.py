"""Compiled programs do what Python does, or Python does it; and both end when their time is up."""

from __future__ import annotations

import math
import random
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import pytest_asyncio

from engine.evaluate import proof
from engine.evaluate.compiled.checks import Differs
from engine.evaluate.compiled.compile import compile_program, try_compiled
from engine.evaluate.compiled.library import library
from engine.evaluate.compiled.work import Work
from engine.evaluate.constants import Changed
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.rollout import AGAIN, _asked_twice
from problems import ProblemRef
from problems.maxcut.problem import Maxcut

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from engine.domain.values import Failure

PROBLEM = Maxcut()
NAME = PROBLEM.contract.function
HEAD = f"import math\nimport numpy as np\ndef {PROBLEM.contract.signature()}:\n"
LOOPS = """\
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = 0.0
        for other in range(len(spins)):
            gain += adjacency[vertex, other] * spins[vertex] * spins[other]
        for flipped in flip_history[-20:]:
            if flipped == vertex:
                gain -= {toll}
        if gain > best_score:
            best_vertex, best_score = vertex, gain
    return best_vertex
"""
GRAPHS = PROBLEM.load("ba20w")[:4]

in_the_sandbox = pytest.mark.asyncio(loop_scope="module")


def program(toll: str = "1.5") -> str:
    """Greedy flips with a toll on recent ones, written as loops over numbers."""
    return HEAD + LOOPS.format(toll=toll)


def plain(code: str) -> Any:
    """How Python solves an instance."""
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    return lambda instance, forced: PROBLEM.rollout(namespace[NAME], instance, None, forced)


@pytest.fixture(autouse=True)
def pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs do not take long enough to be compiled for."""
    monkeypatch.setattr(Work, "pays", lambda *_: True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator() -> AsyncIterator[Evaluator]:
    limits = Limits(cpu_seconds=3)
    async with Evaluator.start(ProblemRef("maxcut"), limits, workers=1) as evaluator:
        yield evaluator


KEPT = """\
def pick(size):
    kept = {made}
    for place in range(size):
        for other in range(2):
            {put}
    return kept[{read}]
"""


@pytest.mark.parametrize(
    ("made", "put", "read"),
    [
        ("[0] * size", "kept[place] = 1.7", 0),
        ("[0] * size", "kept[place] += 0.7", 0),
        ("[0] * size", "kept[0], kept[1] = 0.5, 2", 0),
        ("[0 for _ in range(size)]", "kept[place] = place / 2", 1),
        ("[[0] * size, [0] * size]", "kept[0][place] = 0.5", "0][1"),
        ("[True] * size", "kept[place] = 2", 0),
        ("[0] * size", "kept += [0.5]", -1),
        ("[0] * size", "fill(kept, 0.5)", 0),
        ("[0] * size", "kept[place] += 2", 1),
        ("[0.0] * size", "kept[place] = 1", 1),
        ("[0] * size", "kept[place] = size > other", 1),
        ("[0]", "kept.append(0.5)", 1),
        ("[0.5] * size", "kept += [0.25]", -1),
    ],
)
def test_a_list_keeps_its_numbers(made: str, put: str, read: object) -> None:
    """A float that is put among whole numbers stays one; or Python runs the program."""
    code = KEPT.format(made=made, put=put, read=read)
    code += "def fill(items, item):\n    items[0] = item\n    return 0\n"
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    with suppress(Differs):
        assert compile_program(code, "pick")(3) == namespace["pick"](3)


@in_the_sandbox
async def test_nested_loops_take_the_same_actions_in_the_sandbox(evaluator: Evaluator) -> None:
    compiled = await evaluator.evaluate(program(), "ba20w")
    uncompiled = await evaluator._run(program(), "ba20w")
    assert compiled.failure is None
    assert compiled.actions == uncompiled.actions


@in_the_sandbox
async def test_a_compiled_program_is_asked_again_compiled_when_there_is_time(
    evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "SHARE", 100.0)
    compare = proof.compare

    async def lie(child: Any, sample: proof.Sample, claims: Any) -> Failure | None:
        assert sample.compiled
        as_it_stands = {group.instance for group in sample.always}
        lies = [one if k in as_it_stands else one[::-1] for k, one in enumerate(claims)]
        return await compare(child, sample, lies)

    assert (await evaluator.evaluate(program(), "ba20w")).failure is None
    monkeypatch.setattr(proof, "compare", lie)
    wrong = await evaluator.evaluate(program(), "ba20w")
    assert wrong.failure is not None
    assert wrong.failure.kind == "nondeterministic"


def test_a_compiled_program_that_changes_its_mind_is_found_out() -> None:
    answers = iter([(1,), *[(2,)] * AGAIN])
    solve = _asked_twice(lambda *_: next(answers))
    with pytest.raises(Changed):
        for _ in range(AGAIN):
            solve(None, ())


@in_the_sandbox
async def test_loops_that_would_take_python_minutes_end_in_time(evaluator: Evaluator) -> None:
    assert (await evaluator.evaluate(program(), "design-16")).failure is None


@in_the_sandbox
async def test_a_compiled_endless_loop_is_ended(evaluator: Evaluator) -> None:
    code = HEAD + "    while True:\n        for vertex in range(9):\n            step += vertex\n"
    evaluation = await evaluator.evaluate(code, "ba20w")
    assert evaluation.failure is not None
    assert evaluation.failure.kind == "timeout"


@in_the_sandbox
async def test_where_the_compiled_program_fails_python_says_how(evaluator: Evaluator) -> None:
    cut = GRAPHS[2].cut(PROBLEM.profile.start(GRAPHS[2], 0))
    code = program().replace(":\n", f":\n    unused = 1 / (current_cut - {cut})\n", 1)
    compiled = await evaluator.evaluate(code, "ba20w")
    uncompiled = await evaluator._run(code, "ba20w")
    assert compiled.failure is not None
    assert compiled.failure == uncompiled.failure
    assert compiled.actions == uncompiled.actions


def test_a_program_that_agrees_is_solved_compiled() -> None:
    slow = plain(program())
    quick = try_compiled(PROBLEM, program(), NAME, slow, GRAPHS, None)
    assert quick is not slow
    for forced in ((), (3, 0, 3)):
        for graph in GRAPHS:
            assert quick(graph, forced) == slow(graph, forced)


@pytest.mark.parametrize(
    "code",
    [
        program("7 * step ** 20 % 11"),
        HEAD + "    gains = np.exp(spins * (adjacency @ spins))\n    return gains.argmax()\n",
        program("len(str(step))"),
        program("late").replace(":\n", ":\n    if step > 99:\n        late = 2.0\n", 1),
        program("float(4611686018427387904 * (step + 2) > 0)"),
    ],
    ids=["large powers", "arrays", "text", "perhaps unset", "beyond 64 bits"],
)
def test_what_numba_would_do_in_another_way_is_left_to_python(code: str) -> None:
    slow = plain(code)
    assert try_compiled(PROBLEM, code, NAME, slow, GRAPHS, None) is slow


def test_without_numba_python_runs_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    slow = plain(program())
    assert try_compiled(PROBLEM, program(), NAME, slow, GRAPHS, None) is slow


def test_functions_of_math_and_powers_are_pythons_to_the_last_bit() -> None:
    rng = random.Random(0)
    pairs = [(rng.uniform(0.01, 9), rng.uniform(-3, 6)) for _ in range(3000)]
    for name, function in library().items():
        if not name.startswith("math."):
            continue
        own = getattr(math, name.removeprefix("math."))
        wanted = pairs if name in ("math.pow", "math.atan2") else [(x,) for x, _ in pairs]
        assert [function(*pair) for pair in wanted] == [own(*pair) for pair in wanted], name
    power = library()["math.pow"]
    for exponent in (2, 3, 0.5, -1):
        found = [power(x, exponent) for x, _ in pairs]
        assert found == [x**exponent for x, _ in pairs]
        assert found == [np.float64(x) ** exponent for x, _ in pairs]
