"""The rules as exported files carry them are the very rules of the maximum cut problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from problems.base import rollout
from problems.maxcut.problem import Maxcut, build
from tests.problems.partitions import graphs
from tests.problems.programs import compiled, solve_alone

if TYPE_CHECKING:
    from problems.maxcut.sets.data import Instance

PROBLEM = Maxcut()
TWICE = build(steps="6", attempts="2")
EVERYTHING = f"""
def {PROBLEM.contract.signature()}:
    seen = (spins @ adjacency).sum() + 3 * current_cut + 5 * best_cut + step + 7 * max_steps
    return int(seen + 11 * sum(flip_history)) % len(spins)
"""


@pytest.mark.parametrize("code", [EVERYTHING, *(seed.code for seed in PROBLEM.seeds())])
@given(instance=graphs())
@settings(max_examples=15, derandomize=True)
def test_a_program_takes_the_same_actions(code: str, instance: Instance) -> None:
    for problem in (PROBLEM, TWICE):
        taken, cost = solve_alone(problem, code, instance)
        plain = rollout(problem, compiled(code), instance)
        assert (tuple(map(int, taken)), cost) == (plain.actions, plain.cost)
