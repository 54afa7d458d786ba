"""Whole studies from the command line: what is printed where, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api.study import StudyRunAdvanced, book_study
from engine.domain.records import Identity
from engine.domain.status import Job
from engine.monitor.run_summary import read_entry
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from tests.conftest import ABSENT, TEACHER, TOY, WRITER, Shell
from tests.tui.exhibit import LIVE, add_study
from tests.tui.schemas import read_document, read_lines
from tui.app.app import Preceptor
from tui.commands.narrate import Prose
from tui.screens.runs import RunsTable

STUDY = f"""
problems = ["{TOY}"]
methods = ["ours", "performance-only"]
seeds = [0]
writer = "WRITER"

[settings]
calls = 6

[toy]
teacher = "{TEACHER}"
solvers = ["smith"]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A study of two small runs."""
    (tmp_path / "tiny.toml").write_text(STUDY.replace("WRITER", WRITER))
    return "tiny.toml"


def test_a_study_prints_its_progress_on_stderr_and_its_means_on_stdout(
    preceptor: Shell, file: str
) -> None:
    done = preceptor("study", file)
    assert done.code == 0, done.err
    assert "toy: 6 calls per run" in done.err
    assert "run 2 done: performance-only, seed 0" in done.err
    assert "study 1 tiny done: 2/2 runs done" in done.out
    assert "mean objectives" in done.out
    listed = preceptor("runs")
    assert "study 1 tiny done: 2/2 runs done" in listed.out
    again = preceptor("watch", "tiny")
    assert (again.code, again.out) == (0, done.out)


def test_json_lines_tell_a_study_from_what_was_asked_to_what_was_measured(
    preceptor: Shell, file: str
) -> None:
    first, *between, last = read_lines(preceptor("study", file, "--json").out, "study")
    assert (first["event"], first["study"], first["runs"]) == ("study", 1, 2)
    kinds = [line["event"] for line in between]
    assert kinds.count("run-ended") == 2
    assert last["event"] == "study-ended"
    assert [member["totals"]["calls"] for member in last["members"]] == [6, 6]
    assert {(m["method"] or m["solver"], m["set"]) for m in last["measurements"]} == {
        ("ours", "held-out"),
        ("performance-only", "held-out"),
        ("smith", "held-out"),
    }
    listed = read_document(preceptor("runs", "--json").out, "runs")
    assert [run["study"] for run in listed["runs"]] == [1, 1]
    assert listed["studies"][0]["done"] == 2


def test_the_same_command_finds_its_study_and_new_begins_another(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    assert (book(file), book(file), book(file, anew=True)) == (1, 1, 2)
    (tmp_path / file).write_text(STUDY.replace("WRITER", WRITER).replace("= 6", "= 7"))
    assert book(file) == 3


def test_arms_of_one_method_stand_apart_wherever_they_are_told(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    text = STUDY.replace('"ours", "performance-only"', '"ours"').replace("WRITER", WRITER)
    arm = '[arms.value]\nmethod = "ours"\nsettings = {align = "value"}\n'
    (tmp_path / file).write_text(text + arm)
    done = preceptor("study", file)
    assert done.code == 0, done.err
    assert "run 2 done: value, seed 0" in done.err
    compared = read_document(preceptor("compare", "tiny", "--json").out, "compare")
    assert [side["name"] for side in compared["sides"]] == ["ours", "value"]
    solvers = [row["solver"] for row in compared["tables"][0]["rows"] if row["kind"] == "program"]
    assert sorted(solvers) == ["ours", "value"]
    assert "align" in {one["name"] for one in compared["settings"]}


def test_a_dry_run_says_what_it_would_be_and_books_nothing(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    told = preceptor("study", file, "--dry-run")
    assert told.code == 0
    assert "tiny: 2 runs, 2 at once" in told.out
    assert "no language model, no cost" in told.out
    document = read_document(preceptor("study", file, "--dry-run", "--json").out, "study")
    assert document["sets"] == {TOY: ["held-out"]}
    assert not (tmp_path / "runs.db").exists()


@pytest.mark.parametrize("name", ["shortest", "lehd-tsp", "best-known"])
def test_an_arm_that_tables_could_not_tell_from_a_solver_is_refused(
    name: str, preceptor: Shell, file: str, tmp_path: Path
) -> None:
    arm = f'\n[arms.{name}]\nmethod = "performance-only"\n'
    (tmp_path / file).write_text(STUDY.replace("WRITER", WRITER) + arm)
    refused = preceptor("study", file, "--dry-run")
    assert refused.code == 2
    assert f"{name} is a" in refused.complaint
    assert "give the arm another name" in refused.complaint


def test_a_study_with_a_budget_tells_it_before_and_how_much_is_spent_when_it_pauses(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    text = STUDY.replace("WRITER", WRITER)
    (tmp_path / file).write_text(f'{text}\n[budget]\ncalls = 9\nusd = 1.5\ntime = "2h"\n')
    told = preceptor("study", file, "--dry-run").out
    assert "all runs together: at most 9 calls, $1.50, 2h, then the study pauses" in told
    done = preceptor("study", file)
    assert done.code == 1
    assert "spent 9 of 9 calls, $0.00 of $1.50, " in done.out
    assert "raise calls in the [budget] of its file and give the same command again" in done.err
    (tmp_path / file).write_text(f"{text}\n[budget]\ncalls = 12\n")
    again = preceptor("study", file)
    assert again.code == 0, again.err
    assert "study 1 tiny done: 2/2 runs done; spent 12 of 12 calls" in again.out


def test_a_paid_study_is_priced_before_it_is_booked(
    preceptor: Shell, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (tmp_path / file).write_text(STUDY.replace("WRITER", "openai:gpt-4o"))
    told = preceptor("study", file, "--dry-run")
    assert "12 calls, at most" in told.out
    assert "$" in told.out


def test_a_study_that_pauses_can_be_resumed_when_its_writer_is_back(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(STUDY.replace("WRITER", ABSENT))
    done = preceptor("study", file)
    assert done.code == 1
    assert "study 1 is paused: run 1 paused, run 2 paused; nobody is at home" in done.err
    assert "preceptor resume study:1" in done.err
    assert preceptor("resume", "study:1").code == 1


def test_a_study_nobody_works_on_is_stopped_and_not_paused(preceptor: Shell, file: str) -> None:
    book(file)
    assert "no engine is at work" in preceptor("pause", "study:1").complaint
    answer = read_document(preceptor("stop", "study:1", "--json").out, "stop")
    assert (answer["study"], answer["status"]) == (1, "stopped")
    assert "has ended already" in preceptor("stop", "study:1").complaint
    assert preceptor("resume", "study:1").code == 0


def test_a_run_of_a_study_is_told_by_its_generations(
    exhibit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Reader(exhibit) as reader:
        Prose(reader).tell(StudyRunAdvanced(read_entry(reader, reader.run(LIVE))))
    told = capsys.readouterr().err
    assert told.startswith("run 4 generation 2/5: ours, seed 2, best cost 15")
    assert told.endswith("15 calls\n")


def test_a_study_that_was_killed_says_so_and_how_to_go_on(preceptor: Shell, file: str) -> None:
    study = book(file)
    with Store(Path("runs.db")) as store:
        store.jobs.claim(Job("study", study), Identity(1, "then", "another boot"))
    for words in (("watch", "study:1"), ("runs",)):
        told = preceptor(*words)
        assert "study 1 is interrupted: its engine was killed" in told.err
        assert "go on with: preceptor resume study:1" in told.err


def book(file: str, anew: bool = False) -> int:
    """A study whose engine is gone."""
    db = Path("runs.db")
    study = book_study(file, db, anew).number
    with Store(db) as store:
        store.jobs.claim(Job("study", study), identity.current())
        store.jobs.release(Job("study", study), "running")
    return study


def test_words_that_mean_no_study_are_refused(preceptor: Shell, file: str) -> None:
    assert "no studies yet" in preceptor("watch", "study:1").complaint
    book(file)
    assert "did you mean 'tiny'" in preceptor("watch", "study:tini").complaint
    assert "unknown study '9'" in preceptor("resume", "study:9").complaint
    assert "caps are for one of its runs" in preceptor("resume", "study:1", "--fork").complaint


def test_sets_and_solvers_are_looked_up_before_anything_runs(
    preceptor: Shell, file: str, tmp_path: Path
) -> None:
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace('solvers = ["smith"]', 'solvers = ["smiht"]'))
    assert "did you mean 'smith'" in preceptor("study", file).complaint
    (tmp_path / file).write_text(text + 'sets = ["held-aut"]\n')
    assert "did you mean 'held-out'" in preceptor("study", file).complaint
    assert not (tmp_path / "runs.db").exists()


async def test_the_list_of_runs_marks_those_of_a_study(preceptor: Shell, file: str) -> None:
    study = book(file)
    with Store(Path("runs.db")) as store:
        spec = store.study(study).spec.runs()[0]
        runs = (store.jobs.create_run(spec), store.study_log.enlist(study, 0, spec))
    app = Preceptor(Path("runs.db"))
    async with app.run_test(size=(100, 24)):
        table = app.screen.query_one(RunsTable)
        assert [table.row(str(run))[0].text for run in runs] == ["-", str(study)]
        table.look_for(f"study:{study}")
        assert table.row_keys == [str(runs[1])]


def test_in_a_terminal_a_study_is_a_screen_and_then_its_result(
    preceptor: Shell, exhibit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = add_study(exhibit)
    opened: list[int] = []
    monkeypatch.setattr("tui.commands.narrate.has_screen", lambda: True)
    monkeypatch.setattr("tui.app.app.open_screen", lambda *_, study: opened.append(study))
    left = preceptor("watch", f"study:{study}")
    assert (left.code, opened) == (0, [study])
    assert "study 1 goes on; come back with: preceptor watch study:1" in left.out
    with Store(exhibit) as store:
        store.jobs.release(Job("study", study), "stopped")
    ended = preceptor("watch", f"study:{study}")
    assert ended.code == 1
    assert "study 1 arms stopped: 2/6 runs done" in ended.out
    assert "go on with: preceptor resume study:1" in ended.err
