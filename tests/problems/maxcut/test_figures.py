"""The published sets are whole, and our solvers reach what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from problems.maxcut.problem import Maxcut
from tests.problems.programs import mean_objective

if TYPE_CHECKING:
    from pathlib import Path

PROBLEM = Maxcut()
MEANS = {
    "ba200w-eco": 193.70,
    "er200w-eco": 403.68,
    "gset-er800u": 11628.6,
    "gset-er800w": 2048.6,
    "physics": 110.6,
}


@pytest.mark.parametrize("set_name", MEANS)
def test_best_known_cuts_of_published_sets_are_the_published_ones(
    set_name: str, published: Path
) -> None:
    known = [instance.reference for instance in PROBLEM.load(set_name)]
    assert round(sum(known) / len(known), 2) == MEANS[set_name]  # type: ignore[arg-type]


def test_annealing_reaches_the_optimum_of_the_physics_graphs(published: Path) -> None:
    assert mean_objective(PROBLEM, "annealing", PROBLEM.load("physics")) == 110.6


def test_annealing_comes_close_to_what_is_known_of_gset(published: Path) -> None:
    instances = PROBLEM.load("gset-er800u")[:1]
    assert mean_objective(PROBLEM, "annealing", instances) >= 11620


@pytest.mark.parametrize(
    ("rule", "low", "high"), [("greedy-flip", 11350, 11420), ("tabu", 11530, 11590)]
)
def test_classical_rules_are_as_good_on_gset_as_elsewhere(
    rule: str, low: float, high: float, published: Path
) -> None:
    assert low <= mean_objective(PROBLEM, rule, PROBLEM.load("gset-er800u")) <= high


def test_no_two_sets_share_a_graph(published: Path) -> None:
    seen: dict[object, str] = {}
    for described in PROBLEM.sets():
        for instance in PROBLEM.load(described.name):
            content = instance.neighbours, instance.weights
            assert content not in seen, f"{instance.name} is {seen[content]}"
            seen[content] = f"{described.name} {instance.name}"
