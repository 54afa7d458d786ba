"""The published sets are the paper's: rules and best known tours score what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems.sets.files import read_path
from problems.sets.library import find, fingerprint
from problems.tsp.problem import Tsp
from tests.problems.conftest import SHARED
from tests.problems.programs import mean_objective

PROBLEM = Tsp()
FIGURES = {
    ("tsp50-paper", "nearest-neighbour"): 7.0143,
    ("tsp50-paper", "nearest-neighbour-best-start"): 6.3895,
    ("tsp50-paper", "greedy-edge"): 6.7041,
    ("tsp50-paper", "cheapest-insertion"): 6.5903,
    ("tsp50-paper", "farthest-insertion"): 6.0357,
    ("tsp200-paper", "nearest-neighbour"): 13.3760,
}
MEANS = {"tsp50-paper": 5.7094, "tsp200-paper": 10.7036, "tsplib": 73156.0143}


@pytest.mark.parametrize(("set_name", "rule"), FIGURES)
def test_a_rule_reaches_the_published_figure(set_name: str, rule: str, published: Path) -> None:
    found = mean_objective(PROBLEM, rule, PROBLEM.load(set_name))
    assert round(found, 4) == FIGURES[set_name, rule]


@pytest.mark.parametrize("set_name", MEANS)
def test_references_of_published_sets_are_the_papers(set_name: str, published: Path) -> None:
    known = [instance.reference for instance in PROBLEM.load(set_name)]
    assert round(sum(known) / len(known), 4) == MEANS[set_name]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("set_name", "text"),
    [("tsp200-paper", "test_TSP200_n128.txt"), ("tsplib", "TSPlib_70instances.txt")],
)
def test_lehds_texts_hold_the_same_instances(set_name: str, text: str, published: Path) -> None:
    (file,) = read_path(SHARED / "teachers" / "lehd" / text)
    records = sorted(PROBLEM.read(file), key=lambda record: record.name)
    assert fingerprint(records) == find("tsp", set_name).content  # type: ignore[union-attr]
    mean = sum(record.reference or 0 for record in records) / len(records)
    assert round(mean, 4) == MEANS[set_name]


def test_no_two_sets_share_an_instance(published: Path) -> None:
    seen: dict[object, str] = {}
    for described in PROBLEM.sets():
        for instance in PROBLEM.load(described.name):
            assert instance.points not in seen, f"{instance.name} is {seen[instance.points]}"
            seen[instance.points] = f"{described.name} {instance.name}"
