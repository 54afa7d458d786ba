"""One write to the run store at a time, whole or not at all, and failures in plain words."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from problems.errors import DiskFull, StoreBusy, StoreError, StoreForeign, UserError

Writing = Callable[[], AbstractContextManager[sqlite3.Connection]]

PATIENCE = 5.0
"""Seconds to wait for another writer before giving up."""

TIGHT = 100_000
"""Bytes free at which an error of the disk is taken for a full one."""

SMALL = 1 << 25
"""Bytes free below which the write-ahead log is written back at once, so that it stays short.

Else the log takes the last space, and the space to write it back is then missing.
"""

UNWRITABLE = "the run store cannot be written; check its permissions"

DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What values of the wrong kind or size lead to in the codec."""

SHOWN = 200
"""Characters of such an error that are shown."""

_BUSY = "another program holds the run store; close it, then try again"
_ADVICE = {
    "SQLITE_READONLY": UNWRITABLE,
    "SQLITE_CANTOPEN": "the run store cannot be opened; check the folder and its permissions",
    "SQLITE_CORRUPT": "the run store is damaged; restore a copy, or name another with --db",
    "SQLITE_IOERR": "the disk refuses; it may be full or failing (free some space, check it)",
}


@contextmanager
def worded(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about `path` into a StoreError that says what to do next."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_NOTADB":
            raise StoreForeign(f"{path}: not a run store; name another with --db") from error
        if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and _is_full(path)):
            raise DiskFull(f"{path}: the disk is full; free some space ({error})") from error
        if name.startswith("SQLITE_BUSY"):
            raise StoreBusy(f"{path}: {_BUSY}") from error
        for prefix, advice in _ADVICE.items():
            if name.startswith(prefix):
                raise StoreError(f"{path}: {advice} ({error})") from error
        raise StoreError(f"{path}: {error}") from error


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what rows of a damaged or a hostile store lead to into a StoreError."""
    try:
        yield
    except (*DAMAGE, UserError) as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:SHOWN]
        raise StoreError(f"{path}: holds what cannot be read ({what})") from error


def bytes_free(path: Path) -> int:
    """Bytes free on the disk of a file."""
    return shutil.disk_usage(path.resolve().parent).free


def _is_full(path: Path) -> bool:
    """Whether an error of the disk is one of space: SQLite's shared memory tells no other way."""
    try:
        return bytes_free(path) < TIGHT
    except OSError:
        return False


@contextmanager
def writing(path: Path, db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction, its checkpoint included, alone among all processes.

    Everything inside is kept, or nothing when it raises. Raises StoreError.
    """
    with worded(path), alone(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk has ended it already
                db.execute("ROLLBACK")
            raise
        with suppress(sqlite3.Error, OSError):  # what is committed is safe in the log as well
            if bytes_free(path) < SMALL:
                db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold `runs.db.lock`: no other thread or process writes meanwhile. Raises StoreError.

    It guards against the WAL fault of SQLite before 3.51.3 (two connections that write and
    checkpoint at one instant).
    """
    lock, descriptor = _lock(path.resolve())
    with lock:
        _wait_for(path, descriptor)
        try:
            yield
        finally:
            fcntl.lockf(descriptor, fcntl.LOCK_UN)


def insert(db: sqlite3.Connection, table: str, conflict: str = "", /, **columns: Any) -> int:
    """Add one row; `conflict` says what happens to an earlier one. Returns its row id."""
    names = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    query = f"INSERT INTO {table} ({names}) VALUES ({marks}) {conflict}"
    return db.execute(query, tuple(columns.values())).lastrowid or 0


def update(db: sqlite3.Connection, table: str, row: int, /, **columns: Any) -> None:
    """Change columns of the row with this row id."""
    changes = ", ".join(f"{name} = ?" for name in columns)
    db.execute(f"UPDATE {table} SET {changes} WHERE rowid = ?", (*columns.values(), row))


def replacing(columns: Iterable[str]) -> str:
    """The conflict rule by which a later row's values stand."""
    return "ON CONFLICT DO UPDATE SET " + ", ".join(f"{c} = excluded.{c}" for c in columns)


@cache
def _lock(path: Path) -> tuple[threading.Lock, int]:
    """One lock for the threads and one open file for all processes, kept for good.

    Closing any descriptor of a file drops a process's lock on it, so it is opened once and for
    nothing else; and lockf, unlike flock, is not kept alive by a forked evaluator.
    """
    try:
        descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{path}: {UNWRITABLE} ({error})") from error
    return threading.Lock(), descriptor


def _wait_for(path: Path, descriptor: int) -> None:
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if time.monotonic() > patience:
                raise StoreBusy(f"{path}: {_BUSY}") from error
            time.sleep(0.002)
