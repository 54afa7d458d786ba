"""The teacher's process: a third party's class may fail in every way, and the run lives on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from engine.diagnosis.queries import Diagnose, Observe, SolveAlone
from engine.diagnosis.sampling import plan_sampling
from engine.diagnosis.teacher_process import TeacherProcess, TeacherSpec, try_teacher
from engine.domain.values import DiagnosticsRow
from problems import ProblemRef
from problems.errors import TeacherUnavailable, UnknownName

SET = "random-2x2"
CLASS = """
import os
from pathlib import Path
from teachers.base import Verdict, verdict

class Own:
    name, problem, fingerprint = "own", "jssp", "v1"

    def __init__(self, problem, device):
        {init}

    def verdicts(self, decisions):
        seen = Path({folder!r}) / "asked"
        first = not seen.exists()
        seen.touch()
        {verdicts}
        return [Verdict(decision.actions[0], None) for decision in decisions]
"""


def own(folder: Path, init: str = "pass", verdicts: str = "pass") -> TeacherSpec:
    """A third party's teacher that prefers the lowest job, with a line in each of its methods."""
    file = folder / "own.py"
    file.write_text(CLASS.format(init=init, verdicts=verdicts, folder=str(folder)))
    return TeacherSpec(ProblemRef("jssp"), f"{file}:Own", SET, plan_sampling(100, 4))


def ask(spec: TeacherSpec) -> DiagnosticsRow:
    """What it says of a program that takes the lowest job."""

    async def question() -> DiagnosticsRow:
        process = TeacherProcess(spec)
        found = await process.ask(Diagnose(((0, 0, 1, 1),) * 100))
        await process.close()
        return found

    return asyncio.run(question())


def solve(spec: TeacherSpec) -> None:
    """Its greedy rollouts."""

    async def question() -> None:
        process = TeacherProcess(spec)
        try:
            await process.ask(SolveAlone(SET))
        finally:
            await process.close()

    asyncio.run(question())


@pytest.mark.parametrize(
    ("init", "complaint"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("os._exit(9)", "died while it was built"),
    ],
)
def test_a_class_that_cannot_be_built_is_unavailable(
    init: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(TeacherUnavailable, match=complaint):
        try_teacher(own(tmp_path, init=init))


def test_a_class_without_a_fingerprint_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(TeacherUnavailable, match="fingerprint"):
        try_teacher(own(tmp_path, init="del Own.fingerprint"))


def test_a_class_that_can_be_built_is_tried_in_silence(tmp_path: Path) -> None:
    try_teacher(own(tmp_path))


def test_a_class_that_is_not_there_is_an_unknown_name(tmp_path: Path) -> None:
    spec = own(tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'Own'"):
        try_teacher(TeacherSpec(spec.problem, spec.teacher[:-1], SET, spec.sampling))


@pytest.mark.parametrize("failure", ["if first: os._exit(9)", "if first: raise MemoryError"])
def test_a_teacher_that_fails_once_is_started_again_and_asked_again(
    failure: str, tmp_path: Path
) -> None:
    found = ask(own(tmp_path, verdicts=failure))
    assert found.diagnostics is not None and found.diagnostics.agreement == 1.0
    assert found.failure == ""


def test_an_answer_counts_the_cpu_seconds_that_it_took(tmp_path: Path) -> None:
    # of a question that takes 2 ms the CPU clock of a virtual machine may not show anything
    spin = (
        "import time; begun = time.process_time()\n"
        "        while time.process_time() - begun < 0.05: pass"
    )
    assert 0.05 <= ask(own(tmp_path, verdicts=spin)).cpu < 5.0


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        ("os._exit(9)", "own.py:Own died while it looked at a program, twice"),
        ("raise ValueError('lost')", "ValueError: lost"),
        ("return [verdict(d.actions, [float('nan')] * len(d.actions)) for d in decisions]", "fin"),
    ],
)
def test_a_teacher_that_always_fails_has_no_diagnostics_and_says_why(
    failure: str, expected: str, tmp_path: Path
) -> None:
    found = ask(own(tmp_path, verdicts=failure))
    assert found.diagnostics is None
    assert expected in found.failure


def test_facts_need_no_teacher_and_are_the_same_with_one(tmp_path: Path) -> None:
    spec = own(tmp_path)
    alone = replace(spec, teacher="")
    ways = ((0, 0, 1, 1), (0, 1, 0, 1)) * 50

    async def question() -> None:
        both = [TeacherProcess(spec), TeacherProcess(alone)]
        found, without = [await process.ask(Observe(ways)) for process in both]
        told = await both[0].ask(Diagnose(ways))
        for process in both:
            await process.close()
        assert found.facts is not None and found.facts == without.facts
        assert told.diagnostics is not None

    asyncio.run(question())


def test_a_shuffled_teacher_is_another_one_with_other_verdicts(tmp_path: Path) -> None:
    scored = "return [verdict(d.actions, [float(a) for a in d.actions]) for d in decisions]"
    spec = own(tmp_path, verdicts=scored)
    shuffled = replace(spec, shuffled=True)
    plain, placebo = ask(spec).diagnostics, ask(shuffled).diagnostics
    assert plain is not None and placebo is not None
    assert plain.agreement == 0.0 and 0.2 < placebo.agreement < 0.8

    async def fingerprint() -> str:
        process = TeacherProcess(shuffled)
        found = await process.open()
        await process.close()
        return found

    assert asyncio.run(fingerprint()).startswith("shuffled v1 Own file-")


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        ("raise ValueError('lost')", "ValueError: lost"),
        ("os._exit(9)", f"died while it solved {SET}"),
    ],
)
def test_a_teacher_that_fails_on_its_own_rollouts_is_unavailable(
    failure: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(TeacherUnavailable, match=expected):
        solve(own(tmp_path, verdicts=failure))


def open_it(spec: TeacherSpec) -> str:
    """Its fingerprint, from a process as a run starts it."""

    async def question() -> str:
        process = TeacherProcess(spec)
        try:
            return await process.open()
        finally:
            await process.close()

    return asyncio.run(question())


def test_classes_with_equal_fingerprints_are_told_apart_by_what_they_do(tmp_path: Path) -> None:
    words = []
    for name, verdicts in (("a", "pass"), ("b", "raise ValueError"), ("c", "pass")):
        (tmp_path / name).mkdir()
        spec = own(tmp_path / name, verdicts=verdicts)
        text = (tmp_path / name / "own.py").read_text("utf-8").replace(str(tmp_path / name), "/")
        (tmp_path / name / "own.py").write_text(text)
        words.append(open_it(spec))
    assert words[0] == words[2] != words[1]


def test_a_teacher_that_exits_ends_nothing_but_its_question(tmp_path: Path) -> None:
    found = ask(own(tmp_path, verdicts="raise SystemExit(3)"))
    assert found.diagnostics is None
    assert "SystemExit: 3 in verdicts()" in found.failure


def test_a_teacher_that_is_killed_at_its_start_is_started_once_more(tmp_path: Path) -> None:
    once = (
        f"seen = Path({str(tmp_path)!r}) / 'built'; first = not seen.exists(); seen.touch()\n"
        "        if first: os.kill(os.getpid(), 9)"
    )
    assert open_it(own(tmp_path, init=once)).startswith("v1 ")


def test_a_teacher_that_is_killed_twice_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(TeacherUnavailable, match="died while it was built, twice"):
        open_it(own(tmp_path, init="os.kill(os.getpid(), 9)"))
