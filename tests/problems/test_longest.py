"""How long a walk can be is known exactly: no walk is longer, and one is as long."""

from __future__ import annotations

import random
from typing import Any

import pytest

import problems
from problems import ProblemRef
from problems.base import LONGEST, Problem
from problems.cvrp.instances import Instance as Cvrp
from problems.jssp.instances import Instance as Shop
from problems.maxcut.instances import Instance as Graph
from problems.tsp.instances import Instance as Tour
from tests.conftest import TOY

CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 0.0), (0.0, 2.0))


def walk_all(problem: Problem, state: Any) -> int:
    """Actions of the longest of all walks from a state on."""
    ways = (1 + walk_all(problem, problem.step(state, a)) for a in problem.actions(state))
    return max(ways, default=0)


def fleet(demands: tuple[int, ...], capacity: int) -> Cvrp:
    return Cvrp("fleet", CORNERS[: len(demands) + 1], (0, *demands), capacity)


def fleets() -> list[Any]:
    """Fleets of up to five customers with small and large demands."""
    dice = random.Random(1)
    drawn = [[dice.randint(1, 9) for _ in range(dice.randint(1, 5))] for _ in range(24)]
    return [fleet(tuple(demands), dice.randint(9, 16)) for demands in drawn]


CASES = [
    *(("cvrp", case) for case in fleets()),
    *(("tsp", Tour("tour", CORNERS[:size])) for size in range(1, 7)),
    ("jssp", Shop("shop", ((3, 2), (2, 4), (1, 1)), ((0, 1), (1, 0), (0, 1)))),
]


@pytest.mark.parametrize(("name", "instance"), CASES)
def test_no_walk_is_longer_and_one_is_as_long(name: str, instance: Any) -> None:
    problem = problems.load(name)
    assert problem.longest(instance) == walk_all(problem, problem.start(instance))


@pytest.mark.parametrize("options", [(), (("steps", "3"),), (("steps", "2"), ("attempts", "3"))])
def test_every_walk_of_flips_is_as_long(options: tuple[tuple[str, str], ...]) -> None:
    problem = problems.load(ProblemRef("maxcut", options))
    graph: Graph = problem.load(problem.design)[0]
    state = problem.start(graph)
    steps = 0
    while problem.actions(state):
        state = problem.step(state, 0)
        steps += 1
    assert problem.longest(graph) == steps


def test_a_problem_that_does_not_say_is_let_have_many() -> None:
    toy = problems.load(TOY)
    assert toy.longest(toy.load("design")[0]) == LONGEST
