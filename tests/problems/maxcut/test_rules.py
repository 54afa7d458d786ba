"""Tabu search and annealing solve whole graphs by their rules."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from problems.errors import UserError
from problems.maxcut.annealing import anneal
from problems.maxcut.heuristics import lead_to, tabu_search
from problems.maxcut.instances import Instance
from problems.maxcut.problem import Maxcut, build
from tests.problems.partitions import graph, graphs
from tests.problems.programs import compiled

PROBLEM = Maxcut()
TABU_PROGRAM = next(seed for seed in PROBLEM.seeds() if seed.name == "tabu-flip")


def optimum(instance: Instance) -> int:
    """The best cut of all bipartitions."""
    return max(instance.cut(bytes(sides)) for sides in product((0, 1), repeat=instance.size))


@settings(max_examples=25, derandomize=True)
@given(graphs())
def test_annealing_finds_the_optimum_of_small_graphs(instance: Instance) -> None:
    sides, cut = anneal(instance, runs=10, sweeps=50)
    assert instance.cut(sides) == cut == optimum(instance)


def test_annealing_is_the_same_every_time_and_changes_with_its_seed() -> None:
    instance = PROBLEM.load("ba200w")[0]
    first, again, other = (anneal(instance, 1, 5, seed)[0] for seed in (0, 0, 1))
    assert first == again != other


@settings(max_examples=40, derandomize=True)
@given(graphs())
def test_its_actions_lead_to_its_cut(instance: Instance) -> None:
    sides, cut = anneal(instance, runs=2, sweeps=10)
    for problem in (PROBLEM, build(attempts="3")):
        actions = lead_to(sides, instance, problem.profile)
        assert -problem.replay(instance, actions) >= cut


def test_a_walk_too_short_for_its_cut_is_refused() -> None:
    instance = PROBLEM.load("ba200w")[0]
    sides, _ = anneal(instance, runs=1, sweeps=5)
    with pytest.raises(UserError, match=r"its best cut is \d+ flips away, but a walk has only 3"):
        lead_to(sides, instance, build(steps="3").profile)


def test_tabu_search_of_tenure_20_is_the_tabu_program() -> None:
    function: Any = compiled(TABU_PROGRAM.code or "")
    for instance in PROBLEM.load("ba200w")[:3]:
        start = PROBLEM.profile.start(instance, 0)
        taken = tabu_search(instance, start, 2 * instance.size, tenure=20)
        assert taken == PROBLEM.rollout(function, instance, None)


def test_tabu_search_comes_back_when_the_tenure_is_over() -> None:
    line = graph(3, (0, 1, 1))
    assert tabu_search(line, bytes(3), 5, tenure=2) == [0, 2, 1, 0, 2]


def test_the_solvers_walk_as_long_as_the_profile_says() -> None:
    problem = build(steps="30", attempts="2")
    instance = problem.load("ba20w")[0]
    for rule in problem.rules()[-2:]:
        assert rule.solve is not None
        actions = rule.solve(instance)
        assert len(actions) == 60
        assert -problem.replay(instance, actions) > 10
        assert all(np.array(actions) < 20)
