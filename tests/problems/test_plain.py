"""A problem whose class has not the base `Problem`: it is completed where it is loaded."""

from __future__ import annotations

import copy
from pathlib import Path

import problems
from problems.base import LONGEST, Problem, has_own, rollout
from tests.conftest import ROOT


def test_a_plain_class_has_the_defaults_of_what_it_leaves_out() -> None:
    problem = problems.load(str(ROOT / "tui/template/problem"))
    instance = problem.load(problem.design)[0]
    walk = rollout(problem, lambda bin, state: -bin.left, instance)
    assert isinstance(problem, Problem) and not has_own(problem, "rollout")
    assert problem.rollout(lambda bin, state: -bin.left, instance, None) == [*walk.actions]
    assert problem.replay(instance, walk.actions) == walk.cost
    assert (problem.longest(instance), problem.larger, problem.simulator()) == (LONGEST, "", "")


def test_names_of_whole_functions_are_free_in_other_problems(tmp_path: Path) -> None:
    for name in ("problem.py", "data.py"):
        text = (ROOT / "tui/template/problem" / name).read_text("utf-8")
        own = "    def evaluate(self, x, y, z):\n        return None\n\n    def step("
        (tmp_path / name).write_text(text.replace("    def step(", own), "utf-8")
    assert problems.load(str(tmp_path)).name == tmp_path.name


def test_a_plain_class_keeps_what_it_has_itself() -> None:
    problem = copy.copy(problems.load(str(ROOT / "tui/template/problem")))
    assert problem.selection == "selection"
    assert problem.name == "problem" and problem.contract.function == "score"
