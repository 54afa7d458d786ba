"""A store whose rows hold nonsense: every command says so in one line, every screen stays up."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.records import Measurement
from engine.domain.specs.study import StudySpec, Task
from engine.domain.text import codec
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import StoreError
from tests.conftest import Shell
from tests.tui import exhibit
from tests.tui.exhibit import DONE, LIVE, open_app, until
from tests.tui.schemas import read_document
from tui.screens.run import RunScreen

PROGRAM = "p0013"
BLOBS = {
    "junk": b"junk",
    "empty": b"",
    "cut": zlib.compress(b"[1.0, 2.0]")[:-4],
    "no text": zlib.compress(b"\xff\xfe"),
    "no JSON": zlib.compress(b"[1.0,"),
    "deep": zlib.compress(b"[" * 200_000),
    "another kind": zlib.compress(b'{"a": "b"}'),
}
TEXTS = {
    "no JSON": "[1.0,",
    "deep": "[" * 200_000,
    "another kind": '"text"',
    "out of range": '{"problem":{"name":"jssp","options":[]},"settings":{"generations":-1}}',
}
COLUMNS = (
    ("evaluations", "costs", BLOBS),
    ("evaluations", "actions", BLOBS),
    ("diagnostics", "cases", BLOBS),
    ("diagnostics", "profile", BLOBS),
    ("calls", "request", BLOBS),
    ("calls", "reply", BLOBS),
    ("measurements", "costs", BLOBS),
    ("measurements", "failures", TEXTS),
    ("evaluations", "failure", TEXTS),
    ("candidates", "failure", TEXTS),
    ("candidates", "parents", TEXTS),
    ("events", "data", TEXTS),
    ("runs", "spec", TEXTS),
    ("studies", "spec", TEXTS),
)
READ_AS_IT_LIES = (("candidates", "parents"), ("events", "data"))
"""Columns of which other JSON than ours can be shown."""

COMMANDS = (
    ("runs",),
    ("runs", "--json"),
    ("show", str(DONE)),
    ("show", str(DONE), "--json"),
    ("show", str(DONE), PROGRAM),
    ("show", str(DONE), PROGRAM, "--json"),
    ("watch", str(DONE)),
    ("watch", "study:1"),
    ("compare", str(DONE), str(LIVE)),
    ("compare", "study:1"),
    ("export", str(DONE), "-o", "x.py", "--force"),
    ("export-run", str(DONE), "-o", "x.run", "--force"),
    ("stop", str(LIVE)),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixed store with a study, built once."""
    db = tmp_path_factory.mktemp("damaged") / "runs.db"
    exhibit.build(db)
    with Store(db) as store:
        task = Task(ProblemRef("jssp"), teacher="offline-l2d")
        study = store.jobs.create_study(StudySpec("tiny", (task,), ("ours",)))
        found = Measurement("jssp", "ta", "spt", "program", (1.0,), 1.0, "cpu", (), DONE, "ours")
        store.study_log.record_measurement(study, "key", found)
    return db


@pytest.fixture
def db(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it in the working folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(built, tmp_path))


def write_over(db: Path, table: str, column: str, value: object) -> None:
    """The same value in every row."""
    with closing(sqlite3.connect(db, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(f"UPDATE {table} SET {column} = ?", (value,))


@pytest.mark.parametrize(
    ("table", "column", "damage"),
    [(table, column, next(iter(values.values()))) for table, column, values in COLUMNS],
)
def test_every_command_says_so_in_one_line(
    preceptor: Shell, db: Path, table: str, column: str, damage: object
) -> None:
    write_over(db, table, column, damage)
    refused = 0
    for words in COMMANDS:
        done = preceptor(*words)
        assert "Traceback" not in done.err, (words, done.err)
        told = [line for line in done.err.splitlines() if "cannot be read" in line]
        if told:
            refused += 1
            assert done.code == 1
            assert told == done.err.splitlines()[-1:]
            assert told[0].startswith("preceptor: runs.db: holds what cannot be read")
    assert refused or (
        table == "evaluations" and column in ("actions", "failure")
    )  # shown nowhere


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [(table, column, kind) for table, column, values in COLUMNS for kind in values],
)
def test_a_reader_finds_nothing_but_errors_of_the_store(
    db: Path, table: str, column: str, kind: str
) -> None:
    damage = next(values for t, c, values in COLUMNS if (t, c) == (table, column))[kind]
    write_over(db, table, column, damage)
    refused = 0
    with Reader(db) as reader:
        looks: tuple[Callable[[], object], ...] = (
            reader.runs,
            lambda: reader.run(DONE),
            reader.latest,
            lambda: reader.population(DONE),
            lambda: reader.candidates(DONE),
            lambda: reader.candidate(DONE, PROGRAM),
            lambda: reader.events(DONE),
            lambda: reader.calls(DONE),
            lambda: reader.last_answered(DONE, 3),
            lambda: reader.exchanges(DONE),
            lambda: reader.evaluation_of(DONE, PROGRAM),
            reader.studies,
            lambda: reader.study(1),
            lambda: reader.study_runs(1),
            lambda: reader.measurements(1),
            lambda: reader.run_measurements(DONE),
        )
        for look in looks:
            try:
                look()
            except StoreError as error:
                refused += 1
                assert "holds what cannot be read" in str(error)
    readable = (table, column) in READ_AS_IT_LIES and kind in ("another kind", "out of range")
    assert refused or readable


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("evaluations", "costs", b"junk"),
        ("diagnostics", "cases", b"junk"),
        ("calls", "request", b"junk"),
        ("events", "data", "[1.0,"),
        ("runs", "spec", "[1.0,"),
    ],
)
@pytest.mark.parametrize("run", [DONE, LIVE])
async def test_every_screen_stays_up_or_says_so_in_one_line(
    db: Path,
    table: str,
    column: str,
    value: object,
    run: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = open_app(db, run)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, RunScreen))
            write_over(db, table, column, value)
            for keys in ((), ("enter",), ("escape", "escape"), ("enter",)):
                await pilot.press(*keys)
                for _ in range(20):
                    await pilot.pause(0.02)
    except StoreError as error:
        told = capsys.readouterr().err
        assert told.strip() and told.count("\n") == 1
        assert f"preceptor: {error}".startswith(told.strip())


def test_numbers_that_json_does_not_know_are_null(preceptor: Shell, db: Path) -> None:
    (case,) = infinite_cases()
    write_over(db, "diagnostics", "cases", codec.pack(json.dumps([case])))
    document = read_document(preceptor("show", str(DONE), PROGRAM, "--json").out, "show")
    (shown,) = document["diagnostics"]["cases"]
    assert set(shown["chosen_fields"].values()) == {None}
    assert preceptor("show", str(DONE), PROGRAM).code == 0


def infinite_cases() -> list[dict[str, object]]:
    """One case whose fields are no numbers that JSON knows."""
    fields = [["processing_time", float("inf")], ["remaining_work", float("nan")]]
    fields.append(["machine_id", float("-inf")])
    places = {"instance": 1, "step": 2, "phase": 0.5, "actions": 3, "chosen": 1, "preferred": 2}
    return [places | {"regret": 0.5, "chosen_fields": fields, "preferred_fields": fields}]
