"""The shipped teachers: ahead of the paper's, and their figures hold."""

from __future__ import annotations

import pytest

import problems
import teachers
from problems import ProblemRef
from teachers.rollout import mean_cost


@pytest.mark.parametrize(
    ("name", "papers", "key"),
    [
        ("es-jssp", "offline-l2d", "random-20x20"),
        ("es-jssp", "offline-l2d", "taillard-30x20"),
        ("es-maxcut", "eco-dqn", "ba200w-eco"),
        ("es-maxcut", "eco-dqn", "physics"),
    ],
)
def test_a_shipped_teacher_was_measured_ahead_of_the_papers(
    name: str, papers: str, key: str
) -> None:
    measured = {header.name: header.measured for header in teachers.headers()}
    assert measured[name][key] < measured[papers][key]


@pytest.mark.parametrize(
    ("name", "problem", "key"),
    [("es-jssp", "jssp", "random-10x10"), ("es-maxcut", "maxcut", "ba100w")],
)
def test_a_shipped_teacher_is_ahead_when_both_are_followed(
    name: str, problem: str, key: str
) -> None:
    task = problems.load(problem)
    instances = task.load(key)[:20]
    own, papers = (
        mean_cost(teachers.load(one, ProblemRef(problem), "cpu"), task, instances)
        for one in (name, str(teachers.default(problem, paper=True)))
    )
    assert own < papers


def test_a_shipped_teacher_keeps_a_figure() -> None:
    header = next(header for header in teachers.headers() if header.name == "es-jssp")
    task = problems.load("jssp")
    teacher = teachers.load("es-jssp", ProblemRef("jssp"), "cpu")
    found = mean_cost(teacher, task, task.load("random-10x10"))
    assert found == pytest.approx(header.measured["random-10x10"], abs=0.005)
