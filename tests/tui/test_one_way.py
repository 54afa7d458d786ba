"""A screen, a command and a script start the same run through the same function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import preceptor as package
from engine.api import run as runs
from engine.api.resolve import RunRequest
from engine.api.run import Run
from engine.domain.specs.settings import Caps
from engine.store.reader import Reader
from problems.errors import WorldError
from tests.conftest import TOY, WRITER, Shell
from tui.app.app import Preceptor
from tui.widgets.form import FormEntry

OPTIONS = ("generations=1", "children=2")
FORM = {
    "problem": TOY,
    "method": "performance-only",
    "writer": WRITER,
    "seed": "7",
    "max calls": "50",
    "options": " ".join(OPTIONS),
}
WORDS = (
    *(TOY, "--method", "performance-only", "--llm", WRITER, "--seed", "7", "--max-calls", "50"),
    *(word for option in OPTIONS for word in ("--option", option)),
)
REQUEST = RunRequest(
    TOY, "performance-only", seed=7, writer=WRITER, options=OPTIONS, caps=Caps(calls=50)
)


async def test_a_screen_a_command_and_a_script_start_the_same_run(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[RunRequest] = []
    start_run = runs.start_run

    def spy(request: RunRequest, store: Path, booked: Callable[[Run], None] = print) -> Run:
        asked.append(request)
        return start_run(request, store, booked)

    def refuse(_: Run) -> None:
        raise WorldError("no engine today")

    monkeypatch.setattr(runs, "start_run", spy)
    monkeypatch.setattr(Run, "launch", refuse)
    db = tmp_path / "runs.db"

    assert "no engine today" in preceptor("run", *WORDS).err

    app = Preceptor(db)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        for entry in app.screen.query(FormEntry):
            entry.value = FORM.get(entry.field.name, "")
        await pilot.press("enter")
        await app.workers.wait_for_complete()

    monkeypatch.setattr(Run, "launch", lambda _: None)
    assert package.start_run(REQUEST, db).number == 3

    assert asked == [REQUEST] * 3
    with Reader(db) as reader:
        first, *others = [row.spec for row in reader.runs()]
    assert others == [first, first]
