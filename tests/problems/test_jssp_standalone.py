"""The rules as exported files carry them are the very rules of the job shop."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import Standalone, rollout
from problems.jssp.problem import build
from tests.problems.shops import compiled, shops

if TYPE_CHECKING:
    from problems.jssp.data import Instance

WIDE = build(state="wide")
EVERYTHING = """
def score(feature, state):
    seen = sum(feature) + state.makespan + state.step
    seen += sum(state.next_op) + sum(state.job_ready) + sum(state.machine_ready)
    return (seen * 7919 + state.instance.machines[feature.job_id][feature.op_index]) % 101
"""


def solve(code: str, instance: Instance) -> Any:
    """Actions and makespan by the stand-alone text."""
    rules: dict[str, Any] = {}
    exec(WIDE.simulator(), rules)
    return rules["solve"](compiled(code), ast.literal_eval(WIDE.literal(instance)))


@pytest.mark.parametrize("rule", WIDE.seeds(), ids=lambda rule: rule.name)
@given(instance=shops())
@settings(max_examples=10, deadline=None)
def test_a_rule_takes_the_same_actions(rule: Any, instance: Instance) -> None:
    taken, makespan = solve(rule.code, instance)
    plain = rollout(WIDE, compiled(rule.code), instance)
    assert (tuple(taken), makespan) == (plain.actions, plain.cost)


@given(instance=shops())
@settings(max_examples=50, deadline=None)
def test_every_field_has_the_same_value(instance: Instance) -> None:
    taken, _ = solve(EVERYTHING, instance)
    assert tuple(taken) == rollout(WIDE, compiled(EVERYTHING), instance).actions


def test_its_text_needs_the_standard_library_alone() -> None:
    tree = ast.parse(WIDE.simulator())
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert "__future__" not in imported
    assert {str(name).split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_its_lines_are_short_enough_to_be_indented() -> None:
    assert max(map(len, WIDE.simulator().splitlines())) <= 95


def test_the_example_is_small() -> None:
    assert isinstance(WIDE, Standalone)
    assert len(WIDE.literal(WIDE.load(WIDE.example)[0])) < 1000
