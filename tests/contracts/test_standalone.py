"""The rules that go into exported files: short texts of their own that play by the same rules."""

from __future__ import annotations

import ast
import sys

import pytest

import problems
from problems.base import Standalone, rollout
from tests.problems.programs import compiled, solve_alone

NAMES = [name for name in problems.names() if isinstance(problems.load(name), Standalone)]
WIDTH = 95
"""A line is indented by four in an exported file."""

each_problem = pytest.mark.parametrize("name", NAMES)


def standalone(name: str) -> Standalone:
    """A problem that explains its rules."""
    problem = problems.load(name)
    assert isinstance(problem, Standalone)
    return problem


@each_problem
def test_the_text_needs_the_standard_library_and_numpy_alone(name: str) -> None:
    tree = ast.parse(standalone(name).simulator())
    imported = {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    roots = {module.partition(".")[0] for module in imported}
    assert roots <= sys.stdlib_module_names - {"__future__"} | {"numpy"}


@each_problem
def test_its_lines_are_short_enough_to_be_indented(name: str) -> None:
    assert max(map(len, standalone(name).simulator().splitlines())) <= WIDTH


@each_problem
def test_seeds_take_the_same_actions_on_the_small_example(name: str) -> None:
    problem = problems.load(name)
    instance = problem.load(standalone(name).example)[0]
    assert len(standalone(name).literal(instance)) < 1500
    for seed in problem.seeds():
        taken, cost = solve_alone(standalone(name), seed.code or "", instance)
        plain = rollout(problem, compiled(seed.code or ""), instance)
        assert (tuple(taken), cost) == (plain.actions, plain.cost)
