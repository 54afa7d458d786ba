"""Runs with several teachers: who is heard, what is kept and shown of each, resumed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.api.store import export_run, import_run
from engine.domain.events import Note
from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.specs.settings import RunSpec, Settings
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.conftest import TEACHER, TOY, WRITER
from tests.engine.runtime.test_resume import advice, drive, population
from tests.tui.exhibit import open_app, until
from tests.tui.schemas import read_document
from tui.widgets.detail import DetailPane
from tui.widgets.population import PopulationTable
from tui.widgets.progress import ProgressPane

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Shell


def book(db: Path, teachers: str, concurrency: int = 8) -> int:
    """A run of two generations whose advice is checked."""
    settings = Settings(
        generations=2,
        advice=6,
        llm_concurrency=concurrency,
        eval_concurrency=concurrency,
        eval_seconds=10,
    )
    spec = RunSpec(ProblemRef(TOY), writer=WRITER, teacher=teachers, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


@pytest.fixture(scope="module")
def teachers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The toy's teacher, and one that prefers what costs most."""
    foolish = tmp_path_factory.mktemp("teachers") / "foolish.py"
    foolish.write_text("def score(item, state):\n    return item.duration - item.weight\n")
    return f"{TEACHER},program:{foolish}"


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, teachers: str) -> Path:
    """A store with one run by both, which nobody disturbed."""
    db = tmp_path_factory.mktemp("taught") / "runs.db"
    assert drive(db, book(db, teachers)) == 0
    return db


def words(db: Path) -> list[tuple[int | None, str]]:
    """What was said of the use of their advice, once each: a resumed run says some of it twice."""
    with Reader(db) as reader:
        told = [
            (event.generation, event.fact.text)
            for event in reader.events(1)
            if isinstance(event.fact, Note) and event.fact.topic in (TEACHER_WORD, LEFT_OUT)
        ]
    return list(dict.fromkeys(told))


def test_each_teacher_speaks_of_each_program_and_the_one_that_helps_is_heard(
    taught: Path,
) -> None:
    known = [found for _, found in advice(taught, 1) if found]
    assert known
    for found in known:
        (other,) = found.others
        assert other is not None and other.others == ()
        assert found.advice is not None and other.advice is not None
        assert found.agreement != other.agreement or found.advice != other.advice
        assert other.cases
    told = words(taught)
    (first, left_out), *used = told
    assert first == 1
    assert left_out.startswith("program:foolish.py left out since generation 1: best program ")
    assert [generation for generation, _ in used] == [1, 2]
    assert all(text.startswith("program:teacher.py's word: +") for _, text in used)
    assert all(text.endswith("%, used") for _, text in used)


def test_a_run_by_several_at_concurrency_1_killed_and_resumed_is_the_same(
    taught: Path, tmp_path: Path, teachers: str
) -> None:
    db = tmp_path / "runs.db"
    assert drive(db, book(db, teachers, 1), "advice", "11") == -9
    assert drive(db, 1) == 0
    assert population(db, 1) == population(taught, 1)
    assert advice(db, 1) == advice(taught, 1)
    assert words(db) == words(taught)


def test_each_teacher_has_its_column_in_text_and_json(
    preceptor: Shell, taught: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_DB", str(taught))
    page = preceptor("show", "1").out
    heads = [line.split() for line in page.splitlines()]
    assert ["program:teacher.py", "program:foolish.py"] in heads
    run = read_document(preceptor("show", "1", "--json").out, "show")
    names = [one["teacher"] for one in run["teachers"]]
    assert names == run["settings"]["teacher"].split(",")
    wise, foolish = run["teachers"]
    assert wise["objective"] < foolish["objective"]
    assert wise["advice"]["gain"] > 0 > foolish["advice"]["gain"]
    assert f"{100 * foolish['advice']['gain']:+.3f} ± " in page
    best = run["best"]["program"]
    program = read_document(preceptor("show", "1", best, "--json").out, "show")
    assert program["teachers"] == names
    (other,) = program["diagnostics"]["others"]
    page = preceptor("show", "1", best).out
    assert f"program:foolish.py: agreement {other['agreement']:.3f}" in page


async def test_each_teacher_has_its_column_on_the_screen(taught: Path) -> None:
    with Reader(taught) as reader:
        (best,) = reader.population(1)[:1]
    assert best.diagnostics is not None
    (other,) = best.diagnostics.others
    assert other is not None
    app = open_app(taught, 1)
    async with app.run_test(size=(240, 60)) as pilot:
        await until(pilot, lambda: app.screen.query_one(PopulationTable).row_keys)
        table = app.screen.query_one(PopulationTable)
        assert "agree 2" in table.render_line(0).text
        (row,) = [table.row(key) for key in table.row_keys if table.row(key)[1].text == best.id]
        shown = [cell.text for cell in row]
        assert shown[shown.index(f"{best.agreement:.3f}") :].count(f"{other.agreement:.3f}") == 1
        told = str(app.screen.query_one(ProgressPane).content)
        assert "program:teacher.py itself" in told
        assert "program:foolish.py itself" in told
        told = str(app.screen.query_one(DetailPane).content)
        assert f"program:foolish.py: agreement {other.agreement:.3f}" in told


def test_what_several_teachers_say_moves_to_another_store(taught: Path, tmp_path: Path) -> None:
    file, db = tmp_path / "one.run", tmp_path / "other.db"
    export_run(taught, 1, file)
    number = import_run(db, file, trusted=True)
    assert advice(db, number) == advice(taught, 1)
    with Reader(db) as reader:
        assert all(name.startswith("imported:") for name in reader.run(number).spec.teachers)
    with Reader(taught) as reader, Reader(db) as other:
        whole = [c.diagnostics for c in reader.candidates(1)]
        assert [c.diagnostics for c in reader.outlines(1)] == [
            c.diagnostics for c in other.outlines(number)
        ]
        outlined = [c.diagnostics for c in reader.outlines(1)]
    for full, short in zip(whole, outlined, strict=True):
        if full and short:
            assert [one and one.figures for one in full.others] == list(short.others)
