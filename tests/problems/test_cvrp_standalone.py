"""The rules as exported files carry them are the very rules of vehicle routing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import Standalone, rollout
from problems.cvrp.problem import Cvrp
from tests.problems.fleets import compiled, fleets

if TYPE_CHECKING:
    from problems.cvrp.data import Instance

PROBLEM = Cvrp()


def solve(code: str, instance: Instance) -> Any:
    """Actions and length by the stand-alone text."""
    rules: dict[str, Any] = {}
    exec(PROBLEM.simulator(), rules)
    return rules["solve"](compiled(code), ast.literal_eval(PROBLEM.literal(instance)))


@pytest.mark.parametrize("seed", PROBLEM.seeds(), ids=lambda seed: seed.name)
@given(instance=fleets())
@settings(max_examples=15, derandomize=True, deadline=None)
def test_a_seed_takes_the_same_actions(seed: Any, instance: Instance) -> None:
    taken, length = solve(seed.code, instance)
    plain = rollout(PROBLEM, compiled(seed.code), instance)
    assert (tuple(taken), length) == (plain.actions, plain.cost)


def test_its_text_needs_numpy_and_the_standard_library_alone() -> None:
    tree = ast.parse(PROBLEM.simulator())
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported == {"math", "numpy", "collections.abc", "typing"}
    assert max(map(len, PROBLEM.simulator().splitlines())) <= 95


def test_the_example_is_small() -> None:
    assert isinstance(PROBLEM, Standalone)
    assert len(PROBLEM.literal(PROBLEM.load(PROBLEM.example)[0])) < 1500
