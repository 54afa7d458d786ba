"""A stored result counts only for the very code and libraries that made it."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

import pytest

from engine.domain.records import whose_code
from engine.runtime import provenance
from problems import ProblemRef, identity
from teachers.cp_sat import CpSat, is_installed
from teachers.weights import Header, fingerprint

PROBLEMS = ("jssp", "tsp", "cvrp", "maxcut")
FAMILIES = ("lehd", "eco_dqn", "offline_l2d")
ELSEWHERE = (
    *("engine/report", "engine/monitor", "engine/api", "engine/store", "engine/runtime"),
    *("engine/llm", "tui/screens", "tui/commands", "problems/sets", "teachers/training"),
    *("problems/tsp/references", "problems/cvrp/references", "problems/maxcut/references"),
)
"""Rooms whose text decides no result."""

Keys = dict[str, str]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our rooms that identities are reckoned from."""
    for package in ("problems", "teachers", "engine", "tui"):
        shutil.copytree(
            identity.ROOT / package,
            tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"),
        )
    monkeypatch.setattr(identity, "ROOT", tmp_path)
    monkeypatch.setattr("problems.source", lambda name: tmp_path / "problems" / name)
    return tmp_path


def keys() -> Keys:
    """Every identity that there is, by a word for it."""
    identity.digest_rooms.cache_clear()
    found = {"diagnostics": provenance.diagnostics_version()}
    for name in PROBLEMS:
        found[f"search {name}"] = provenance.code_version(ProblemRef(name))
        found[f"evaluator {name}"] = provenance.evaluator_version(ProblemRef(name))
    for family in FAMILIES:
        header = Header("x", "tsp", family, "", {}, {}, sha256="0" * 64)
        found[f"teacher {family}"] = fingerprint(header, "cpu", "2")
    if is_installed():
        found["teacher cp-sat"] = CpSat().fingerprint
    return found


def changed(house: Path, file: str) -> set[str]:
    """The identities that a comment at the end of a file changes."""
    before = keys()
    with (house / file).open("a", encoding="utf-8") as text:
        text.write("# a comment\n")
    after = keys()
    return {word for word in before if before[word] != after[word]}


@pytest.mark.parametrize("room", ELSEWHERE)
def test_a_change_in_a_room_that_decides_nothing_changes_no_key(house: Path, room: str) -> None:
    for file in sorted((house / room).rglob("*.py")):
        assert changed(house, str(file.relative_to(house))) == set()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_change_in_a_family_changes_the_fingerprint_of_its_teachers_alone(
    house: Path, family: str
) -> None:
    assert changed(house, f"teachers/{family}/network.py") == {f"teacher {family}"}


@pytest.mark.skipif(not is_installed(), reason="CP-SAT is not installed")
def test_a_change_in_the_exact_teacher_changes_its_fingerprint_alone(house: Path) -> None:
    assert changed(house, "teachers/cp_sat.py") == {"teacher cp-sat"}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_change_in_a_problem_changes_the_keys_of_that_problem_alone(
    house: Path, problem: str
) -> None:
    assert changed(house, f"problems/{problem}/problem.py") == {
        f"search {problem}",
        f"evaluator {problem}",
    }


def test_a_change_in_the_search_changes_what_a_search_does(house: Path) -> None:
    searches = {f"search {name}" for name in PROBLEMS}
    assert changed(house, "engine/search/loop.py") == searches
    assert changed(house, "engine/search/prompts/s.md") == searches
    assert changed(house, "engine/diagnosis/cases.py") == searches | {"diagnostics"}
    evaluators = {f"evaluator {name}" for name in PROBLEMS}
    assert changed(house, "engine/evaluate/pool.py") == searches | evaluators


def test_a_problem_of_the_users_is_hashed_whole_whatever_its_files_are_called(
    tmp_path: Path,
) -> None:
    for name in ("problem", "study", "reader", "run", "report"):
        (tmp_path / f"{name}.py").write_text("A = 1\n")
    mine = ProblemRef(str(tmp_path))
    for name in ("problem", "study", "reader", "run", "report"):
        identity.digest_rooms.cache_clear()
        before = provenance.evaluator_version(mine), provenance.code_version(mine)
        (tmp_path / f"{name}.py").write_text("A = 2\n")
        identity.digest_rooms.cache_clear()
        after = provenance.evaluator_version(mine), provenance.code_version(mine)
        assert before[0] != after[0] and before[1] != after[1]


def test_variants_of_a_problem_never_share_an_evaluation() -> None:
    """The same program on the same graphs costs something else when the walk is longer."""
    options = [(), (("steps", "3"),), (("steps", "3"), ("start", "equal")), (("start", "equal"),)]
    versions = [provenance.evaluator_version(ProblemRef("maxcut", one)) for one in options]
    assert len(set(versions)) == len(options)
    turned = ProblemRef("maxcut", (("start", "equal"), ("steps", "3")))
    assert provenance.evaluator_version(turned) == versions[2], "their order means nothing"


@pytest.mark.parametrize("library", ["numpy", "numba"])
def test_another_version_of_a_library_makes_another_evaluator(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = provenance.evaluator_version(ProblemRef("tsp"))
    installed = metadata.version
    monkeypatch.setattr(
        provenance, "version", lambda name: "0.0" if name == library else installed(name)
    )
    assert provenance.evaluator_version(ProblemRef("tsp")) != known


@pytest.mark.parametrize(
    ("recorded", "now", "whose"),
    [
        ("rooms-1 a b", "rooms-1 a c", "the problem's own code"),
        ("rooms-1 a b", "rooms-1 d b", "Preceptor's code"),
        ("rooms-1 a b", "rooms-1 d c", "Preceptor's code"),
        ("rooms-1 a", "rooms-1 d", "Preceptor's code"),
        ("rooms-1 a", "rooms-1 a b", "Preceptor's code"),
        ("", "rooms-1 a", "Preceptor's code"),
    ],
)
def test_a_change_is_told_of_the_code_that_changed(recorded: str, now: str, whose: str) -> None:
    assert whose_code(recorded, now) == whose
