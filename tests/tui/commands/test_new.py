"""`preceptor new problem` and `prompts export`: files to start from, that work as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ALONE, ROOT, TOY, WRITER, Shell
from tests.tui.schemas import read_document, read_lines


def test_a_new_problem_runs_at_once(preceptor: Shell) -> None:
    made = preceptor("new", "problem", "shop")
    assert (made.code, made.out) == (0, "shop: problem.py, data.py, test_problem.py\n")
    assert "preceptor run ./shop --method performance-only" in made.err
    options = ("--method", "performance-only", "--option", "generations=1", "--json")
    done = preceptor("run", "shop", *options)
    assert done.code == 0, done.err
    first, *_, last = read_lines(done.out, "run")
    assert first["settings"]["problem"].endswith("/shop")
    finalists = {one["program"]: one["cost"] for one in last["selection"]["finalists"]}
    assert last["selection"]["set"] == "selection"
    assert last["best"]["selection_cost"] == min(finalists.values())
    assert finalists[last["best"]["program"]] == last["best"]["selection_cost"]


def test_a_new_problem_of_whole_solutions_runs_without_a_teacher(preceptor: Shell) -> None:
    made = preceptor("new", "problem", "jobs", "--whole")
    assert (made.code, made.out) == (0, "jobs: problem.py, data.py, test_problem.py\n")
    done = preceptor("run", "./jobs", "--option", "generations=1", "--json")
    assert done.code == 0, done.err
    first, *_, last = read_lines(done.out, "run")
    assert first["settings"]["method"] == "performance-only"
    assert last["best"]["agreement"] is None
    assert last["best"]["cost"] <= 3404.8, "the better seed"
    assert last["quick"] == [], "nothing is decided, so that nothing takes a time a decision"
    diagnose = ("diagnose", "./jobs", "--solver", "earliest-due", "--teacher", "rollout")
    for words in (("run", "./jobs", "--method", "ours"), diagnose):
        refused = preceptor(*words)
        assert refused.code == 2
        assert "return whole solutions" in refused.err


def test_a_problem_of_an_evaluator_is_checked_and_run(preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "score.py").write_text(
        "INSTANCES = [[3, 1, 2], [5, 4, 6]]\n"
        "def evaluate(solution, instance):\n"
        '    """Order the numbers so that late ones are large."""\n'
        "    taken = [instance[k] for k in solution]\n"
        '    return {"score": sum(k * one for k, one in enumerate(taken)), "feedback": "fine"}\n'
        "HALF = 0.5\n"
        "def solve(instance):\n"
        "    return sorted(range(len(instance)), key=lambda k: instance[k] * HALF - k)\n"
    )
    made = preceptor("new", "problem", "sums", "--from", "score.py", "--json")
    assert read_document(made.out, "new-problem")["files"][-1] == "seed.py"
    seed = (tmp_path / "sums" / "seed.py").read_text()
    assert seed.startswith("HALF = 0.5\n\ndef solve(instance, seed):\n    return sorted(")
    assert preceptor("check", "./sums").code == 0
    evaluator = tmp_path / "sums" / "evaluator.py"
    right = evaluator.read_text()
    evaluator.write_text(right.replace("sum(k", "sum(j"))
    told = preceptor("check", "./sums").out
    assert "sums/evaluator.py:5: NameError: name 'j' is not defined" in told
    assert "sums/problem.py: seeds(): seed failed" in told
    evaluator.write_text(right)
    done = preceptor("run", "./sums", "--option", "generations=1", "--json")
    assert done.code == 0, done.err
    assert read_lines(done.out, "run")[-1]["best"]["objective"] >= 12.0


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("def score(x): return 1", (), "defines no function evaluate(solution)"),
        ("def evaluate(x: return 1", (), "is no Python"),
        ("def evaluate(x): return 1", ("--seed-program", "none.py"), "none.py cannot be read"),
    ],
)
def test_a_file_that_is_no_evaluator_is_refused(
    preceptor: Shell, tmp_path: Path, text: str, options: tuple[str, ...], words: str
) -> None:
    (tmp_path / "score.py").write_text(text)
    refused = preceptor("new", "problem", "sums", "--from", "score.py", *options)
    assert refused.code == 2
    assert words in refused.err
    assert not (tmp_path / "sums").exists()
    alone = preceptor("new", "problem", "sums", "--metric", "score")
    assert "go with --from" in alone.err


def test_a_new_problem_passes_the_suite_that_comes_with_it(
    preceptor: Shell, tmp_path: Path
) -> None:
    preceptor("new", "problem", "shop")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "shop/test_problem.py"]
    path = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "17 passed" in done.stdout


def test_a_new_teacher_writer_and_method_work_at_once(preceptor: Shell) -> None:
    words = {
        "teacher": ["--teacher", "./mine-teacher/teacher.py:Teacher"],
        "writer": ["--llm", "./mine-writer/writer.py:Writer"],
        "method": ["--method", "./mine-method/method.toml"],
    }
    for kind in words:
        made = read_document(preceptor("new", kind, f"mine-{kind}", "--json").out, f"new-{kind}")
        assert made["files"][-1] == f"test_{kind}.py"
    both = [*words["teacher"], *words["writer"], "--method", "ours"]
    found = read_document(preceptor("check", TOY, *both, "--json").out, "check")
    assert found["ready"]
    assert 0 < found["teacher"]["agreement"] <= 1
    assert found["writers"][0]["program"]
    assert preceptor("check", TOY, *words["method"]).code == 0


def test_their_own_tests_pass(preceptor: Shell, tmp_path: Path) -> None:
    for kind in ("teacher", "writer", "method"):
        preceptor("new", kind, kind)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "teacher", "writer", "method"]
    path = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "11 passed" in done.stdout


@pytest.mark.parametrize("method", ["ours", "preceptor"])
def test_the_prompts_of_a_method_are_copied_as_they_are(
    preceptor: Shell, tmp_path: Path, method: str
) -> None:
    made = preceptor("prompts", "export", "mine/prompts", "--method", method, "--json")
    found = read_document(made.out, "prompts-export")
    assert found["folder"] == "mine/prompts"
    prompts = ROOT / "engine/search/prompts"
    ours = {file.name: file.read_text() for file in prompts.glob("*.md")}
    if method == "preceptor":
        ours |= {file.name: file.read_text() for file in (prompts / method).glob("*.md")}
    for fixed in ("reply.md", "rules.md"):  # parser and gate hold replies to them
        del ours[fixed]
    copied = {name: (tmp_path / "mine/prompts" / name).read_text() for name in found["files"]}
    assert copied == ours


def test_a_run_asks_in_the_words_of_a_folder(preceptor: Shell, tmp_path: Path) -> None:
    preceptor("prompts", "export", "mine")
    for file in (tmp_path / "mine").iterdir():
        file.write_text("In my own words.\n" + file.read_text())
    options = ("--option", "generations=1", "--option", "prompts=mine")
    done = preceptor("run", *ALONE, "--llm", WRITER, *options)
    assert f"prompts {tmp_path / 'mine'}" in done.out
    told = read_document(preceptor("show", "1", "p0003", "--json").out, "show")
    assert told["exchanges"][0]["messages"][-1]["content"].startswith("In my own words.")


@pytest.mark.parametrize("words", [("new", "problem"), ("prompts", "export")])
def test_what_is_there_is_never_overwritten(
    words: tuple[str, str], preceptor: Shell, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for taken in ("full", "file"):
        refused = preceptor(*words, taken)
        assert refused.code == 2
        assert "name a new folder" in refused.complaint
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["notes.txt"]
    (tmp_path / "empty").mkdir()
    assert preceptor(*words, "empty", "--json").code == 0


def test_a_folder_that_cannot_be_made_is_the_worlds_fault(
    preceptor: Shell, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    refused = preceptor("new", "problem", "file/shop")
    assert refused.code == 1
    assert "file/shop cannot be written" in refused.complaint
