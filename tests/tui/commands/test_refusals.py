"""Bad input: one clear line, the nearest word, the right exit code, and nothing begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ALONE, ROOT, TEACHER, TOY, WRITER, Shell


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("jsp",), "did you mean 'jssp'?"),
        (("./nowhere",), "no such problem folder or file"),
        (("jssp", "--method", "performance"), "did you mean 'performance-only'?"),
        (("jssp", "--design", "taillard-20x21"), "unknown set 'taillard-20x21'"),
        (("jssp", "--teacher", "ofline-l2d"), "did you mean 'offline-l2d'?"),
        (("jssp", "--llm", "bultin"), "did you mean 'builtin'?"),
        (("jssp", "--analyzer-llm", "nowhere.py:Writer"), "no such file"),
        (("jssp", "--llm", "replay:7"), "unknown run '7'"),
        (("jssp", "--preset", "papers"), "did you mean 'paper'?"),
        (("jssp", "--option", "poplation=3"), "did you mean 'population'?"),
        (("jssp", "--option", "population"), "written KEY=VALUE"),
        (("jssp", "--option", "population=many"), "a whole number"),
        (("jssp", "--option", "population=1"), "at least 2"),
        (("jssp", "--option", "operators=s,x"), "unknown operator 'x'"),
        (
            ("jssp", "--option", "jssp.state=plan"),
            "state=plan is gone: programs that return whole",
        ),
        (("jssp", "--kind", "hole"), "'rule' or 'whole', not 'hole'"),
        ((TOY, "--kind", "whole"), "its programs are of kind rule, which its class"),
        (("jssp", "--max-calls", "-1"), "--max-calls"),
        ((*ALONE, "--teacher", TEACHER), "does not use a teacher"),
        ((*ALONE, "--start", "nowhere.py"), "nowhere.py: No such file"),
        ((*ALONE, "--start", "7"), "unknown run '7'"),
        (
            (*ALONE, "--start", "7", "--option", "start=contract"),
            "leave out option start=contract",
        ),
        ((), "Missing argument 'PROBLEM'"),
    ],
)
def test_a_run_that_cannot_be_is_refused(
    words: tuple[str, ...], expected: str, preceptor: Shell, tmp_path: Path
) -> None:
    refused = preceptor("run", *words)
    assert refused.code == 2
    assert expected in refused.complaint
    assert not list(tmp_path.iterdir())


def test_a_problem_without_a_teacher_asks_for_one(preceptor: Shell, tmp_path: Path) -> None:
    refused = preceptor("run", TOY, "--llm", WRITER, "--method", "ours")
    assert refused.code == 3
    assert "--teacher" in refused.complaint
    assert not list(tmp_path.iterdir())


def test_altered_weights_are_refused_before_a_run_is_booked(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "teachers"
    folder.mkdir()
    header = '{"name": "mine", "problem": "jssp", "family": "offline_l2d", "about": "", '
    header += '"architecture": {}, "origin": {}, "sha256": "0"}'
    (folder / "mine.json").write_text(header)
    (folder / "mine.safetensors").write_bytes(b"not these")
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(folder))
    refused = preceptor("run", "jssp", "--teacher", "mine")
    assert refused.code == 3
    assert "mine.safetensors" in refused.complaint
    assert not (tmp_path / "runs.db").exists()


def test_a_language_model_without_its_key_is_refused_before_a_run_is_booked(
    preceptor: Shell, tmp_path: Path
) -> None:
    refused = preceptor("run", *ALONE, "--llm", "openai:some-model")
    assert refused.code == 3
    assert "OPENAI_API_KEY is not set" in refused.complaint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["runs", "show", "watch", "resume", "pause", "stop"])
def test_a_foreign_file_is_no_run_store(command: str, preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a store " * 100)
    refused = preceptor(command, "--db", "notes.txt")
    assert refused.code == 1
    assert "notes.txt: not a run store" in refused.complaint


@pytest.mark.parametrize("command", ["show", "watch", "resume", "pause", "stop"])
def test_without_runs_there_is_nothing_to_act_on(command: str, preceptor: Shell) -> None:
    refused = preceptor(command)
    assert refused.code == 2
    assert "holds no runs yet" in refused.complaint


def test_a_store_in_a_missing_folder_is_refused(preceptor: Shell) -> None:
    refused = preceptor("run", *ALONE, "--llm", WRITER, "--db", "nowhere/runs.db")
    assert refused.code == 2
    assert "there is no such folder" in refused.complaint


@pytest.mark.parametrize("words", [("runs",), ("show",), ("run", *ALONE)])
def test_a_store_that_is_a_folder_is_refused(words: tuple[str, ...], preceptor: Shell) -> None:
    refused = preceptor(*words, "--db", ".")
    assert refused.code == 2
    assert refused.complaint == "preceptor: . is a folder; a run store is a file, such as runs.db"


@pytest.mark.parametrize("words", [("runs", "--json"), ("--help",), ("doctor", "--json")])
def test_a_full_device_is_one_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *words],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "preceptor: the output cannot be written: No space left on device\n"


def test_ctrl_c_while_everything_is_imported_is_no_traceback() -> None:
    importing = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from tui.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", importing], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_runs_and_programs_are_found_by_their_own_words(preceptor: Shell) -> None:
    preceptor("run", *ALONE, "--llm", WRITER, "--option", "generations=0")
    assert "unknown run '7'" in preceptor("show", "7").complaint
    assert "give a run's number" in preceptor("show", "best").complaint
    assert "unknown program 'p9'" in preceptor("show", "1", "p9").complaint
    assert "ended already" in preceptor("stop", "1").complaint
    assert "nothing left to do" in preceptor("resume", "1").complaint
