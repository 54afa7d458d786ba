"""Finished runs: the list, the page of a run, the page of a program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ALONE, TEACHER, TOY, WRITER, Shell, open_viewer
from tests.tui.schemas import read_document
from tui.text.formatting import number


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two finished runs: ours, then one without a teacher."""
    db = tmp_path_factory.mktemp("show") / "runs.db"
    run = (TOY, "--llm", WRITER, "--db", str(db))
    ours = (*run, "--method", "ours", "--teacher", TEACHER, "--option", "generations=2")
    alone = (*run, "--method", "performance-only", "--option", "generations=0")
    for words in (ours, alone):
        viewer = open_viewer("run", *words)
        _, said = viewer.communicate(timeout=60)
        assert viewer.returncode == 0, said
    return db


@pytest.fixture
def shell(preceptor: Shell, store: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell beside that store."""
    monkeypatch.setenv("PRECEPTOR_DB", str(store))
    return preceptor


def test_runs_are_listed_newest_first(shell: Shell) -> None:
    head, newest, oldest = shell("runs").out.splitlines()
    assert head.split()[:3] == ["run", "status", "problem"]
    assert newest.split()[:5] == ["2", "done", "toy", "performance-only", "0"]
    assert oldest.split()[:6] == ["1", "done", "toy", "ours", "0", "2/2"]
    newer, older = read_document(shell("runs", "--json").out, "runs")["runs"]
    assert (newer["run"], newer["best"]["agreement"]) == (2, None)
    assert (older["run"], older["generation"]) == (1, 2)


def test_a_run_that_ended_by_its_calls_had_as_many_generations_as_it_took(
    preceptor: Shell,
) -> None:
    options = ("--option", "calls=6", "--option", "children=3")
    assert preceptor("run", *ALONE, "--llm", WRITER, *options).code == 0
    (run,) = read_document(preceptor("runs", "--json").out, "runs")["runs"]
    assert run["calls"] == 6
    assert run["generation"] == run["generations"] == 2


def test_no_command_at_all_lists_the_runs(shell: Shell) -> None:
    bare = shell()
    assert bare.out == shell("runs").out
    assert "preceptor run PROBLEM" in bare.err


def test_a_store_named_before_any_command_is_that_of_every_command(
    shell: Shell, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = shell("runs").out
    monkeypatch.setenv("PRECEPTOR_DB", "elsewhere.db")
    assert listed.splitlines()[1:] != shell("runs").out.splitlines()[1:]
    assert shell("--db", str(store)).out == listed
    assert shell("--db", str(store), "show", "1").code == 0


def test_an_empty_store_says_how_to_begin(preceptor: Shell) -> None:
    listed = preceptor("runs")
    assert (listed.code, listed.out) == (0, "")
    assert "preceptor run PROBLEM" in listed.err


def test_a_run_is_shown_with_settings_population_operators_and_best(shell: Shell) -> None:
    page = shell("show", "1").out
    assert "run 1 done: toy, ours, seed 0, writer scripted.py:Scripted" in page
    assert "teacher program:teacher.py" in page
    assert "lambda" not in page
    assert "lambda" in shell("show", "1", "--settings").out
    assert page.index("best p") < page.index("settings changed from their defaults: generations 2")
    assert "generation 2 of 2" in page
    assert "def score(item, state):" in page
    document = read_document(shell("show", "1", "--json").out, "show")
    best = min(document["population"], key=lambda member: member["cost"])
    assert document["best"]["program"] == best["program"]
    alone = number(document["teacher_objective"])
    assert f"the teacher itself: {alone}; best program {number(best['cost'])}" in page
    assert best["diagnostics"]["chance"] > 0
    by_operator = {entry["operator"]: entry for entry in document["operators"]}
    assert by_operator["seed"]["children"] == 3
    assert sum(entry["children"] for entry in document["operators"]) == 13
    assert sum(entry["kept"] for entry in document["operators"]) == len(document["population"])
    failed = sum(document["failures"].values())
    assert sum(entry["valid"] for entry in document["operators"]) == 13 - failed


def test_a_program_is_shown_with_parents_cases_prompt_and_reply(shell: Shell) -> None:
    population = read_document(shell("show", "1", "--json").out, "show")["population"]
    child = next(member for member in population if member["parents"])
    page = shell("show", "1", child["program"]).out
    assert f"{child['program']}: operator {child['operator']}" in page
    assert f"parent {child['parents'][0]}: cost" in page
    cases = page.partition("-----")[0]
    assert re.search(r"^instance \d+, step \d+, \d+ actions: takes \S+, the teacher", cases, re.M)
    assert max(map(len, cases.splitlines())) < 100
    assert "prompt (program, attempt 0)" in page
    assert "{A weighted sum.}" in page
    document = read_document(shell("show", "1", child["program"], "--json").out, "show")
    assert document["objective"] == document["cost"] == child["cost"]
    assert document["exchanges"][-1]["reply"]["text"].startswith("{A weighted sum.}")
    assert len(document["costs"]) == 8


def test_a_seed_is_shown_without_a_prompt(shell: Shell) -> None:
    document = read_document(shell("show", "1", "p0000", "--json").out, "show")
    assert document["exchanges"] == []
    assert "prompt" not in shell("show", "1", "p0000").out
