"""Moving a run between stores, or out of one: its rows go into a recording and another store.

What was measured elsewhere stays the imported run's own: evaluations are not shared with other
runs of the store that takes it, so nobody's file can decide what our programs cost.

A recording may come from a stranger: its text is cleaned, its numbers have bounds within which
every viewer works, and whatever does not fit is refused before the store is touched.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from engine.domain.names import IMPORTED, log_path
from engine.domain.program import make_program
from engine.domain.records import RunRow, StudyRow
from engine.domain.status import Job, State
from engine.domain.text import codec
from engine.domain.text.plain_text import clean, clean_all, one_line
from engine.domain.values import Candidate, Diagnostics, Evaluation
from engine.store import connection as opening
from engine.store import rows as records
from engine.store.reader import Reader, liveness
from engine.store.rows import ACTIONS
from engine.store.run_file import SUFFIX, Row, damaged, read_recording, write_recording
from engine.store.thinning import shrink_rows
from engine.store.transaction import DAMAGE, alone, insert, readable, replacing, worded, writing
from problems import is_path
from problems.errors import StoreBusy, UserError

Taken = tuple[int, int | UserError]
"""The number of a run in its own store, and that in ours or why it was not taken."""

_OF_CANDIDATES = "IN (SELECT {} FROM candidates WHERE run = ?)"
_ROWS = {
    "runs": "run = ?",
    "programs": "sha " + _OF_CANDIDATES.format("program"),
    "evaluations": "id IN (SELECT evaluation FROM candidates WHERE run = ?1 "
    "UNION SELECT evaluation FROM selections WHERE run = ?1)",
    "diagnostics": "id " + _OF_CANDIDATES.format("diagnostics"),
    "facts": "id " + _OF_CANDIDATES.format("facts"),
    "generations": "run = ?",
    "candidates": "run = ?",
    "population": "run = ?",
    "selections": "run = ?",
    "briefs": "run = ?",
    "trials": "run = ?",
    "calls": "run = ?",
    "attempts": "run = ?",
    "events": "run = ?",
}
"""The rows that make up a run, in an order in which each refers only to earlier ones.

Orders to its engine are left out: they were meant for one machine.
"""

_SHARED = {"evaluations": "id", "diagnostics": "id", "facts": "id", "programs": "sha"}
"""Tables whose rows several runs may refer to, and what these are called by."""

_REFERRED = {
    "programs": "SELECT program FROM candidates",
    "evaluations": "SELECT evaluation FROM candidates WHERE evaluation IS NOT NULL "
    "UNION SELECT evaluation FROM selections",
    "diagnostics": "SELECT diagnostics FROM candidates WHERE diagnostics IS NOT NULL",
    "facts": "SELECT facts FROM candidates WHERE facts IS NOT NULL",
}
"""What is still referred to, of each of these tables."""

_STAGE = "created, settings_sha, state, (SELECT count(*) FROM candidates c WHERE c.run = r.run)"
"""Which run it is and how far it has come, of a row `r` of `runs`."""

_OWNER = ("pid", "started", "boot")
"""Columns of `runs` that name an engine on the machine it came from."""

_NUMBERED = ("evaluations", "diagnostics", "facts", "calls", "events")
"""Tables whose rows every store numbers itself."""

_MEANT = {"evaluation": "evaluations", "diagnostics": "diagnostics", "facts": "facts"}
"""Columns that hold such a number, and of which table."""

_VALUES: dict[str, tuple[Callable[[sqlite3.Row], object], ...]] = {
    "SELECT * FROM runs": (records.run,),
    records.CANDIDATES: (records.candidate,),
    records.OUTLINES: (records.candidate,),
    records.FINALISTS: (records.finalist,),
    "SELECT * FROM evaluations": (records.evaluation,),
    "SELECT * FROM trials": (records.trials,),
    "SELECT * FROM calls": (records.call, records.request),
    "SELECT * FROM events": (records.event,),
}
"""Every query behind a viewer, and what it makes of a row."""

_DAMAGE = (sqlite3.Error, SyntaxError, *DAMAGE)
"""What values of the wrong kind or size lead to, in SQLite, in the parser and in the codec."""

_HIGHEST = 1_000_000
"""The highest number that a run brings along: numbers count on from the highest.

Also the highest generation, slot or setting: some viewers count up to them.
"""

_PLACES = ("generation", "slot", "rank", "place", "attempt", "batch", "forked_at")
"""Columns that viewers count up to."""

_TIMES = ("created", "ended", "heartbeat", "time", "sent", "done")
"""Columns of Unix seconds."""

_LAST = 1e11
"""The last moment that a run may name, some 3000 years ahead: later ones have no date."""

_MOST = 10**12
"""The highest of any other whole number: sums of them fit into SQLite's integers."""

_GREATEST = 1e100
"""The greatest of any other number: squares of them are finite."""

_CODE = 100_000
"""Characters that a program may have; a reply is read no further than 64,000."""

_JSON = {
    "runs": ("spec",),
    "evaluations": ("failure",),
    "diagnostics": ("cases", "profile", "opinions", "others", "others_figures"),
    "facts": ("content",),
    "candidates": ("parents", "failure", "tuning"),
    "trials": ("outcomes",),
    "events": ("data",),
}
"""Columns that hold JSON, in which an unsafe character may be written as an escape."""

_NAMES = frozenset(
    (
        *("problem", "method", "writer", "analyzer", "teacher", "arm", "name", "note", "tags"),
        *("reason", "operator", "idea", "model", "fingerprint"),
    )
)
"""Columns, and parts of a spec, that are shown in one line: no line break of theirs is kept."""

_AS_RECORDED = {"programs": ("code",), "calls": ("request", "reply")}
"""Columns on which a checksum or a resumed run depends; viewers clean what they show of them.

Code is cleaned once its checksum is known to be right.
"""


def export_run(db: Path, run: int, file: Path, lean: bool = False) -> None:
    """Write a run to `file`; of one at work, what is recorded by now.

    A `lean` file holds no actions of programs. Raises UnknownName, StoreError, and WorldError when
    the file cannot be written.
    """
    with worded(db), closing(_open_to_read(db)) as store:
        store.row_factory = sqlite3.Row
        store.execute("BEGIN")  # one view for all tables: an engine may write meanwhile
        with Reader(db) as reader:
            reader.run(run)
        with readable(db):
            rows = _rows(store, run)
            rows = map(_give_up_actions, rows) if lean else rows
            write_recording(file, ((table, _as_text(row)) for table, row in rows))


def import_run(db: Path, file: Path, trusted: bool = False, again: bool = True) -> int:
    """Put a recorded run into a store, all of it or nothing; returns its number there.

    It keeps its number where that is free. Unless `again`, one that the store holds already, come
    as far, is not copied. Raises UserError for a file that is no recording,
    damaged or written by a newer version, for a run that is not `trusted` and names a file with
    code as its problem, and StoreError. Its writers and its teacher are names from then on.
    """
    with closing(_stage(file)) as staged:
        if not trusted:
            _refuse_code(file, staged)
        store = opening.open_to_write(db)
        try:
            with writing(db, store):
                known = None if again else _find_same(staged, store)
                return _copy(staged, store) if known is None else known
        finally:
            with alone(db):
                store.close()


def import_store(db: Path, other: Path, trusted: bool, again: bool) -> Iterator[Taken]:
    """Put the runs of another store into this one, the oldest first, each as `import_run` does.

    Studies stay where they are. Raises UserError for the store itself, StoreError.
    """
    if other.resolve() == db.resolve():
        raise UserError(f"{other} is the store that the runs would go to")
    with Reader(other) as reader:
        numbers = [row.number for row in reversed(reader.runs())]
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"run{SUFFIX}"
        for number in numbers:
            try:
                export_run(other, number, file)
                yield number, import_run(db, file, trusted, again)
            except UserError as error:
                yield number, error


def remove_run(db: Path, run: int) -> None:
    """Delete a run, and of programs, evaluations and comments those that no other run refers to.

    Raises UnknownName, and UserError for a run at work, one of a study, and one that another goes
    on from.
    """
    with Reader(db) as reader:
        _refuse_needed(reader, run)
    store = opening.open_to_write(db)
    try:
        with writing(db, store):
            _remove(store, run)
    finally:
        with alone(db):
            store.close()
    log_path(db, Job("run", run)).unlink(missing_ok=True)


def vacuum(db: Path) -> tuple[int, int]:
    """Give the space of what was removed back to the disk; bytes of the file before and after.

    What an older version kept at greater length is made as small as it is kept now.
    Raises UserError while an engine is at work, StoreBusy where a reader with an older view keeps
    that from the file, StoreError.
    """
    with Reader(db) as reader:
        runs = reader.runs()
        jobs: tuple[RunRow | StudyRow, ...] = (*runs, *reader.studies())
    if any(liveness(row) != "gone" for row in jobs):
        raise UserError(f"{db}: an engine is at work; wait for it, or pause it")
    before = db.stat().st_size
    store = opening.open_to_write(db)
    try:
        with readable(db):
            shrink_rows(partial(writing, db, store), [row.number for row in runs])
        with worded(db), alone(db):
            store.execute("VACUUM")
            if not opening.fold(store):
                raise StoreBusy(
                    f"{db}: a viewer or another program is reading, so what was gained lies in "
                    "the log next to the file; close it, then try again"
                )
    finally:
        with alone(db):
            store.close()
    return before, db.stat().st_size


def _refuse_needed(reader: Reader, run: int) -> None:
    if liveness(reader.run(run)) != "gone":
        raise UserError(f"run {run} is at work; stop it first")
    study = reader.study_of(run)
    if study is not None:
        raise UserError(f"run {run} belongs to study {study}, whose tables need it")
    forks = [row.number for row in reader.runs() if row.forked_from == run]
    if forks:
        raise UserError(f"run {forks[0]} goes on from run {run}; remove that one first")


def _remove(store: sqlite3.Connection, run: int) -> None:
    named = {}
    for table, key in _SHARED.items():
        rows = store.execute(f"SELECT {key} FROM {table} WHERE {_ROWS[table]}", (run,))
        named[table] = json.dumps([name for (name,) in rows])
    for table in reversed(_ROWS):
        if table not in _SHARED:
            store.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
    store.execute("DELETE FROM control WHERE kind = 'run' AND number = ?", (run,))
    for table, key in _SHARED.items():
        store.execute(
            f"DELETE FROM {table} WHERE {key} IN (SELECT value FROM json_each(?)) "
            f"AND {key} NOT IN ({_REFERRED[table]})",
            (named[table],),
        )


def _find_same(staged: sqlite3.Connection, store: sqlite3.Connection) -> int | None:
    """The run of a store that is the staged one: begun at the same moment, come as far."""
    (stage,) = staged.execute(f"SELECT {_STAGE} FROM runs r")
    marks = ", ".join("?" * len(stage))
    found = store.execute(f"SELECT run FROM runs r WHERE ({_STAGE}) = ({marks})", tuple(stage))
    return next((int(number) for (number,) in found), None)


def _refuse_code(file: Path, staged: sqlite3.Connection) -> None:
    """Whoever shows a run loads its problem, and a problem in a file is code that then runs."""
    problem = records.run(staged.execute("SELECT * FROM runs").fetchone()).spec.problem.name
    if is_path(problem):
        raise UserError(
            f"{file}: its problem is {problem}, whose code runs when the run is shown; "
            "if you know that code, import it with --trust-problem"
        )


def _open_to_read(db: Path) -> sqlite3.Connection:
    return opening.open_to_read(db) or opening.nothing()


def _rows(db: sqlite3.Connection, run: int) -> Iterator[Row]:
    for table, condition in _ROWS.items():
        query = f"SELECT * FROM {table} WHERE {condition} ORDER BY 1"
        for row in db.execute(query, (run,)):
            yield table, {name: row[name] for name in row.keys() if name not in _OWNER}  # noqa: SIM118 (a Row iterates over values)


def _give_up_actions(row: Row) -> Row:
    """A row without the actions of an evaluation, which are found again by running the program."""
    table, values = row
    if table != "evaluations":
        return row
    walks = codec.decode(ACTIONS, codec.unpack(values["actions"]))
    nothing = codec.pack(codec.encode(tuple(() for _ in walks), ACTIONS))
    return table, {**values, "actions": nothing, "thinned": 1}


def _as_text(row: dict[str, Any]) -> dict[str, Any]:
    return {n: codec.unpack(v) if isinstance(v, bytes) else v for n, v in row.items()}


def _stage(file: Path) -> sqlite3.Connection:
    """A recording as a store in memory, every row of it read once as a viewer would.

    So whatever is wrong shows before the real store is touched. Raises UserError.
    """
    db = opening.nothing()
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    try:
        for table, row in read_recording(file):
            _load(db, table, row)
        _look_through(db)
    except _DAMAGE as error:
        db.close()
        raise damaged(file) from error
    except BaseException:
        db.close()
        raise
    return db


def _load(db: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """One row as its table wants it. Raises KeyError for a table or column that is not ours."""
    if table not in _ROWS:
        raise KeyError(table)
    kinds = dict(db.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall())
    columns: dict[str, Any] = {}
    for name, value in row.items():
        kind = kinds[name]
        if kind == "TEXT" or kind == "BLOB":
            text = None if value is None else _clean(table, name, value)
            columns[name] = codec.pack(text) if kind == "BLOB" and text is not None else text
        else:
            _bound(name, kind, value)
            columns[name] = value
    insert(db, table, **columns)


def _clean(table: str, name: str, text: str) -> str:
    """The text of a column, clean; JSON that is clean already stays as it is written."""
    if name in _AS_RECORDED.get(table, ()):
        return text
    if name not in _JSON.get(table, ()):
        return one_line(text) if name in _NAMES else clean(text)
    found = json.loads(text)
    cleaned = clean_all(_straighten(found) if name == "spec" else found)
    return text if cleaned == found else json.dumps(cleaned, ensure_ascii=False)


def _straighten(plain: Any) -> Any:
    """A JSON document with the names in it in one line each."""
    if isinstance(plain, list):
        return [_straighten(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    return {
        name: one_line(item) if name in _NAMES and isinstance(item, str) else _straighten(item)
        for name, item in plain.items()
    }


def _bound(name: str, kind: str, value: Any) -> None:
    """Raises ValueError for a number that viewers cannot work with, TypeError for none at all."""
    if value is None or name == "seed":
        return
    if kind == "INTEGER":
        fits = 0 <= value <= (_HIGHEST if name in _PLACES else _MOST)
    elif name in _TIMES:
        fits = 0 <= value <= _LAST
    else:
        fits = abs(value) <= _GREATEST  # not for NaN either
    if not fits:
        raise ValueError(f"{name} could not be {value}")


def _look_through(db: sqlite3.Connection) -> None:
    """Read every value, and tell whether they are one run. Raises what values of `_DAMAGE` do."""
    for query, values in _VALUES.items():
        for row in db.execute(query):
            for value in values:
                _examine(value(row))
    ((run, state, source),) = db.execute("SELECT run, state, forked_from FROM runs")
    if not (source or 0) < run <= _HIGHEST or state not in get_args(State):
        raise ValueError(f"no run could be {run} {state}, forked from {source}")
    for sha, code in db.execute("SELECT sha, code FROM programs").fetchall():
        _identify(db, sha, code)


def _identify(db: sqlite3.Connection, sha: str, code: str) -> None:
    """A program goes by its text; its normal form is that of the Python that is here.

    Cleaned, it is another text and goes by that.
    """
    if _sha(code) != sha or len(code) > _CODE:
        raise ValueError("a program that is not what it is called, or that nobody wrote")
    plain = clean(code)
    row = {"sha": _sha(plain), "hash": make_program("", plain).hash, "code": plain}
    insert(db, "programs", replacing(row), **row)
    if row["sha"] != sha:
        db.execute("UPDATE candidates SET program = ? WHERE program = ?", (row["sha"], sha))
        db.execute("DELETE FROM programs WHERE sha = ?", (sha,))


def _sha(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _examine(value: object) -> None:
    """Raises ValueError for parts of a value that no viewer could show."""
    if isinstance(value, RunRow):
        plain = json.loads(codec.encode(value.spec))
        numbers = _numbers([plain["settings"], plain["definition"]])
        if any(not abs(number) <= _HIGHEST for number in numbers):
            raise ValueError("settings that no run could have")
    elif isinstance(value, tuple):
        if not all(_is_finite(trial.costs) for trial in value):
            raise ValueError("trials whose costs are no numbers")
    elif isinstance(value, Evaluation | Candidate):
        if not _is_finite(value.costs):
            raise ValueError("costs that are no numbers")
        tuning = value.tuning if isinstance(value, Candidate) else None
        if tuning is not None and not _is_finite([*_numbers(json.loads(codec.encode(tuning)))]):
            raise ValueError("a calibration whose figures are no numbers")
        diagnostics = value.diagnostics if isinstance(value, Candidate) else None
        if diagnostics is not None:
            _examine_diagnostics(diagnostics)
        facts = value.facts if isinstance(value, Candidate) else None
        for scene in facts.scenes if facts else ():
            if any(len(row.values) != len(scene.names) for row in scene.rows):
                raise ValueError("a scene whose actions have different fields")


def _examine_diagnostics(diagnostics: Diagnostics) -> None:
    """The same of what the teacher says."""
    for case in diagnostics.cases:
        if any(len(other.values) != len(case.chosen_fields) for other in case.alternatives):
            raise ValueError("a case whose actions have different fields")
        if not _is_finite(case.costs or ()):
            raise ValueError("a case whose costs are no numbers")
    advice = diagnostics.advice
    if advice and not _is_finite((advice.gain, advice.stderr)):
        raise ValueError("advice whose figures are no numbers")
    if diagnostics.real and not _is_finite(astuple(diagnostics.real)):
        raise ValueError("real figures that are no numbers")


def _is_finite(costs: Iterable[float | None]) -> bool:
    return all(cost is None or math.isfinite(cost) for cost in costs)


def _numbers(plain: object) -> Iterator[float]:
    """Every number in a JSON document but for the seeds."""
    if isinstance(plain, dict):
        plain = [item for name, item in plain.items() if "seed" not in name]
    if isinstance(plain, list):
        for item in plain:
            yield from _numbers(item)
    elif isinstance(plain, int | float):
        yield plain


def _disowned(booked: dict[str, Any]) -> dict[str, str]:
    """The columns of a run that say whom it asks, none of whom is asked from here.

    An address would be sent our key and our prompts, a file is code, and a number means another
    run here. What comes with Preceptor may continue: its own writer, and teachers by their name.
    """
    spec = records.read_spec(booked["spec"])
    writer = ",".join(map(_theirs, spec.writers))
    analyzer = _theirs(spec.analyzer)
    teacher = _theirs(spec.teacher) if ":" in spec.teacher else spec.teacher
    spec = replace(spec, writer=writer, analyzer=analyzer, teacher=teacher, endpoints=())
    named = {"writer": writer, "analyzer": analyzer, "teacher": teacher}
    return {"spec": codec.encode(spec), **named}


def _theirs(name: str) -> str:
    known = name in ("", "builtin") or name.startswith(IMPORTED)
    return name if known else IMPORTED + name


def _copy(staged: sqlite3.Connection, store: sqlite3.Connection) -> int:
    """Rows of a staged run into the store, under the numbers that are free there."""
    (run,) = staged.execute("SELECT run FROM runs").fetchone()
    taken = store.execute("SELECT 1 FROM runs WHERE run = ?", (run,)).fetchone()
    rows = _rows(staged, run)
    _, booked = next(rows)
    number = insert(store, "runs", **booked | _disowned(booked) | {"run": None if taken else run})
    new: dict[tuple[str, int], int] = {}
    for table, row in rows:
        old = row.pop("id") if table in _NUMBERED else 0
        if "run" in row:
            row["run"] = number
        for name in _MEANT.keys() & row.keys():
            row[name] = row[name] and new[_MEANT[name], row[name]]
        conflict = "ON CONFLICT DO NOTHING" if table == "programs" else ""
        new[table, old] = insert(store, table, conflict, **row)
    return number
