"""The rules as exported files carry them are the very rules of the travelling salesman."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import rollout
from problems.tsp.problem import Tsp
from tests.problems.programs import compiled, solve_alone
from tests.problems.tours import planes

if TYPE_CHECKING:
    from problems.tsp.sets.data import Instance

PROBLEM = Tsp()


@pytest.mark.parametrize("seed", PROBLEM.seeds(), ids=lambda seed: seed.name)
@given(instance=planes())
@settings(max_examples=15, derandomize=True)
def test_a_seed_takes_the_same_actions(seed: Any, instance: Instance) -> None:
    taken, length = solve_alone(PROBLEM, seed.code, instance)
    plain = rollout(PROBLEM, compiled(seed.code), instance)
    assert (tuple(taken), length) == (plain.actions, plain.cost)


def test_distances_are_rounded_where_the_instance_says_so() -> None:
    instance = PROBLEM.load("tsp20")[0]
    large = dataclasses.replace(
        instance, points=tuple((100 * x, 100 * y) for x, y in instance.points), rounded=True
    )
    _, length = solve_alone(PROBLEM, PROBLEM.seeds()[0].code or "", large)
    assert length == int(length)
