"""How a run store is opened, locked and refused: everything SQLite, nothing about runs."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from engine import identity, schema
from problems.errors import StoreError, StoreForeign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PATIENCE = 5.0
"""Seconds to wait for another writer before giving up."""

WAL = 16_000_000
"""Bytes that the write-ahead log keeps on disk after a slow reader made it grow."""

_NETWORK = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "vboxsf", "afs", "ceph", "lustre")
_ADVICE = {
    "SQLITE_FULL": "the disk is full; free some space, then resume the run",
    "SQLITE_BUSY": "another program holds the run store; close it, then try again",
    "SQLITE_READONLY": "the run store cannot be written; check its permissions",
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
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_NOTADB"):
            raise StoreForeign(f"{path}: not a run store; name another with --db") from error
        for prefix, advice in _ADVICE.items():
            if name.startswith(prefix):
                raise StoreError(f"{path}: {advice} ({error})") from error
        raise StoreError(f"{path}: {error}") from error


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection that may write: WAL, every commit on disk before it returns.

    The file is made when it is missing, and brought up to date when it is older. Raises
    StoreForeign for a file that is not ours or newer, StoreError when it cannot be written.
    """
    refuse_network(path)
    if not path.parent.is_dir():
        raise StoreError(f"{path}: there is no such folder; make it, or name another with --db")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise StoreError(f"{path}: {_ADVICE['SQLITE_READONLY']}")
    with worded(path):
        db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            _refuse_newer(path, db)
            with alone(path):
                db.execute("PRAGMA journal_mode = WAL")
            for pragma in (
                "synchronous = FULL",
                "foreign_keys = ON",
                f"journal_size_limit = {WAL}",
            ):
                db.execute(f"PRAGMA {pragma}")
            if schema.pending(db):
                _update(path, db)
        except BaseException:
            db.close()
            raise
    return db


def open_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that cannot write, or None while the file is missing or still empty.

    Never makes a file. On a medium where SQLite can keep no shared memory, a store that was
    closed properly is read as it lies. Raises StoreForeign and StoreError.
    """
    if not path.exists():
        return None
    with worded(path):
        db = _connect_to_read(path)
        try:
            if not schema.applied(db):
                db.close()
                return None
            if schema.pending(db) and not schema.newer(db):
                raise StoreError(f"{path}: an older version wrote this; resume a run to update it")
        except StoreForeign as error:
            db.close()
            raise StoreForeign(f"{path}: {error}") from None
        except BaseException:
            db.close()
            raise
    return db


def nothing() -> sqlite3.Connection:
    """A store without runs, in memory: what a reader sees before the first run."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    for _, sql in schema.MIGRATIONS:
        db.executescript(sql)
    return db


@contextmanager
def writing(path: Path, db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction, its checkpoint included, alone among all processes.

    Everything inside is kept, or nothing when it raises. The file lock guards against the WAL
    fault of SQLite before 3.51.3 (two connections that write and checkpoint at one instant).
    Raises StoreError.
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


def insert(db: sqlite3.Connection, table: str, conflict: str = "", /, **columns: Any) -> int:
    """Add one row; `conflict` says what happens to an earlier one. Returns its row id."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    query = f"INSERT INTO {table} ({names}) VALUES ({marks}) {conflict}"
    return db.execute(query, tuple(columns.values())).lastrowid or 0


def replacing(columns: Iterable[str]) -> str:
    """The conflict rule by which a later row's values stand."""
    return "ON CONFLICT DO UPDATE SET " + ", ".join(f"{c} = excluded.{c}" for c in columns)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold `runs.db.lock`: no other thread or process writes meanwhile. Raises StoreError."""
    lock, descriptor = _lock(path.resolve())
    with lock:
        _wait_for(path, descriptor)
        try:
            yield
        finally:
            fcntl.lockf(descriptor, fcntl.LOCK_UN)


def refuse_network(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> None:
    """Raise StoreError when `path` lies on a network file system, where WAL cannot work."""
    kind = file_system(path.resolve(), mounts.read_text("utf-8")) if mounts.exists() else ""
    if kind.startswith(_NETWORK):
        raise StoreError(f"{path}: a {kind} file system cannot hold a run store; use a local disk")


def file_system(path: Path, mounts: str) -> str:
    """Kind of the file system that holds `path`, read from the text of a mountinfo file."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        mount = Path(left.split()[4].replace("\\040", " "))
        if path.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), right.split()[0]
    return kind


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    try:
        return _probe(address)
    except sqlite3.OperationalError as error:
        name = error.sqlite_errorname
        if name.startswith("SQLITE_CANTOPEN") and not Path(f"{path}-wal").exists():
            return _probe(f"{address}&immutable=1")
        raise


def _probe(address: str) -> sqlite3.Connection:
    """Connect, and read once: only the first read tells whether it works."""
    db = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _refuse_newer(path: Path, db: sqlite3.Connection) -> None:
    try:
        unknown = schema.newer(db)
    except StoreForeign as error:
        raise StoreForeign(f"{path}: {error}; name another with --db") from None
    if unknown:
        raise StoreForeign(f"{path}: written by a newer version ({unknown[-1]}); update Preceptor")


def _update(path: Path, db: sqlite3.Connection) -> None:
    """Make the tables, or bring an older store up to date after keeping a copy of it."""
    steps = schema.pending(db)
    if schema.applied(db):
        _refuse_at_work(path, db)
        with alone(path), closing(sqlite3.connect(f"{path}.before-{steps[0]}")) as copy:
            db.backup(copy)
    with writing(path, db):
        schema.migrate(db)


def _refuse_at_work(path: Path, db: sqlite3.Connection) -> None:
    owned = "SELECT run, pid, started, boot FROM runs WHERE pid IS NOT NULL"
    for run, pid, started, boot in db.execute(owned).fetchall():
        if identity.lives(identity.Identity(pid, started, boot)):
            raise StoreError(f"{path}: an older version works on run {run}; stop it first")


@cache
def _lock(path: Path) -> tuple[threading.Lock, int]:
    """One lock for the threads and one open file for all processes, kept for good.

    Closing any descriptor of a file drops a process's lock on it, so it is opened once and for
    nothing else; and lockf, unlike flock, is not kept alive by a forked evaluator.
    """
    return threading.Lock(), os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


def _wait_for(path: Path, descriptor: int) -> None:
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if time.monotonic() > patience:
                raise StoreError(f"{path}: {_ADVICE['SQLITE_BUSY']}") from error
            time.sleep(0.002)
