"""`preceptor export`: from a recorded run to a file of its own."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.program import make_program
from engine.domain.specs.settings import RunSpec
from engine.domain.values import Candidate, Evaluation
from engine.store.store import Store
from problems import ProblemRef
from tests.conftest import TOY, Shell
from tests.tui.schemas import read_document

CODE = "def score(item, state):\n    return item.weight / item.duration\n"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A store with one run, whose best program is p0003."""
    file = tmp_path / "runs.db"
    with Store(file) as store:
        run = store.jobs.create_run(RunSpec(ProblemRef(TOY)))
        for slot in (2, 3):
            candidate = Candidate(f"p000{slot}", make_program("Ratio.", CODE), "seed", 0, slot)
            store.search_log.record_candidate(run, candidate)
        store.search_log.close_generation(run, 0, ["p0003", "p0002"], "digest", "p0003")
    return file


def test_the_best_of_the_latest_run_is_written(preceptor: Shell, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "best.py"
    done = preceptor("export", "-o", str(file))
    assert (done.code, done.out) == (0, f"{file}: program p0003 of run 1\n")
    assert done.err == ""
    assert CODE in file.read_text()


def test_the_json_says_what_was_written(preceptor: Shell, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.py"
    done = preceptor("export", "1", "--program", "p0002", "-o", str(file), "--json")
    found = read_document(done.out, "export")
    assert (found["program"], found["file"], found["checks_itself"]) == ("p0002", str(file), True)


def test_a_file_is_replaced_only_by_force(preceptor: Shell, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "best.py"
    file.write_text("mine")
    refused = preceptor("export", "-o", str(file))
    assert refused.code == 2
    assert "--force" in refused.complaint
    assert file.read_text() == "mine"
    assert preceptor("export", "-o", str(file), "--force").code == 0
    assert CODE in file.read_text()


def test_an_exported_program_can_be_measured_again(
    preceptor: Shell, db: Path, tmp_path: Path
) -> None:
    file = tmp_path / "best.py"
    preceptor("export", "-o", str(file))
    words = ("--program", str(file), "--program", "run:1", "--program", "run:1/p0002")
    done = preceptor("bench", TOY, *words, "--solver", "smith", "--json")
    smith, *others = read_document(done.out, "bench")[0]["rows"]
    assert [row["costs"] for row in others] == [smith["costs"]] * 3


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("1",), "--output"),
        (("2", "-o", "x.py"), "unknown run '2'"),
        (("1", "--program", "p003", "-o", "x.py"), "did you mean 'p0003'?"),
        (("first", "-o", "x.py"), "give a run's number"),
    ],
)
def test_what_does_not_exist_is_refused(
    words: tuple[str, ...], complaint: str, preceptor: Shell, db: Path, tmp_path: Path
) -> None:
    refused = preceptor("export", *words)
    assert refused.code == 2
    assert complaint in refused.complaint
    assert not (tmp_path / "x.py").exists()


@pytest.fixture
def timed(tmp_path: Path) -> Path:
    """A store with one run whose better program, p0002, takes 2 ms a decision, the other 0.5."""
    file = tmp_path / "runs.db"
    with Store(file) as store:
        run = store.jobs.create_run(RunSpec(ProblemRef(TOY)))
        for slot, cost, cpu in ((2, 1.0, 8e-3), (3, 2.0, 2e-3)):
            found = Evaluation(cost, (cost,), ((0, 1, 2, 3),), None, cpu)
            program = make_program(f"Idea {slot}.", CODE.replace("/", f"/ {slot} /"))
            log = store.search_log
            log.record_evaluation(
                run, program.hash, found, program=program.hash, design="", evaluator=""
            )
            candidate = Candidate(
                f"p000{slot}", program, "seed", 0, slot, (), cost, (cost,), cpu=cpu, decisions=4
            )
            log.record_candidate(run, candidate, program.hash)
        log.close_generation(run, 0, ["p0002", "p0003"], "digest", "p0002")
    return file


def test_the_best_of_those_that_are_quick_enough_is_written(
    preceptor: Shell, timed: Path, tmp_path: Path
) -> None:
    for under, program in (("1ms", "p0003"), ("2ms", "p0002"), ("500us", "p0003")):
        file = tmp_path / f"{under}.py"
        done = preceptor("export", "--under", under, "-o", str(file), "--json")
        found = read_document(done.out, "export")
        assert found["program"] == program
        assert found["milliseconds"] == (0.5 if program == "p0003" else 2)
        assert f"time       {found['milliseconds']:g} ms of CPU time" in file.read_text()
    shown = read_document(preceptor("show", "1", "--json").out, "show")
    assert [(one["under"], one["program"]) for one in shown["quick"]] == [
        (1.0, "p0003"),
        (10.0, "p0002"),
    ]
    assert not shown["near_limit"]
    page = preceptor("show", "1").out
    assert re.search(r"^1 ms +p0003 +2 +0\.5$", page, re.M)
    assert "2 ms a decision" in page


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--under", "0.1ms"), "the quickest, p0003, in 0.5 ms"),
        (("--under", "soon"), "like 1ms, 0.1ms or 500us, not 'soon'"),
        (("--under", "1ms", "--program", "p0002"), "not both"),
    ],
)
def test_a_time_that_nobody_keeps_is_refused(
    words: tuple[str, ...], complaint: str, preceptor: Shell, timed: Path
) -> None:
    refused = preceptor("export", *words, "-o", "x.py")
    assert refused.code == 2
    assert complaint in refused.complaint


def test_programs_without_a_time_are_quick_for_nobody(preceptor: Shell, db: Path) -> None:
    refused = preceptor("export", "--under", "1ms", "-o", "x.py")
    assert refused.complaint.endswith("run 1 has no program whose decisions were counted")


def test_a_winner_near_its_limit_is_marked(preceptor: Shell, timed: Path) -> None:
    with closing(sqlite3.connect(timed)) as raw, raw:
        raw.execute("UPDATE evaluations SET cpu = 121")
    assert read_document(preceptor("show", "1", "--json").out, "show")["near_limit"]
    warning = "took 121.0 of the 240 CPU seconds that it may take on its set"
    assert warning in preceptor("show", "1").out


def test_a_folder_that_is_not_there_is_the_worlds_fault(preceptor: Shell, db: Path) -> None:
    refused = preceptor("export", "-o", "nowhere/best.py")
    assert refused.code == 1
    assert "nowhere/best.py cannot be written" in refused.complaint
