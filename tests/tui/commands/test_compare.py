"""Runs and studies side by side, from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import TEACHER, TOY, WRITER, Shell
from tests.tui.exhibit import DONE, FAILED, LIVE
from tests.tui.schemas import read_document

STUDY = f"""
problems = ["{TOY}"]
methods = ["ours", "performance-only", "max-align"]
seeds = [0, 1]
writer = "{WRITER}"

[settings]
calls = 6

[toy]
teacher = "{TEACHER}"
solvers = ["smith"]
"""


@pytest.fixture
def _shown(exhibit: Path, preceptor: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell stands where the fixed store is."""
    monkeypatch.chdir(exhibit.absolute().parent)


@pytest.mark.usefixtures("_shown")
def test_two_runs_stand_side_by_side_with_what_differs(preceptor: Shell) -> None:
    done = preceptor("compare", str(DONE), str(LIVE))
    assert done.code == 0, done.err
    for told in ("A  run 3", "B  run 4", "best cost so far, by call", "timeout", "--- run 3"):
        assert told in done.out
    (generations,) = (line for line in done.out.splitlines() if line.startswith("generations "))
    assert generations.split() == ["generations", "3", "5"]
    assert "1 seed: too few for a claim about methods" in done.out


@pytest.mark.usefixtures("_shown")
def test_the_json_of_two_runs_keeps_its_schema(preceptor: Shell) -> None:
    done = preceptor("compare", str(DONE), str(FAILED), "--json")
    one, other = read_document(done.out, "compare")["sides"]
    assert (one["runs"], one["best"]["run"]) == ([DONE], DONE)
    assert one["failures"] == {"timeout": 3}
    assert sum(operator["children"] for operator in one["operators"]) == 18
    assert (other["best"], other["curves"]["call"]) == (None, [])


def test_variants_of_a_problem_are_told_apart(preceptor: Shell) -> None:
    run = ("run", str(TOY), "--method", "eoh", "--llm", str(WRITER), "--option", "generations=1")
    assert preceptor(*run).code == 0
    assert preceptor(*run, "--option", "toy.rename=_x").code == 0
    assert "toy rename=_x" in preceptor("runs").out
    done = preceptor("compare", "1", "2")
    assert "are shown different things: no methods compare" in done.out
    assert "--- run 1" not in done.out, "winners of different variants are no two versions"


@pytest.mark.usefixtures("_shown")
def test_one_run_cannot_be_compared(preceptor: Shell) -> None:
    refused = preceptor("compare", str(DONE))
    assert refused.code == 2
    assert "two runs" in refused.complaint


def test_a_study_is_compared_method_by_method_and_its_tables_are_files(
    preceptor: Shell, tmp_path: Path
) -> None:
    (tmp_path / "tiny.toml").write_text(STUDY)
    assert preceptor("study", "tiny.toml").code == 0
    done = preceptor("compare", "tiny", "--tables", "tables")
    assert done.code == 0, done.err
    assert "equal budgets, 6 calls a run" in done.out
    assert "| held-out | Objective |" in done.out
    wrote = {Path(line.split()[-1]).name for line in done.err.splitlines()}
    forms = {f"toy-sets.{form}" for form in ("md", "tex", "csv", "json")}
    assert wrote == {*forms, "expenses.md", "expenses.tex"}
    rows = json.loads((tmp_path / "tables/toy-sets.json").read_text())
    assert {(row["solver"], row["runs"]) for row in rows} == {
        ("ours", 2),
        ("performance-only", 2),
        ("max-align", 2),
        ("smith", 1),
    }
    document = read_document(preceptor("compare", "study:1", "--json").out, "compare")
    assert document["tables"][0]["rows"] == rows
    assert [side["seeds"] for side in document["sides"]] == [[0, 1], [0, 1]]
    assert preceptor("compare", "tiny", "--tables", "tables").out == done.out
    reported = [preceptor("compare", "tiny", "--report", "page.md").err for _ in range(2)]
    assert reported == ["wrote page.md\n"] * 2
    page = (tmp_path / "page.md").read_text()
    for told in (
        "compare tiny --report page.md",
        "preceptor study tiny.toml",
        "| held-out |",
        "± ",
    ):
        assert told in page
    assert re.search(r"^- begun \d{4}-\d\d-\d\d with code [0-9a-f]{12}; teachers \S+", page, re.M)
