"""Whatever program it is: the fast walk takes the actions of the plain one, compiled or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import problems
from engine.evaluate.compiled.compile import compile_rule
from engine.evaluate.gate.inspect import Inspection, inspect
from problems import ProblemRef
from problems.base import Problem, rollout
from problems.shared.programs import as_rule
from tests.contracts.loops import PROGRAMS
from tests.contracts.variants import REFS, label
from tests.engine.llm.family import make_family
from tests.problems.programs import compiled

COUNT = 200
"""Programs of the default writer for each problem, by all its operators."""

FEW = 50
"""The same for a variant of one: many of its programs look ahead in plain Python."""


def example(problem: Problem) -> tuple[Any, ...]:
    """Small instances."""
    return problem.load(problem.example or problem.design)


@pytest.mark.parametrize("ref", REFS, ids=label)
def test_the_fast_walk_takes_the_actions_of_the_plain_one(ref: ProblemRef) -> None:
    problem, walks = problems.load(ref), set()
    instance = example(problem)[0]
    count = FEW if ref.options else COUNT
    for program in make_family(problem.contract, problem.seeds(), count):
        inspection = inspect(program.code, problem.contract)
        assert isinstance(inspection, Inspection), program.code
        plain = rollout(problem, compiled(program.code), instance)
        walks.add(plain.actions)
        quick = compiled(program.code)
        fast = tuple(problem.rollout(quick, instance, inspection.reads))
        assert fast == plain.actions, program.code
        assert problem.replay(instance, plain.actions) == plain.cost, program.code
    assert len(walks) > count / 10, "the programs hardly vary"


@pytest.mark.parametrize(
    ("name", "program"),
    [(name, program) for name, programs in PROGRAMS.items() for program in programs],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_compiled_program_takes_the_actions_of_the_plain_one(
    name: str, program: Callable[..., Any]
) -> None:
    problem = problems.load(name)
    code = "import math\n" + (as_rule(program, problem.contract.function).code or "")
    check_compiled(problem, code, example(problem)[:4])


@pytest.mark.parametrize("name", ["jssp", "tsp", "cvrp", "maxcut"])
def test_every_seed_is_compiled(name: str) -> None:
    problem = problems.load(name)
    for seed in problem.seeds():
        check_compiled(problem, seed.code or "", example(problem)[:4])


def check_compiled(problem: Problem, code: str, instances: Sequence[Any]) -> None:
    """It is compiled, and takes the same actions then, also after some that are forced."""
    assert problem.compiles
    kernel = problem.kernel()
    function = compile_rule(code, problem.contract, kernel)
    for instance in instances:
        plain = rollout(problem, compiled(code), instance)
        assert tuple(kernel.walk(function, instance, None)) == plain.actions
        forced = rollout(problem, compiled(code), instance, plain.actions[1:2]).actions
        assert tuple(kernel.walk(function, instance, None, plain.actions[1:2])) == forced
