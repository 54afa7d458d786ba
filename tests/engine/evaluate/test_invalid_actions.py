"""Whatever a program may not do is named with its instance and its step, by the real evaluator."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

import problems
from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef

pytestmark = pytest.mark.asyncio(loop_scope="module")

HONEST = {
    "tsp": "unvisited_nodes[0]",
    "cvrp": "min(unvisited_nodes, key=lambda node: demands[node])",
    "maxcut": "step % len(spins)",
}
THIRD = {"tsp": "len(unvisited_nodes) == 17", "maxcut": "step == 2"}
"""A condition that holds at step 2 of an instance with 20 nodes."""

LATER, FULL = "current_node != depot", "rest_capacity < demands.max()"

WRONG = [
    ("tsp", "current_node", "", "invalid action", "step 2: .* is no unvisited node"),
    ("tsp", "20", "", "invalid action", "step 2: 20 is no unvisited node"),
    ("tsp", "-1", "", "invalid action", "step 2: -1 is no unvisited node"),
    ("tsp", "float(unvisited_nodes[0])", "", "invalid action", r"step 2: .*\d\.0.* is no"),
    ("tsp", "True", "", "invalid action", "step 2: True is no unvisited node"),
    ("tsp", "change(distance_matrix)", "", "exception", r"read-only \(step 2, "),
    ("cvrp", "current_node", LATER, "invalid action", r"step 1: .* has been visited already"),
    ("cvrp", "int(demands.argmax())", FULL, "invalid action", r"step \d+: .* a demand of 9, wh"),
    (
        "cvrp",
        "depot",
        "True",
        "invalid action",
        "step 0: 0 is the depot, and the vehicle is there",
    ),
    ("cvrp", "21", LATER, "invalid action", "step 1: 21 is no node"),
    ("cvrp", "unvisited_nodes[:1]", LATER, "invalid action", r"step 1: array\(.*\) is no node"),
    ("cvrp", "float(unvisited_nodes[0])", LATER, "invalid action", r"step 1: .*\d\.0.* is no"),
    ("cvrp", "change(demands)", LATER, "exception", r"read-only \(step 1, "),
    ("cvrp", "change(distance_matrix)", LATER, "exception", r"read-only \(step 1, "),
    ("maxcut", "len(spins)", "", "invalid action", "ba20w/1, step 2: 20 is no vertex to flip"),
    ("maxcut", "-1", "", "invalid action", "ba20w/1, step 2: -1 is no vertex to flip"),
    ("maxcut", "spins[0]", "", "invalid action", r"step 2: .*1\.0.* is no vertex to flip"),
    ("maxcut", "None", "", "invalid action", "step 2: None is no vertex to flip"),
    ("maxcut", "change(adjacency)", "", "exception", r"read-only \(step 2, "),
]
"""Task, wrong answer, the condition under which it is given, and what is said of it."""


def program(name: str, wrong: str, condition: str) -> str:
    """A program that answers wrongly where a condition holds on the second instance."""
    problem: Any = problems.load(name)
    second = problem.load(problem.example)[1]
    if name == "maxcut":
        is_second = f"tuple(adjacency[0].nonzero()[0].tolist()) == {second.neighbours[0]}"
    else:
        is_second = f"distance_matrix[0, 1] == {second.distance(0, 1)!r}"
    return (
        f"def {problem.contract.signature()}:\n"
        f"    if {is_second} and {condition or THIRD[name]}:\n        return {wrong}\n"
        f"    return {HONEST[name]}\n"
        "def change(table):\n    table[0] = 1.0\n    return 0\n"
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluators() -> AsyncIterator[dict[str, Evaluator]]:
    """One for each task."""
    async with AsyncExitStack() as stack:
        started = [Evaluator.start(ProblemRef(name), Limits(5), workers=1) for name in HONEST]
        opened = [await stack.enter_async_context(evaluator) for evaluator in started]
        yield {evaluator.problem.name: evaluator for evaluator in opened}


@pytest.mark.parametrize(("name", "wrong", "condition", "kind", "complaint"), WRONG)
async def test_a_wrong_action_is_named_with_its_instance_and_its_step(
    name: str,
    wrong: str,
    condition: str,
    kind: str,
    complaint: str,
    evaluators: dict[str, Evaluator],
) -> None:
    problem: Any = evaluators[name].problem
    evaluation = await evaluators[name].evaluate(program(name, wrong, condition), problem.example)
    failure = evaluation.failure
    assert failure is not None
    assert failure.kind == kind
    assert re.search(rf"{complaint}.*instance 1\)$", failure.message), failure.message
    assert len(evaluation.actions) == 1


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("tsp", "distance_matrix[0, 1]"),
        ("cvrp", "demands[1]"),
        ("maxcut", "adjacency[0][1]"),
        ("maxcut", "spins[0]"),
    ],
)
async def test_setting_an_input_is_refused_with_its_line(
    name: str, table: str, evaluators: dict[str, Evaluator]
) -> None:
    contract = evaluators[name].problem.contract
    code = f"def {contract.signature()}:\n    {table} = 0.0\n    return {HONEST[name]}\n"
    failure = (await evaluators[name].evaluate(code, "design")).failure
    assert failure is not None
    assert (failure.kind, failure.line) == ("nondeterministic", 2)
    assert "changes its input" in failure.message
