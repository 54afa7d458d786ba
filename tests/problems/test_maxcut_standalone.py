"""The rules as exported files carry them are the very rules of the maximum cut problem."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import Standalone, rollout
from problems.maxcut.problem import Maxcut, build
from tests.problems.partitions import compiled, graphs

if TYPE_CHECKING:
    from problems.maxcut.data import Instance

PROBLEM = Maxcut()
TWICE = build(steps="6", attempts="2")
EVERYTHING = f"""
def {PROBLEM.contract.signature()}:
    seen = (spins @ adjacency).sum() + 3 * current_cut + 5 * best_cut + step + 7 * max_steps
    return int(seen + 11 * sum(flip_history)) % len(spins)
"""


def solve(problem: Maxcut, code: str, instance: Instance) -> Any:
    """Actions and minimised cost by the stand-alone text."""
    rules: dict[str, Any] = {}
    exec(problem.simulator(), rules)
    return rules["solve"](compiled(code), ast.literal_eval(problem.literal(instance)))


@pytest.mark.parametrize("code", [EVERYTHING, *(seed.code for seed in PROBLEM.seeds())])
@given(instance=graphs())
@settings(max_examples=15, derandomize=True, deadline=None)
def test_a_program_takes_the_same_actions(code: str, instance: Instance) -> None:
    for problem in (PROBLEM, TWICE):
        taken, cost = solve(problem, code, instance)
        plain = rollout(problem, compiled(code), instance)
        assert (tuple(map(int, taken)), cost) == (plain.actions, plain.cost)


def test_its_text_needs_numpy_and_the_standard_library_alone() -> None:
    tree = ast.parse(PROBLEM.simulator())
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported == {"numpy", "collections.abc", "typing"}
    assert max(map(len, PROBLEM.simulator().splitlines())) <= 95


def test_the_example_is_small() -> None:
    assert isinstance(PROBLEM, Standalone)
    assert len(PROBLEM.literal(PROBLEM.load(PROBLEM.example)[0])) < 1500
