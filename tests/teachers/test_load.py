"""Finding teachers by name, file and program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import problems
import teachers
from problems import ProblemRef
from problems.errors import BadProgram, TeacherUnavailable, UnknownName, UserError
from teachers.base import Teacher
from teachers.conformance import decisions
from teachers.weights import Header, write_header

JSSP = ProblemRef("jssp")
CLASS = """
from teachers.base import Verdict

class Last:
    name, problem, fingerprint = "last", "jssp", "v1"

    def __init__(self, problem, device):
        assert problem.name == "jssp" and device == "auto"

    def verdicts(self, decisions):
        return [Verdict(decision.actions[-1], None) for decision in decisions]
"""


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'offline-l2d'"):
        teachers.load("ofline-l2d", JSSP)


def test_the_default_teacher_is_the_one_that_costs_least_and_the_papers_where_that_is_asked() -> (
    None
):
    tasks = ("jssp", "tsp", "cvrp", "maxcut")
    strongest = [teachers.default(task) for task in tasks]
    papers = [teachers.default(task, paper=True) for task in tasks]
    assert strongest == ["es-jssp", "lehd-tsp", "lehd-cvrp", "es-maxcut"]
    assert papers == ["offline-l2d", "lehd-tsp", "lehd-cvrp", "eco-dqn"]
    for task, best in zip(tasks, strongest, strict=True):
        costs = {h.name: h.measured["design"] for h in teachers.headers() if h.problem == task}
        assert min(costs, key=lambda name: costs[name]) == best
    assert teachers.default("no-such-problem") is None


def test_a_teacher_that_was_trained_for_a_problem_of_ones_own_is_its_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(tmp_path))
    write_header(Header("shopkeeper", "shop", "evolution_strategies", "", {}, {}), tmp_path)
    assert teachers.default("shop") == "shopkeeper"
    assert teachers.default("shop", paper=True) is None
    assert teachers.recall_cost("shopkeeper", "design") is None
    assert teachers.recall_cost("nobody", "design") is None
    assert teachers.recall_cost("es-jssp", "design") == 1762.0546875


def test_a_teacher_without_weights_is_known_but_nobodys_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("teachers.weights.SHIPPED", tmp_path)
    assert "offline-l2d" in teachers.names()
    assert teachers.default("jssp") is None


def test_only_what_a_family_trains_has_a_training() -> None:
    with pytest.raises(UnknownName, match="did you mean 'offline-l2d'"):
        teachers.trainer("l2d-offline")


def test_names_and_headers_are_listed_without_torch() -> None:
    program = """
import sys, teachers
assert "offline-l2d" in teachers.names()
assert any(header.name == "offline-l2d" for header in teachers.headers())
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_class_in_a_file_is_a_teacher(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(CLASS)
    problem = problems.load(JSSP)
    taken = decisions(problem, problem.load("random-3x3")[:1], each=2)
    found = teachers.load(f"{file}:Last", JSSP).verdicts(taken)
    assert [verdict.preferred for verdict in found] == [d.actions[-1] for d in taken]


def test_a_class_that_a_file_does_not_have_is_an_unknown_name(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(CLASS)
    with pytest.raises(UnknownName, match="did you mean 'Last'"):
        teachers.load(f"{file}:Lst", JSSP)


def test_a_file_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        teachers.load(f"{tmp_path / 'none.py'}:Last", JSSP)


def test_a_teacher_of_another_problem_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(CLASS.replace('"last", "jssp"', '"last", "tsp"'))
    with pytest.raises(UserError, match="is for tsp, not for jssp"):
        teachers.load(f"{file}:Last", JSSP)


def test_a_device_that_is_not_there_is_an_error_of_the_user() -> None:
    with pytest.raises(UserError, match="no device"):
        teachers.load("offline-l2d", JSSP, device="abacus")


def test_a_known_teacher_without_weights_says_how_to_train_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("teachers.weights.SHIPPED", tmp_path)
    with pytest.raises(TeacherUnavailable, match="preceptor teachers train offline-l2d"):
        teachers.load("offline-l2d", JSSP)


def program_teacher(folder: Path, code: str) -> Teacher:
    """A program file as a teacher of the job shop."""
    file = folder / "program.py"
    file.write_text(code)
    return teachers.load(f"program:{file}", JSSP)


def test_a_program_teacher_gives_its_own_scores(tmp_path: Path) -> None:
    code = "def score(feature, state):\n    return -feature.processing_time\n"
    problem = problems.load(JSSP)
    (taken,) = decisions(problem, problem.load("random-4x4")[:1], each=1)
    (found,) = program_teacher(tmp_path, code).verdicts([taken])
    times = [problem.fields(taken.state, job)["processing_time"] for job in taken.actions]
    assert found.scores == tuple(-time for time in times)
    assert found.preferred == taken.actions[times.index(min(times))]


def test_a_program_teacher_that_scores_nan_prefers_nothing(tmp_path: Path) -> None:
    code = "def score(feature, state):\n    return float('nan')\n"
    problem = problems.load(JSSP)
    taken = decisions(problem, problem.load("random-3x3")[:1], each=2)
    for found in program_teacher(tmp_path, code).verdicts(taken):
        assert found.preferred is None and found.scores is None


def test_a_program_teacher_is_imported_like_any_module(tmp_path: Path) -> None:
    (tmp_path / "weights_beside.py").write_text("WEIGHT = -2.0\n")
    code = """from __future__ import annotations

from dataclasses import dataclass

from .weights_beside import WEIGHT


@dataclass
class Rule:
    weight: float


RULE = Rule(WEIGHT)


def score(feature, state):
    return RULE.weight * feature.processing_time
"""
    problem = problems.load(JSSP)
    (taken,) = decisions(problem, problem.load("random-3x3")[:1], each=1)
    (found,) = program_teacher(tmp_path, code).verdicts([taken])
    times = [problem.fields(taken.state, job)["processing_time"] for job in taken.actions]
    assert found.scores == tuple(-2 * time for time in times)


def test_a_program_teacher_that_raises_is_unavailable(tmp_path: Path) -> None:
    code = "def score(feature, state):\n    return 1 / 0\n"
    problem = problems.load(JSSP)
    with pytest.raises(TeacherUnavailable, match="ZeroDivisionError"):
        program_teacher(tmp_path, code).verdicts(
            decisions(problem, problem.load("random-3x3")[:1], each=1)
        )


@pytest.mark.parametrize("code", ["def rank(feature, state):\n    return 0\n", "def score(:"])
def test_a_file_without_the_contracts_function_is_no_teacher(tmp_path: Path, code: str) -> None:
    with pytest.raises(BadProgram):
        program_teacher(tmp_path, code)
