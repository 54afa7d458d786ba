"""Several processes of one teacher: the same answers, side by side where that pays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.diagnosis import teacher_pool
from engine.diagnosis.queries import Diagnose
from engine.diagnosis.teacher_pool import TeacherPool
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.values import DiagnosticsRow
from tests.engine.diagnosis.test_teacher_process import own

PROGRAMS = [(order,) * 100 for order in ((0, 0, 1, 1), (1, 1, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0))]
WHO = "(Path({folder!r}) / str(os.getpid())).touch()"


def ask_all(spec: TeacherSpec, size: int) -> list[DiagnosticsRow]:
    """What a pool says of all programs, twice, asked at once."""

    async def questions() -> list[DiagnosticsRow]:
        pool = TeacherPool(spec, size)
        try:
            return await asyncio.gather(*(pool.ask(Diagnose(one)) for one in PROGRAMS * 2))
        finally:
            await pool.close()

    return asyncio.run(questions())


def of_each(folder: Path) -> TeacherSpec:
    """A teacher whose processes each leave a file with their number."""
    return own(folder, verdicts=WHO.format(folder=str(folder)))


def processes(folder: Path) -> int:
    """How many processes have answered."""
    return sum(file.name.isdigit() for file in folder.iterdir())


def test_the_number_of_processes_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, several = tmp_path / "alone", tmp_path / "several"
    alone.mkdir()
    several.mkdir()
    monkeypatch.setattr(teacher_pool, "START_SECONDS", 0.0)
    one = ask_all(of_each(alone), 1)
    four = ask_all(of_each(several), 4)
    assert [found.diagnostics for found in one] == [found.diagnostics for found in four]
    assert (processes(alone), processes(several)) == (1, 4)


def test_quick_questions_start_no_second_process(tmp_path: Path) -> None:
    ask_all(of_each(tmp_path), 4)
    assert processes(tmp_path) == 1


def test_a_cancelled_question_leaves_its_process_to_the_next(tmp_path: Path) -> None:
    async def questions() -> DiagnosticsRow:
        pool = TeacherPool(of_each(tmp_path), 1)
        try:
            first, second = (asyncio.create_task(pool.ask(Diagnose(one))) for one in PROGRAMS[:2])
            await pool.open()
            first.cancel()
            second.cancel()
            return await pool.ask(Diagnose(PROGRAMS[2]))
        finally:
            await pool.close()

    assert asyncio.run(questions()).diagnostics is not None
