"""What a user reads of a mistake in her own problem: its line, and what the seam says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from problems import ProblemRef, load
from problems.conformance import CHECKS
from problems.errors import BadModule
from problems.examine import LOADING, Examiner, examine
from tests.conftest import ROOT, Shell
from tests.problems.mistakes import IN_MODULE, IN_PARTS, IN_SUITE, Mistake

TEMPLATE = ("problem.py", "data.py")
SECONDS = 1.0
AMPLE = 30.0
"""CPU seconds that a check may use here."""

PATIENT = ("--option", "eval_seconds=1")


def write(mistake: Mistake, folder: Path) -> Path:
    """A problem with a mistake in it, in a new folder."""
    folder.mkdir()
    for name in TEMPLATE:
        text = (ROOT / "tui/template/problem" / name).read_text("utf-8")
        if name == mistake.file:
            assert mistake.old in text
            text = text.replace(mistake.old, mistake.new)
        (folder / name).write_text(text, "utf-8")
    return folder


def examine_here(folder: Path, seconds: float = SECONDS) -> list[str]:
    """What the suite finds wrong, run in this process: a process each would take its time."""
    examiner = Examiner(lambda _: None, seconds)
    examiner.run(ProblemRef(str(folder)), needed=False)
    return [result.broken for result in examiner.results if result.broken]


def check_blame(mistake: Mistake, folder: Path, told: str) -> None:
    """The line that is meant, its file, and the words; on one line, and none of ours."""
    assert mistake.words in told
    assert "\n" not in told and "Traceback" not in told
    assert not re.search(r"(problems|engine|teachers|tui)/\w+\.py", told)
    if mistake.blamed:
        lines = (folder / mistake.file).read_text("utf-8").splitlines()
        if not any(mistake.blamed in line for line in lines):
            lines = (folder / "problem.py").read_text("utf-8").splitlines()
        number = next(n for n, line in enumerate(lines, 1) if mistake.blamed in line)
        assert re.match(rf"\S*shop/\w+\.py:{number}: ", told), (number, told)


@pytest.mark.parametrize("mistake", [*IN_MODULE, *IN_PARTS], ids=lambda mistake: mistake.name)
def test_a_problem_that_cannot_be_loaded_is_refused_by_its_line(
    mistake: Mistake, tmp_path: Path
) -> None:
    folder = write(mistake, tmp_path / "shop")
    with pytest.raises(BadModule) as refused:
        load(str(folder))
    check_blame(mistake, folder, str(refused.value))


@pytest.mark.parametrize("mistake", IN_SUITE, ids=lambda mistake: mistake.name)
def test_the_contract_suite_names_the_line_that_breaks_it(
    mistake: Mistake, tmp_path: Path
) -> None:
    folder = write(mistake, tmp_path / "shop")
    found = examine_here(folder, SECONDS if "stopped after" in mistake.words else AMPLE)
    assert found, "no check fails"
    check_blame(mistake, folder, found[0])


def test_a_list_that_a_state_shares_with_the_next_is_a_changed_state(tmp_path: Path) -> None:
    text = (ROOT / "tests/toy/problem.py").read_text("utf-8")
    for old, new in (
        ("return State(instance)", "return State(instance, [])"),
        (
            "return State(state.instance, (*state.picked, action))",
            "state.picked.append(action)\n        return State(state.instance, state.picked)",
        ),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "problem.py").write_text(text, "utf-8")
    examiner = Examiner(lambda _: None, AMPLE)
    examiner.run(ProblemRef(str(tmp_path)), needed=False)
    assert len(examiner.results) == len(CHECKS) + 1
    told = next(result.broken for result in examiner.results if result.broken)
    assert "step() changed the state that it was given" in told


def named(name: str) -> Mistake:
    """The mistake of a name."""
    return next(one for one in (*IN_MODULE, *IN_PARTS, *IN_SUITE) if one.name == name)


@pytest.mark.parametrize("command", ["run", "bench", "check"])
def test_every_command_tells_of_a_mistake_in_one_line(
    command: str, preceptor: Shell, tmp_path: Path
) -> None:
    mistake = named("a cost that fails")
    folder = write(mistake, tmp_path / "shop")
    words = [] if command == "bench" else ["--method", "performance-only"]
    typed = preceptor(command, "./shop", *words)
    assert typed.code == (1 if command == "check" else 2)
    told = typed.out.splitlines()[1].strip() if command == "check" else typed.complaint
    check_blame(mistake, folder, told.removeprefix("preceptor: "))


def test_a_loop_is_stopped_and_named_before_anything_is_booked(
    preceptor: Shell, tmp_path: Path
) -> None:
    write(named("an endless loop in the module"), tmp_path / "shop")
    typed = preceptor("run", "./shop", "--method", "performance-only", *PATIENT)
    assert "shop/problem.py:" in typed.complaint
    assert "stopped after 1 CPU seconds" in typed.complaint
    assert not (tmp_path / "runs.db").exists()


def test_memory_has_a_limit_and_so_has_the_end_of_the_process(tmp_path: Path) -> None:
    eats = Mistake("", "BEST_FIT = Rule(", "ALL = bytearray(1 << 40)\nBEST_FIT = Rule(", "", "")
    assert "MemoryError" in examine(ProblemRef(str(write(eats, tmp_path / "eats")))).broken[0]
    ends = Mistake("", "        return cost\n", "        import os; os._exit(3)\n", "", "")
    (told,) = examine(ProblemRef(str(write(ends, tmp_path / "ends")))).broken
    assert told == "the process that checks the problem ended during seeds_solve_an_instance"


def test_what_is_mended_is_tried_again(preceptor: Shell, tmp_path: Path) -> None:
    mistake = named("no cost")
    folder = write(mistake, tmp_path / "shop")
    assert preceptor("bench", "./shop").code == 2
    file = folder / "problem.py"
    mended = file.read_text("utf-8").replace(mistake.new + "\n", mistake.old + "\n")
    file.write_text(mended, "utf-8")
    assert preceptor("bench", "./shop").code == 0


def test_two_problems_in_folders_of_one_name_do_not_share_a_file(tmp_path: Path) -> None:
    sizes = []
    for place, size in (("one", 150), ("two", 170)):
        (tmp_path / place).mkdir()
        other = Mistake("", "CAPACITY = 150", f"CAPACITY = {size}", "", "", "data.py")
        folder = write(other, tmp_path / place / "shop")
        sizes.append(load(str(folder)).contract.task.split("of size ")[1][:3])
    assert sizes == ["150", "170"]


def test_an_examination_says_what_it_is_at(tmp_path: Path) -> None:
    heard: list[str] = []
    whole = Mistake("", "", "", "", "")
    found: Any = examine(ProblemRef(str(write(whole, tmp_path / "shop"))), tell=heard.append)
    assert (found.broken, len(found.checks)) == ((), len(CHECKS) + 1)
    assert heard[0] == LOADING
    assert heard[1:] == [check.name for check in found.checks]
    assert found.rollout.decisions == 60


def test_instances_on_which_nothing_is_decided_are_fine(tmp_path: Path) -> None:
    draws = "tuple(rng.randint(15, 90) for _ in range(60))"
    some = "tuple(rng.randint(15, 90) for _ in range(0 if name.endswith('/0') else 60))"
    nothing = Mistake("", draws, some, "", "", file="data.py")
    assert examine_here(write(nothing, tmp_path / "shop"), AMPLE) == []
