"""The published sets are the paper's: rules and best known routes score what it prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from problems.cvrp.problem import Cvrp, build
from tests.problems.programs import mean_objective

PROBLEM = Cvrp()
RULES = {rule.name: rule for rule in PROBLEM.rules()}
FIGURES = {
    ("cvrp200-paper", "nearest-neighbour"): 26.6389,
    ("cvrp200-paper", "savings"): 21.6370,
}
MEANS = {"cvrp200-paper": 20.1726, "vrplib": 33281.3229}


@pytest.mark.parametrize(("set_name", "rule"), FIGURES)
def test_a_rule_reaches_the_published_figure(set_name: str, rule: str, published: Path) -> None:
    found = mean_objective(PROBLEM, rule, PROBLEM.load(set_name))
    assert round(found, 4) == FIGURES[set_name, rule]


@pytest.mark.parametrize("set_name", MEANS)
def test_references_of_published_sets_are_the_papers(set_name: str, published: Path) -> None:
    known = [instance.reference for instance in PROBLEM.load(set_name)]
    assert round(sum(known) / len(known), 4) == MEANS[set_name]  # type: ignore[arg-type]


def test_vrplib_has_the_papers_instances(published: Path) -> None:
    names = [instance.name for instance in PROBLEM.load("vrplib")]
    assert Counter(name[0] for name in names) == {
        **{"A": 27, "B": 23, "E": 11, "F": 3, "M": 5, "P": 23, "X": 100}
    }


def test_rounded_distances_are_an_option_of_published_sets_too(published: Path) -> None:
    instance = build(nint="true").load("vrplib")[0]
    actions = RULES["savings"].solve(instance)  # type: ignore[misc]
    length = PROBLEM.replay(instance, actions)
    assert length == int(length) and length > (instance.reference or length)


def test_no_two_sets_share_an_instance(published: Path) -> None:
    seen: dict[object, str] = {}
    for described in PROBLEM.sets():
        instances = PROBLEM.load(described.name)
        for instance in instances:
            assert instance.points not in seen, f"{instance.name} is {seen[instance.points]}"
        seen.update((instance.points, instance.name) for instance in instances)
