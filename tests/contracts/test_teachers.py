"""The contract suite of teachers, run over every teacher there is and programs as teachers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import problems
import teachers
from problems import ProblemRef
from teachers.device import use_one_thread
from teachers.suite import CHECKS, decisions
from teachers.weights import SHIPPED, read_header

if TYPE_CHECKING:
    from problems.base import Decision, Problem
    from teachers.base import Teacher
    from teachers.suite import Check

ROOT = Path(__file__).parents[2]
OFFICIAL = ROOT.parent / "shared" / "data" / "teachers" / "l2d"
TOY = str(ROOT / "tests" / "toy")
SETS = {"jssp": ("random-6x6", "random-4x9", "random-20x20", "taillard-30x20")}
"""Sets of different sizes; elsewhere the design set."""
CASES = {
    **{header.stem: read_header(header).problem for header in SHIPPED.glob("*.json")},
    "l2d-10_10_1_99": "jssp",
    "program on jssp": "jssp",
    "program on toy": TOY,
}


@pytest.fixture(scope="module", params=CASES)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Teacher, list[Decision]]:
    """A teacher and decisions of random programs on instances of different sizes."""
    use_one_thread()
    problem = problems.load(CASES[request.param])
    names = SETS.get(problem.name, (problem.design,))
    taken = decisions(problem, [problem.load(name)[0] for name in names])
    return _teacher(request.param, problem, tmp_path_factory.mktemp("teachers")), taken


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_teacher_keeps_the_contract(
    case: tuple[Teacher, list[Decision]], check: Check
) -> None:
    check(*case)


def test_all_shipped_teachers_load_and_name_themselves() -> None:
    for name in (header.stem for header in SHIPPED.glob("*.json")):
        assert teachers.load(name, ProblemRef(CASES[name])).name == name


def _teacher(name: str, problem: Problem, folder: Path) -> Teacher:
    ref = ProblemRef(CASES[name])
    if name.startswith("program"):
        file = folder / "program.py"
        file.write_text(problem.seeds()[0].code or "")
        return teachers.load(f"program:{file}", ref)
    if name.startswith("l2d-"):
        return _imported(OFFICIAL / f"{name.removeprefix('l2d-')}.pth", ref, folder)
    return teachers.load(name, ref)


def _imported(file: Path, ref: ProblemRef, folder: Path) -> Teacher:
    if not file.exists():
        pytest.skip("the published networks are not here")
    from teachers.official import import_official

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRECEPTOR_TEACHERS", str(folder))
        return teachers.load(import_official(file).name, ref)
