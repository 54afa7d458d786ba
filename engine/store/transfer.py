"""Moving a run between stores: its rows go into a recording, and from there into another store.

What was measured elsewhere stays the imported run's own: evaluations are not shared with other
runs of the store that takes it, so nobody's file can decide what our programs cost.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, get_args

from engine.domain import codec
from engine.domain.program import make_program
from engine.domain.status import State
from engine.store import connection as opening
from engine.store import rows as records
from engine.store.reader import Reader, liveness
from engine.store.run_file import damaged, read_recording, write_recording
from engine.store.transaction import alone, insert, worded, writing
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from engine.store.run_file import Row

_OF_CANDIDATES = "IN (SELECT {} FROM candidates WHERE run = ?)"
_ROWS = {
    "runs": "run = ?",
    "programs": "sha " + _OF_CANDIDATES.format("program"),
    "evaluations": "id " + _OF_CANDIDATES.format("evaluation"),
    "diagnostics": "id " + _OF_CANDIDATES.format("diagnostics"),
    "generations": "run = ?",
    "candidates": "run = ?",
    "population": "run = ?",
    "briefs": "run = ?",
    "calls": "run = ?",
    "events": "run = ?",
}
"""The rows that make up a run, in an order in which each refers only to earlier ones.

Orders to its engine are left out: they were meant for one machine.
"""

_OWNER = ("pid", "started", "boot")
"""Columns of `runs` that name an engine on the machine it came from."""

_NUMBERED = ("evaluations", "diagnostics", "calls", "events")
"""Tables whose rows every store numbers itself."""

_MEANT = {"evaluation": "evaluations", "diagnostics": "diagnostics"}
"""Columns of `candidates` that hold such a number, and of which table."""

_VALUES: dict[str, tuple[Callable[[sqlite3.Row], object], ...]] = {
    "SELECT * FROM runs": (records.run,),
    records.CANDIDATES: (records.candidate,),
    "SELECT * FROM evaluations": (records.evaluation,),
    "SELECT * FROM calls": (records.call, records.request),
    "SELECT * FROM events": (records.event,),
}
"""Every query behind a viewer, and what it makes of a row."""

_DAMAGE = (
    sqlite3.Error,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What values of the wrong kind or size lead to, in SQLite and in the codec."""

_HIGHEST = 1_000_000
"""The highest number that a run brings along: numbers count on from the highest."""


def export_run(db: Path, run: int, file: Path) -> None:
    """Write a run that nobody works on to `file`.

    Raises UnknownName, UserError for a run at work, StoreError, and WorldError when the file
    cannot be written.
    """
    with Reader(db) as reader:
        if liveness(reader.run(run)) != "gone":
            raise UserError(f"run {run} is at work; export it when it has ended or is paused")
    with worded(db), closing(_open_to_read(db)) as store:
        store.row_factory = sqlite3.Row
        write_recording(file, ((table, _as_text(row)) for table, row in _rows(store, run)))


def import_run(db: Path, file: Path) -> int:
    """Put a recorded run into a store, all of it or nothing; returns its number there.

    It keeps its number where that is free. Raises UserError for a file that is no recording,
    damaged or written by a newer version, and StoreError.
    """
    with closing(_stage(file)) as staged:
        store = opening.open_to_write(db)
        try:
            with writing(db, store):
                return _copy(staged, store)
        finally:
            with alone(db):
                store.close()


def _open_to_read(db: Path) -> sqlite3.Connection:
    return opening.open_to_read(db) or opening.nothing()


def _rows(db: sqlite3.Connection, run: int) -> Iterator[Row]:
    for table, condition in _ROWS.items():
        query = f"SELECT * FROM {table} WHERE {condition} ORDER BY 1"
        for row in db.execute(query, (run,)):
            yield table, {name: row[name] for name in row.keys() if name not in _OWNER}  # noqa: SIM118 (a Row iterates over values)


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
    packed = {
        n: codec.pack(v) if kinds[n] == "BLOB" and v is not None else v for n, v in row.items()
    }
    insert(db, table, **packed)


def _look_through(db: sqlite3.Connection) -> None:
    """Read every value, and tell whether they are one run. Raises what values of `_DAMAGE` do."""
    for query, values in _VALUES.items():
        for row in db.execute(query):
            for value in values:
                value(row)
    ((run, state),) = db.execute("SELECT run, state FROM runs")
    if not 0 < run <= _HIGHEST or state not in get_args(State):
        raise ValueError(f"no run could be {run} {state}")
    for sha, code in db.execute("SELECT sha, code FROM programs").fetchall():
        _identify(db, sha, code)


def _identify(db: sqlite3.Connection, sha: str, code: str) -> None:
    """A program goes by its text; its normal form is that of the Python that is here."""
    if hashlib.sha256(code.encode()).hexdigest() != sha:
        raise ValueError("a program that is not what it is called")
    here = make_program("", code).hash
    db.execute("UPDATE programs SET hash = ? WHERE sha = ?", (here, sha))


def _copy(staged: sqlite3.Connection, store: sqlite3.Connection) -> int:
    """Rows of a staged run into the store, under the numbers that are free there."""
    (run,) = staged.execute("SELECT run FROM runs").fetchone()
    taken = store.execute("SELECT 1 FROM runs WHERE run = ?", (run,)).fetchone()
    rows = _rows(staged, run)
    _, booked = next(rows)
    number = insert(store, "runs", **booked | {"run": None if taken else run})
    new: dict[tuple[str, int], int] = {}
    for table, row in rows:
        old = row.pop("id") if table in _NUMBERED else 0
        if "run" in row:
            row["run"] = number
        if table == "candidates":
            row |= {name: row[name] and new[other, row[name]] for name, other in _MEANT.items()}
        conflict = "ON CONFLICT DO NOTHING" if table == "programs" else ""
        new[table, old] = insert(store, table, conflict, **row)
    return number
