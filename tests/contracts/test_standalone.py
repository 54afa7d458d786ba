"""The rules that go into exported files: short texts of their own that play by the same rules."""

from __future__ import annotations

import ast
import sys

import pytest

import problems
from problems import ProblemRef
from problems.base import rollout
from tests.contracts.variants import REFS, label
from tests.problems.programs import compiled, solve_alone

ALONE = [ref for ref in REFS if problems.load(ref).simulator()]
WIDTH = 95
"""A line is indented by four in an exported file."""

each_problem = pytest.mark.parametrize("ref", ALONE, ids=label)


@each_problem
def test_the_text_needs_the_standard_library_and_numpy_alone(ref: ProblemRef) -> None:
    tree = ast.parse(problems.load(ref).simulator())
    imported = {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    roots = {module.partition(".")[0] for module in imported}
    assert roots <= sys.stdlib_module_names - {"__future__"} | {"numpy"}


@each_problem
def test_its_lines_are_short_enough_to_be_indented(ref: ProblemRef) -> None:
    assert max(map(len, problems.load(ref).simulator().splitlines())) <= WIDTH


@each_problem
def test_seeds_take_the_same_actions_on_the_small_example(ref: ProblemRef) -> None:
    problem = problems.load(ref)
    instance = problem.load(problems.load(ref).example)[0]
    assert len(problems.load(ref).literal(instance)) < 1500
    for seed in problem.seeds():
        taken, cost = solve_alone(problems.load(ref), seed.code or "", instance)
        plain = rollout(problem, compiled(seed.code or ""), instance)
        assert (tuple(taken), cost) == (plain.actions, plain.cost)
