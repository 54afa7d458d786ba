"""The kind `whole` of the four tasks: what a solution is, what it costs, where solvers lead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems
from problems import ProblemRef
from problems.base import Problem, rollout
from problems.errors import InvalidAction, UserError
from problems.whole import LARGEST
from tests.contracts.variants import WHOLE
from tests.problems.fleets import fleet
from tests.problems.partitions import graph
from tests.problems.shops import shop
from tests.problems.tours import plane

JSSP, TSP, CVRP, MAXCUT = (
    problems.load(ProblemRef(name, (("kind", "whole"),)))
    for name in ("jssp", "tsp", "cvrp", "maxcut")
)
SHOP = shop("0:2 1:3 0:1", "1:4 0:6")
SQUARE = plane((0, 0), (0, 3), (4, 3), (4, 0))
FLEET = fleet(10, (0, 0, 0), (1, 0, 4), (3, 0, 6), (4, 0, 5))
PATH = graph(4, (0, 1, 2), (1, 2, -3), (2, 3, 5))


@pytest.mark.parametrize(
    ("problem", "instance", "solution", "cost"),
    [
        (JSSP, SHOP, [0, 0, 1, 1, 0], 15.0),
        (JSSP, SHOP, [1, 0, 0, 1, 0], 11.0),
        (TSP, SQUARE, [2, 1, 0, 3], 14.0),
        (TSP, SQUARE, [0, 2, 1, 3], 18.0),
        (CVRP, FLEET, [1, 2, 0, 3], 14.0),
        (CVRP, FLEET, [0, 3, 1, 0, 0, 2, 0], 14.0),
        (MAXCUT, PATH, [0, 1, 1, 0], -7.0),
        (MAXCUT, PATH, [-1, 1, 1, -1], -7.0),
        (MAXCUT, PATH, [0, 1, 0, 1], -4.0),
    ],
)
def test_a_solution_costs_what_it_says(
    problem: Problem, instance: Any, solution: list[int], cost: float
) -> None:
    assert problem.replay(instance, solution) == cost
    assert Problem.replay(problem, instance, solution) == cost
    assert rollout(problem, lambda *_: np.array(solution), instance).cost == cost


@pytest.mark.parametrize(
    ("problem", "instance", "solution", "told"),
    [
        (JSSP, SHOP, [0, 0, 1, 1], "4 actions do not finish the instance"),
        (JSSP, SHOP, [0, 0, 1, 1, 1], "step 4: 1 is no unfinished job"),
        (TSP, SQUARE, [0, 1, 2], "node 3 is missing"),
        (TSP, SQUARE, [0, 1, 2, 2], "node 2 comes twice"),
        (TSP, SQUARE, [0, 1, 2, 4], "node 4 does not exist"),
        (CVRP, FLEET, [1, 0, 2], "customer 3 is missing"),
        (CVRP, FLEET, [1, 0, 2, 3], "route 1 delivers 11, more than 10"),
        (MAXCUT, PATH, [0, 1, 1], "3 sides for 4 vertices"),
        (MAXCUT, PATH, [0, 1, 1, 2], "a side of 2; sides are 0 and 1, or -1 and 1"),
        (MAXCUT, PATH, [0, 1, 1, -1], "sides of -1 beside sides of 0"),
    ],
)
def test_what_is_no_solution_is_refused_with_the_first_thing_wrong(
    problem: Problem, instance: Any, solution: list[int], told: str
) -> None:
    with pytest.raises(InvalidAction, match=told):
        problem.replay(instance, solution)


@settings(max_examples=40)
@given(st.lists(st.integers(-LARGEST, LARGEST) | st.integers(-1, 4), max_size=8))
def test_any_list_has_a_cost_or_is_refused(numbers: list[int]) -> None:
    pairs = ((JSSP, SHOP), (TSP, SQUARE), (CVRP, FLEET), (MAXCUT, PATH))
    for problem, instance in pairs:
        try:
            cost = problem.replay(instance, numbers)
        except InvalidAction:
            continue
        assert cost == Problem.replay(problem, instance, numbers)


@pytest.mark.parametrize("ref", WHOLE, ids=lambda ref: ref.name)
def test_a_solver_reaches_the_same_cost_under_both_kinds(ref: ProblemRef) -> None:
    rule, whole = problems.load(ref.name), problems.load(ref)
    instance = rule.load(rule.example)[0]
    solvers = {one.name: one for one in rule.rules() if one.solve}
    found = [one for one in whole.rules() if one.solve]
    assert [one.name for one in found] == [*solvers]
    for one in found:
        solved = solvers[one.name].solve
        assert one.solve is not None and solved is not None
        assert whole.replay(instance, one.solve(instance)) == pytest.approx(
            rule.replay(instance, solved(instance))
        )


@pytest.mark.parametrize("ref", WHOLE, ids=lambda ref: ref.name)
def test_sets_are_those_of_the_rules(ref: ProblemRef) -> None:
    rule, whole = problems.load(ref.name), problems.load(ref)
    assert [one.name for one in whole.sets()] == [one.name for one in rule.sets()]
    assert whole.load(rule.example) == rule.load(rule.example)
    assert (whole.name, whole.design) == (rule.name, rule.design)


def test_tables_of_a_shop_are_padded_behind_the_last_operation_of_a_job() -> None:
    given: list[Any] = []

    def program(*tables: Any) -> list[int]:
        given.extend(tables)
        return [0, 0, 1, 1, 0]

    rollout(JSSP, program, SHOP)
    durations, machines = given
    assert durations.tolist() == [[2, 3, 1], [4, 6, 0]]
    assert machines.tolist() == [[0, 1, 0], [1, 0, -1]]
    with pytest.raises(ValueError, match="read-only"):
        durations[0, 0] = 1


def test_distances_of_tsplib_and_sparse_graphs_have_whole_programs_too() -> None:
    given = problems.load(ProblemRef("tsp", (("distances", "tsplib"), ("kind", "whole"))))
    assert given.design == "design-metrics"
    sparse = problems.load(ProblemRef("maxcut", (("kind", "whole"), ("state", "sparse"))))
    assert sparse.design == "design-sparse"
    (large,) = sparse.load("sparse-20000")
    assert sparse.replay(large, [0] * 20000) == 0.0


def test_walks_are_no_matter_of_whole_cuts() -> None:
    with pytest.raises(UserError, match="of walks, and kind=whole has none"):
        problems.load(ProblemRef("maxcut", (("kind", "whole"), ("steps", "400"))))


@pytest.mark.parametrize(
    ("problem", "instance", "solution", "picture"),
    [
        (JSSP, SHOP, [1, 0, 0, 1, 0], "step 5 of 5   makespan 11"),
        (TSP, SQUARE, [2, 1, 0, 3], "tour of 4 nodes, length 14; # first"),
        (CVRP, FLEET, [1, 2, 0, 3], "2 routes of 3 customers, length 14; a letter a route, # d"),
        (MAXCUT, PATH, [0, 1, 1, 0], "cut 7; a, b sides, capital: a flip gains\nabba"),
    ],
)
def test_a_solution_is_drawn_with_its_cost(
    problem: Any, instance: Any, solution: list[int], picture: str
) -> None:
    assert problem.draw_solution(instance, solution).startswith(picture)


@pytest.mark.parametrize(("name", "set_name"), [("maxcut", "validation"), ("tsp", "design")])
def test_references_are_those_of_the_task(name: str, set_name: str) -> None:
    whole = problems.load(ProblemRef(name, (("kind", "whole"),))).load(set_name)
    rule = problems.load(name).load(set_name)
    assert [one.reference for one in whole] == [one.reference for one in rule]
    assert any(one.reference for one in whole)
