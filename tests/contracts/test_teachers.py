"""The contract suite of teachers, run over every teacher there is and programs as teachers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

import preceptor
import problems
import teachers
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.sampling import Sample
from problems import ProblemRef
from problems.base import Decision, Problem
from problems.errors import TeacherUnavailable
from teachers.base import Teacher, Verdict
from teachers.conformance import CHECKS, Check, decisions
from teachers.device import use_one_thread
from teachers.weights import SHIPPED, read, read_header

ROOT = Path(__file__).parents[2]
OFFICIAL = ROOT.parent / "shared" / "data" / "teachers" / "l2d"
TOY = str(ROOT / "tests" / "toy")
SETS = {
    "jssp": ("random-6x6", "random-4x9", "random-20x20", "taillard-30x20"),
    "tsp": ("design", "tsp200"),
    "cvrp": ("design", "cvrp200"),
    "maxcut": ("design", "ba800u"),
}
"""Sets of different sizes; elsewhere the design set."""
SMALL_SETS = {"cp-sat": ("random-3x3", "random-6x6", "random-4x9")}
"""The same for teachers that take no large instances."""
SHIPPED_NAMES = sorted(header.stem for header in SHIPPED.glob("*.json"))
CASES = {
    **{name: read_header(SHIPPED / f"{name}.json").problem for name in SHIPPED_NAMES},
    **teachers.EXACT,
    "l2d-10_10_1_99": "jssp",
    "program on jssp": "jssp",
    "program on toy": TOY,
}


def alter(file: Path) -> None:
    """Turn one bit of a file."""
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))


HARMS = [(alter, "not the file its header describes"), (Path.unlink, "is missing")]


@pytest.fixture(scope="module", params=CASES)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Teacher, list[Decision]]:
    """A teacher and decisions of random programs on instances of different sizes."""
    use_one_thread()
    problem = problems.load(CASES[request.param])
    sets = SETS.get(problem.name, (problem.design,))
    names = SMALL_SETS.get(request.param, sets)
    taken = decisions(problem, [problem.load(name)[0] for name in names])
    return _teacher(request.param, problem, tmp_path_factory.mktemp("teachers")), taken


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_teacher_keeps_the_contract(
    case: tuple[Teacher, list[Decision]], check: Check
) -> None:
    check(*case)


@pytest.mark.parametrize("name", SHIPPED_NAMES)
def test_a_shipped_teacher_names_itself(name: str) -> None:
    assert teachers.load(name, ProblemRef(CASES[name])).name == name


@pytest.mark.parametrize("name", SHIPPED_NAMES)
def test_a_network_of_nothing_but_nan_prefers_nothing_and_has_no_diagnostics(name: str) -> None:
    problem = problems.load(CASES[name])
    header, arrays = read(SHIPPED / f"{name}.json")
    lost = {
        key: np.full_like(array, np.nan) if array.dtype.kind == "f" else array
        for key, array in arrays.items()
    }
    family = import_module(f"teachers.{header.family}.teacher")
    taken = tuple(decisions(problem, problem.load(problem.design)[:1], each=3))
    verdicts = family.build(header, lost, torch.device("cpu")).verdicts(taken)
    assert verdicts == [Verdict(None, None)] * 3
    assert diagnose(problem, Sample(taken, (3,) * 3, 0), verdicts, 12) is None


@pytest.mark.parametrize("name", SHIPPED_NAMES)
@pytest.mark.parametrize(("harm", "complaint"), HARMS)
def test_shipped_weights_that_are_lost_or_altered_are_refused(
    name: str, harm: Callable[[Path], None], complaint: str, tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}{suffix}" for suffix in (".json", ".safetensors")]
    for file in files:
        file.write_bytes((SHIPPED / file.name).read_bytes())
    harm(files[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRECEPTOR_TEACHERS", str(tmp_path))
        with pytest.raises(TeacherUnavailable, match=complaint):
            teachers.load(name, ProblemRef(CASES[name]))


def test_third_parties_find_the_suite_in_the_public_face() -> None:
    assert preceptor.TEACHER_CHECKS is CHECKS
    assert preceptor.decisions is decisions


def _teacher(name: str, problem: Problem, folder: Path) -> Teacher:
    ref = ProblemRef(CASES[name])
    if name in teachers.EXACT:
        pytest.importorskip("ortools")
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
    from teachers.training.official_layouts import import_official

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRECEPTOR_TEACHERS", str(folder))
        return teachers.load(import_official(file).name, ref)
