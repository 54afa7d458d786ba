"""The simulator is right when the paper's 28 rule figures come out to the digit."""

from __future__ import annotations

import re

import pytest

import problems
from problems.jssp.problem import Jssp
from tests.problems.programs import compiled

FIGURES = {
    "random-10x10": {"spt": 1231.49, "mwkr": 990.26, "fdd-mwkr": 955.38, "mor": 983.91},
    "random-15x15": {"spt": 1879.15, "mwkr": 1504.41, "fdd-mwkr": 1463.33, "mor": 1497.08},
    "random-20x20": {"spt": 2542.51, "mwkr": 1976.06, "fdd-mwkr": 1946.20, "mor": 1994.22},
    "random-30x20": {"spt": 3222.13, "mwkr": 2499.05, "fdd-mwkr": 2454.21, "mor": 2483.91},
    "random-50x20": {"spt": 4486.27, "mwkr": 3513.67, "fdd-mwkr": 3467.97, "mor": 3489.32},
    "taillard-20x20": {"spt": 2672.4, "mwkr": 2079.5, "fdd-mwkr": 2015.4, "mor": 2069.7},
    "taillard-30x20": {"spt": 3260.4, "mwkr": 2615.0, "fdd-mwkr": 2565.7, "mor": 2619.8},
}


def mean_makespan(problem: Jssp, rule: str, name: str) -> float:
    """Mean makespan of a seed rule on a set, as the engine would find it."""
    (code,) = (seed.code for seed in problem.seeds() if seed.name == rule)
    assert code is not None
    function, reads = compiled(code), frozenset(re.findall(r"feature\.\w+", code))
    instances = problem.load(name)
    actions = [problem.rollout(function, instance, reads) for instance in instances]
    return sum(map(problem.replay, instances, actions)) / len(instances)


@pytest.mark.parametrize("name", FIGURES)
def test_the_four_rules_score_what_the_paper_prints(name: str) -> None:
    problem = problems.load("jssp")
    assert isinstance(problem, Jssp)
    means = {rule: mean_makespan(problem, rule, name) for rule in FIGURES[name]}
    assert means == pytest.approx(FIGURES[name], abs=1e-9)


def test_single_taillard_instances_score_what_was_measured() -> None:
    problem = Jssp()
    function = compiled("def score(feature, state):\n    return -feature.processing_time\n")
    costs = [
        problem.replay(i, problem.rollout(function, i, None))
        for i in problem.load("taillard-20x20")
    ]
    assert costs == [2628, 2538, 2858, 2645, 2666, 2729, 2842, 2635, 2661, 2522]
