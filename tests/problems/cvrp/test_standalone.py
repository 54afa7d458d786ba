"""The rules as exported files carry them are the very rules of vehicle routing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from problems.base import rollout
from problems.cvrp.problem import Cvrp
from tests.problems.fleets import fleets
from tests.problems.programs import compiled, solve_alone

if TYPE_CHECKING:
    from problems.cvrp.sets.data import Instance


PROBLEM = Cvrp()


@pytest.mark.parametrize("seed", PROBLEM.seeds(), ids=lambda seed: seed.name)
@given(instance=fleets())
@settings(max_examples=15, derandomize=True)
def test_a_seed_takes_the_same_actions(seed: Any, instance: Instance) -> None:
    taken, length = solve_alone(PROBLEM, seed.code, instance)
    plain = rollout(PROBLEM, compiled(seed.code), instance)
    assert (tuple(taken), length) == (plain.actions, plain.cost)
