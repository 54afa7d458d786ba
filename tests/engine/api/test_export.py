"""An exported program needs nothing of ours, says where it comes from, and checks itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.api.export import Export, export
from engine.domain.program import make_program
from engine.domain.records import Provenance
from engine.domain.specs.settings import RunSpec
from engine.domain.values import Candidate, Diagnostics, DiagnosticsRow, Evaluation, Failure
from engine.runtime.measure.program_file import extract
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef, load
from problems.errors import UnknownName, UserError
from tests.conftest import ROOT

Keep = Callable[..., int]

JSSP = ProblemRef("jssp")
TOY = ProblemRef("tests/toy/problem.py")
CODE = '''\
import math

LIMIT = 3


def solve(x):
    """A helper called like a part of the self-check."""
    return math.sqrt(x + LIMIT)


def score(feature, state):
    # More work first.
    return solve(feature.remaining_work) - 0.01 * feature.earliest_start
'''
EVALUATION = Evaluation(1901.5, (1900.0, 1903.0), ((), ()), None, 0.5)
DIAGNOSTICS = Diagnostics(0.4123, 0.081, 0.008, None, None, 4096, 7, 0)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def keep(db: Path) -> Keep:
    """Book a run of one program; returns the run's number."""

    def book(
        code: str = CODE,
        idea: str = "Work left first.",
        problem: ProblemRef = JSSP,
        failure: Failure | None = None,
    ) -> int:
        candidate = Candidate(
            id="p0001",
            program=make_program(idea, code),
            operator="m",
            generation=1,
            slot=0,
            parents=("p0000",),
            cost=None if failure else 1901.5,
            diagnostics=DIAGNOSTICS,
            failure=failure,
        )
        with Store(db) as store:
            run = store.jobs.create_run(RunSpec(problem, seed=17, teacher="/home/me/own.py:Mine"))
            store.jobs.record_provenance(run, Provenance("c0de", "de51", "f1ngerpr1nt"))
            store.search_log.record_evaluation(
                run, "key", EVALUATION, program="hash", design="de51", evaluator="1"
            )
            store.search_log.record_diagnostics(run, "key", DiagnosticsRow(DIAGNOSTICS))
            store.search_log.record_candidate(run, candidate, "key", "key")
            store.search_log.close_generation(run, 0, ["p0001"], "digest", "p0001")
        return run

    return book


async def exported(
    db: Path, run: int, program: str | None = None, force: bool = False, folder: str = ""
) -> Export:
    with Reader(db) as reader:
        return await export(reader, run, program, force, folder)


def run_file(file: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a text as a script that does not see the working directory."""
    file.write_text(text, "utf-8")
    command = [sys.executable, "-I", str(file), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=file.parent)


async def test_an_exported_file_checks_itself(db: Path, keep: Keep) -> None:
    made = await exported(db, keep())
    done = run_file(db.with_name("best.py"), made.text)
    assert (done.returncode, made.unchecked) == (0, None)
    assert done.stdout.startswith("score: 36 actions, cost ")
    assert done.stdout.count("\n") == 1


async def test_a_program_with_a_docstring_and_annotations_of_the_future_runs(
    db: Path, keep: Keep
) -> None:
    code = f'"""More work\nfirst."""\nfrom __future__ import annotations\n{CODE}'
    made = await exported(db, keep(code))
    assert run_file(db.with_name("best.py"), made.text).returncode == 0


async def test_an_altered_file_notices(db: Path, keep: Keep) -> None:
    made = await exported(db, keep())
    altered = made.text.replace("LIMIT = 3", "LIMIT = 3000")
    assert altered != made.text
    assert run_file(db.with_name("best.py"), altered).returncode == 1


async def test_the_docstring_says_where_the_program_comes_from(db: Path, keep: Keep) -> None:
    made = await exported(db, keep())
    about = ast.get_docstring(ast.parse(made.text)) or ""
    assert about.startswith("Work left first.")
    for fact in (
        "seed 17",
        "p0001, m from p0000",
        "1901.5, mean of 2",
        "0.412 +- 0.008, chance 0.081",
    ):
        assert fact in about
    for fact in ("builtin", "ours", "c0de", "de51", "f1ngerpr1nt", "preceptor"):
        assert fact in about


async def test_no_path_of_this_machine_gets_into_the_file(db: Path, keep: Keep) -> None:
    made = await exported(db, keep())
    assert "own.py:Mine" in made.text
    assert "/home/me" not in made.text


async def test_the_same_store_gives_the_same_file(db: Path, keep: Keep) -> None:
    run = keep()
    assert (await exported(db, run)).text == (await exported(db, run)).text


async def test_the_program_stands_in_it_as_it_is_and_is_found_again(db: Path, keep: Keep) -> None:
    made = await exported(db, keep())
    assert CODE in made.text
    assert extract(made.text, load(JSSP).contract, "best.py").strip() == CODE.strip()


async def test_a_program_may_begin_with_a_future_import(db: Path, keep: Keep) -> None:
    made = await exported(db, keep("from __future__ import annotations\n\n\n" + CODE))
    assert run_file(db.with_name("best.py"), made.text).returncode == 0


@pytest.mark.parametrize("idea", ['Ends """ early', "C:\\new \\u", 'Ends in "', "\0 \ud800 ü"])
async def test_no_idea_breaks_the_file(idea: str, db: Path, keep: Keep) -> None:
    made = await exported(db, keep(idea=idea.replace("\ud800", ""), problem=TOY, code=TOY_CODE))
    assert ast.get_docstring(ast.parse(made.text))


TOY_CODE = "def score(item, state):\n    return -item.duration\n"


async def test_a_problem_without_plain_rules_gives_a_file_that_is_checked_by_its_folder(
    db: Path, keep: Keep
) -> None:
    made = await exported(db, keep(problem=TOY, code=TOY_CODE))
    assert made.unchecked is None
    file = db.with_name("best.py")
    ended = run_file(file, made.text)
    assert (ended.returncode, ended.stdout) == (
        0,
        f"not checked; with the folder of problem toy: python {file} FOLDER\n",
    )
    checked = run_file(file, made.text, str(ROOT / TOY.name))
    assert checked.returncode == 0, checked.stderr
    assert re.fullmatch(r"score: 10 actions, cost \d+\.0, as recorded\n", checked.stdout)
    wrong = made.text.replace("-item.duration", "item.duration")
    assert run_file(file, wrong, str(ROOT / TOY.name)).returncode == 1


async def test_a_problem_that_was_moved_is_said_where_it_lies(db: Path, keep: Keep) -> None:
    run = keep(problem=ProblemRef(str(db.parent / "gone")), code=TOY_CODE)
    with pytest.raises(UserError, match=r"gone: run 1's problem is no longer there.*--problem"):
        await exported(db, run)
    made = await exported(db, run, folder=TOY.name)
    assert TOY_CODE in made.text


async def test_a_program_that_fails_on_the_example_is_exported_without_check(
    db: Path, keep: Keep
) -> None:
    code = "def score(feature, state):\n    return 1 / (feature.job_id - 5)\n"
    made = await exported(db, keep(code))
    assert made.unchecked is not None
    assert "ZeroDivisionError" in made.unchecked
    assert "_check_itself" not in made.text


async def test_a_failed_program_is_not_exported(db: Path, keep: Keep) -> None:
    run = keep(failure=Failure("timeout", "60 s are over"))
    with pytest.raises(UserError, match=r"p0001 of run 1 failed: timeout"):
        await exported(db, run)


async def test_an_unknown_program_is_named(db: Path, keep: Keep) -> None:
    with pytest.raises(UnknownName, match="did you mean 'p0001'"):
        await exported(db, keep(), "p001")


async def test_a_program_that_the_gate_refuses_needs_force_and_is_not_called_ours(
    db: Path, keep: Keep
) -> None:
    run = keep(f"import os\n\nos.system('true')\n\n\n{TOY_CODE}", problem=TOY)
    with pytest.raises(UserError, match=r"refused by the gate \(line 1, forbidden: .*--force"):
        await exported(db, run)
    about = ast.get_docstring(ast.parse((await exported(db, run, force=True)).text)) or ""
    assert about.startswith("Read this before you run it: the gate of Preceptor refuses it")
    assert "Written by Preceptor" not in about
