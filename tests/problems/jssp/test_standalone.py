"""The rules as exported files carry them are the very rules of the job shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import rollout
from problems.jssp.problem import build
from tests.problems.programs import compiled, solve_alone
from tests.problems.shops import shops

if TYPE_CHECKING:
    from problems.jssp.sets.data import Instance

PROBLEM = build()
EVERYTHING = """
def score(feature, state):
    seen = sum(feature) + state.makespan + state.step
    return (seen * 7919 + state.instance.machines[feature.job_id][feature.op_index]) % 101
"""


@pytest.mark.parametrize("rule", PROBLEM.seeds(), ids=lambda rule: rule.name)
@given(instance=shops())
@settings(max_examples=10)
def test_a_rule_takes_the_same_actions(rule: Any, instance: Instance) -> None:
    taken, makespan = solve_alone(PROBLEM, rule.code, instance)
    plain = rollout(PROBLEM, compiled(rule.code), instance)
    assert (tuple(taken), makespan) == (plain.actions, plain.cost)


@given(instance=shops())
@settings(max_examples=50)
def test_every_field_has_the_same_value(instance: Instance) -> None:
    taken, _ = solve_alone(PROBLEM, EVERYTHING, instance)
    assert tuple(taken) == rollout(PROBLEM, compiled(EVERYTHING), instance).actions
