"""The shipped teacher: its floors, and how close one walk of it comes to the best cuts."""

from __future__ import annotations

from statistics import fmean

import problems
import teachers
from problems import ProblemRef
from problems.maxcut.annealing import anneal
from teachers.rollout import mean_cost


def test_the_shipped_teacher_was_measured_above_its_floors() -> None:
    header = next(header for header in teachers.headers() if header.name == "eco-dqn")
    assert header.measured["ba200w-eco"] <= -178 and header.measured["physics"] <= -106


def test_one_walk_comes_within_five_percent_of_the_best_cuts() -> None:
    problem = problems.load("maxcut")
    graphs = [*problem.load("ba40w")[:6], *problem.load("er60w")[:6]]
    best = fmean(anneal(instance, runs=20, sweeps=100)[1] for instance in graphs)
    teacher = teachers.load("eco-dqn", ProblemRef("maxcut"), "cpu")
    assert -mean_cost(teacher, problem, graphs) > 0.95 * best
