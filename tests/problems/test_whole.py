"""Problems whose programs return a whole solution: what the seam gives them, and what it tells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from problems import ProblemRef, load, settle_kind
from problems.base import Problem, count_decisions, rollout
from problems.conformance import CHECKS
from problems.errors import BadModule, InvalidAction, UserError
from problems.examine import Examiner
from problems.whole import LARGEST
from tests.conftest import ROOT

JOBS = str(ROOT / "tui/template/whole")
EVALUATE = "    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:"
REFUSAL = "        if sorted(solution) !="
COST = "        return float(cost)"

ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)

MISTAKES = {
    "no evaluate": (EVALUATE, "    def cost_of(self, instance, solution):", "evaluate"),
    "an evaluate without a number": (COST, "        cost = None", "evaluate() returned None"),
    "an evaluate that refuses nothing": (
        REFUSAL,
        "        return 1.0\n        if sorted(solution) !=",
        "evaluate() raised no InvalidAction for any of [2147483647, 2147483647, ...], [-1, ",
    ),
    "an evaluate that fails": (REFUSAL, f"        1 / len(solution[40:])\n{REFUSAL}", "Zero"),
    "arguments in a list": (
        "        return instance.durations, instance.weights, instance.dues",
        "        return [instance.durations, instance.weights, instance.dues]",
        "arguments() returned list",
    ),
    "too few arguments": (
        "        return instance.durations, instance.weights, instance.dues",
        "        return instance.durations, instance.weights",
        "arguments() returned 2 values, and the contract lists 3 arguments",
    ),
    "a picture too wide": (
        COST,
        f"{COST}\n\n    def draw_solution(self, instance, solution):\n        return 81 * '#'",
        "draw_solution() returned 1 lines, of 81 columns at most",
    ),
    "another answer": ('answer="solution"', 'answer="action"', "contract.answer is 'solution'"),
    "a seed that repeats a job": (
        "return sorted(range(len(dues)), key=lambda job: dues[job])",
        "return [0] * len(dues)",
        "earliest-due failed on instance design/0: InvalidAction: not an order",
    ),
}


@pytest.fixture(scope="module")
def jobs() -> Problem:
    return load(JOBS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_template_keeps_the_contract(jobs: Problem, check: Callable[[Problem], None]) -> None:
    check(jobs)


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(answer=ANSWERS)
def test_any_answer_is_a_list_of_whole_numbers_or_refused(jobs: Any, answer: Any) -> None:
    try:
        solution = jobs.rollout(lambda *_: answer, jobs.load("design")[0], None)
    except InvalidAction:
        return
    assert sorted(solution) == list(range(30))


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(numbers=st.lists(st.integers(-LARGEST, LARGEST), max_size=40))
def test_any_list_has_a_cost_or_is_refused(jobs: Problem, numbers: list[int]) -> None:
    instance = jobs.load("design")[0]
    for walk in (jobs.replay, partial(Problem.replay, jobs)):
        with pytest.raises(InvalidAction):
            walk(instance, numbers)


def test_numpy_and_ranges_are_lists_too(jobs: Problem) -> None:
    import numpy as np

    instance = jobs.load("design")[0]
    solved = rollout(jobs, lambda *_: np.arange(30), instance)
    assert solved.actions == rollout(jobs, lambda *_: range(30), instance).actions
    assert solved.actions == tuple(range(30))
    assert solved.cost == jobs.replay(instance, range(30))
    assert count_decisions(jobs.contract, [solved.actions]) == 0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_the_words_of_the_seam(mistake: str, tmp_path: Path) -> None:
    old, new, words = MISTAKES[mistake]
    folder = write(tmp_path / "jobs", old, new)
    examiner = Examiner(lambda _: None, 0.5)
    try:
        load(str(folder))
    except BadModule as refused:
        told = str(refused)
    else:
        examiner.run(ProblemRef(str(folder)), needed=False)
        told = next(result.broken for result in examiner.results if result.broken)
    assert words in told
    assert "jobs/problem.py:" in told


def write(folder: Path, old: str, new: str) -> Path:
    """The template with one change."""
    folder.mkdir()
    for name in ("problem.py", "data.py"):
        text = (ROOT / "tui/template/whole" / name).read_text("utf-8")
        (folder / name).write_text(text.replace(old, new), "utf-8")
    assert new in (folder / "problem.py").read_text("utf-8")
    return folder


def test_the_class_of_a_problem_decides_its_kind() -> None:
    assert settle_kind(ProblemRef(JOBS, (("kind", "whole"),))) == ProblemRef(JOBS)
    with pytest.raises(UserError, match="its programs are of kind whole, which its class decides"):
        settle_kind(ProblemRef(JOBS, (("kind", "rule"),)))
    assert settle_kind(ProblemRef("tsp", (("kind", "rule"),))) == ProblemRef("tsp")
    whole = ProblemRef("tsp", (("kind", "whole"),))
    assert settle_kind(whole) == whole
