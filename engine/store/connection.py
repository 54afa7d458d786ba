"""How the file of a run store is opened, made, brought up to date or refused."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from engine.domain.names import DEFAULT_DB
from engine.domain.records import Identity
from engine.store import process_identity as identity
from engine.store import schema
from engine.store.transaction import (
    PATIENCE,
    SMALL,
    UNWRITABLE,
    alone,
    bytes_free,
    worded,
    writing,
)
from engine.store.transaction import update as update_row
from problems.errors import DiskFull, StoreError, StoreForeign, UserError

WAL = 16_000_000
"""Bytes that the write-ahead log keeps on disk after a slow reader made it grow."""

FREE = 200_000_000
"""Bytes that must be free on the disk of a store before an engine starts to fill it."""

RESERVE = 1 << 16
"""Bytes set aside beside a store, to be given up for the last words on a full disk."""

BRIEFLY = 500
"""Milliseconds that folding in the log waits for readers."""

_PRAGMAS = ("synchronous = FULL", "foreign_keys = ON", f"journal_size_limit = {WAL}")
_NETWORK = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "vboxsf", "afs", "ceph", "lustre")


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection that may write: WAL, every commit on disk before it returns.

    The file is made when it is missing, and brought up to date when it is older. Raises
    StoreForeign for a file that is not ours or newer, StoreError when it cannot be written,
    UserError where there is no such folder.
    """
    _refuse_place(path)
    log = _log_size(path)
    with worded(path):
        db = _connect(str(path))
        try:
            _refuse_foreign(path, db)
            _refuse_newer(path, db)
            with alone(path):
                db.execute("PRAGMA journal_mode = WAL")
            for pragma in _PRAGMAS:
                db.execute(f"PRAGMA {pragma}")
            _update(path, db)
            if _holds_all(db, log):
                _disown_dead(path, db)
        except BaseException:
            db.close()
            raise
    return db


def open_to_read(path: Path) -> sqlite3.Connection | None:
    """A connection that cannot write, or None while the file is missing or still being made.

    Never makes a file. On a medium where SQLite can keep no shared memory, a store that was
    closed properly is read as it lies. Raises StoreForeign and StoreError.
    """
    if not path.exists():
        return None
    with worded(path):
        db = _connect_to_read(path)
        try:
            _refuse_foreign(path, db)
            _refuse_older(path, db)
            if schema.applied(db):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
    return None


def fold(db: sqlite3.Connection) -> bool:
    """Write the log of a store back into its file and cut it to nothing, alone among writers.

    Waits only briefly for readers: one that holds an older view may do so for hours. Returns
    whether the file now holds everything.
    """
    db.execute(f"PRAGMA busy_timeout = {BRIEFLY}")
    try:
        _, frames, folded = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        db.execute(f"PRAGMA busy_timeout = {round(1000 * PATIENCE)}")
    return bool(frames == folded)


def update(path: Path) -> None:
    """Bring an older store up to date, keeping a copy of it, and fold in the log that a killed
    engine left; leave any other file as it is.

    Raises StoreError while an engine of the older version is at work in it, UserError for a path
    that is no file, or where there is no folder.
    """
    if not path.exists():
        _refuse_homeless(path)
        return
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "no file"
        raise UserError(f"{path} is {kind}; a run store is a file, such as {DEFAULT_DB}")
    log = _log_size(path)
    with worded(path), closing(_connect_to_read(path)) as db:
        older = _is_older(db)
        left = not older and any(not identity.lives(owner) for *_, owner in _owners(db))
    if older or (left and log and os.access(path, os.W_OK)):
        with closing(open_to_write(path)) as db, worded(path), alone(path):
            fold(db)


def is_whole(path: Path) -> bool:
    """Whether all of the store is here: in its file, or in the log next to it.

    An engine is named in the file as long as there may be something in the log. So a file that
    names one, without a log or beside an empty one that a reader made, is a copy that left the log
    behind, or has lost it. A missing file is whole.
    """
    if not path.exists():
        return True
    log = _log_size(path)  # connecting makes an empty one
    with worded(path), closing(_connect_to_read(path)) as db:
        return _holds_all(db, log)


def nothing() -> sqlite3.Connection:
    """A store without runs, in memory: what a reader sees before the first run."""
    db = _connect(":memory:")
    for _, sql in schema.MIGRATIONS:
        schema.take_step(db, sql)
    return db


def refuse_network(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> None:
    """Raise StoreError when `path` lies on a network file system, where WAL cannot work."""
    kind = file_system(path.resolve(), mounts.read_text("utf-8")) if mounts.exists() else ""
    if kind.startswith(_NETWORK):
        raise StoreError(f"{path}: a {kind} file system cannot hold a run store; use a local disk")


def refuse_full(path: Path, needed: int | None = None) -> None:
    """Raise DiskFull when fewer bytes than `needed` (else `FREE`) are free where `path` lies."""
    needed = FREE if needed is None else needed
    free = bytes_free(path)
    if free < needed:
        left = f"{free / 1e6:,.0f} of the {needed / 1e6:,.0f} MB that a run may need"
        raise DiskFull(f"{path}: the disk is nearly full ({left}); free some space, then resume")


def reserve_path(path: Path) -> Path:
    """The file that takes up the space reserved for a store."""
    return Path(f"{path}.reserve")


def keep_reserve(path: Path) -> None:
    """Set space aside unless that is done. Raises DiskFull when there is none."""
    file = reserve_path(path)
    try:
        if not file.exists() or file.stat().st_size < RESERVE:
            file.write_bytes(os.urandom(RESERVE))  # no file system can compress it
    except OSError as error:
        file.unlink(missing_ok=True)
        raise DiskFull(f"{path}: the disk is full; free some space ({error})") from error


def has_room(path: Path) -> bool:
    """Whether there is space for what is only shown: heartbeats, events.

    Once the reserve is given up, what is left of it is for an ending and for writing the log back.
    """
    try:
        return reserve_path(path).exists() or bytes_free(path) > SMALL
    except FileNotFoundError:
        return True  # its folder is gone; the file, still open, can be written


def file_system(path: Path, mounts: str) -> str:
    """Kind of the file system that holds `path`, read from the text of a mountinfo file."""
    best = -1
    kind = ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        mount = Path(left.split()[4].replace("\\040", " "))
        if path.is_relative_to(mount) and len(mount.parts) >= best:  # later mounts hide earlier
            best = len(mount.parts)
            kind = right.split()[0]
    return kind


def _log_size(path: Path) -> int | None:
    """Bytes of SQLite's write-ahead log next to a store, None where there is none."""
    log = Path(f"{path}-wal")
    return log.stat().st_size if log.exists() else None


def _holds_all(db: sqlite3.Connection, log: int | None) -> bool:
    """Whether a store whose log had so many bytes before it was opened is whole."""
    return bool(log) or all(log is not None and identity.lives(owner) for *_, owner in _owners(db))


def _connect(address: str) -> sqlite3.Connection:
    uri = address.startswith("file:")
    return sqlite3.connect(address, uri=uri, timeout=PATIENCE, isolation_level=None)


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path.resolve()))}?mode=ro"
    try:
        return _probe(address)
    except sqlite3.OperationalError as error:
        name = error.sqlite_errorname
        if name == "SQLITE_READONLY_ROLLBACK":
            return _connect(":memory:")  # killed while it was made: a writer cleans up
        unwritable = name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
        if unwritable and _log_size(path) is None:  # immutable=1 would ignore the WAL
            return _probe(f"{address}&immutable=1")
        raise


def _probe(address: str) -> sqlite3.Connection:
    """Connect, and read once: only the first read tells whether it works."""
    db = _connect(address)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _refuse_homeless(path: Path) -> None:
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no such folder; make it, or name another with --db")


def _refuse_place(path: Path) -> None:
    refuse_network(path)
    _refuse_homeless(path)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise StoreError(f"{path}: {UNWRITABLE}")


def _refuse_foreign(path: Path, db: sqlite3.Connection) -> None:
    if schema.is_foreign(db):
        raise StoreForeign(f"{path}: a database of another program; name another with --db")


def _refuse_newer(path: Path, db: sqlite3.Connection) -> None:
    if unknown := schema.newer(db):
        raise StoreForeign(f"{path}: written by a newer version ({unknown[-1]}); update Preceptor")


def _refuse_older(path: Path, db: sqlite3.Connection) -> None:
    if _is_older(db):
        raise StoreError(f"{path}: an older version wrote this; any command brings it up to date")


def _is_older(db: sqlite3.Connection) -> bool:
    return bool(schema.applied(db) and schema.pending(db) and not schema.newer(db))


def _refuse_at_work(path: Path, db: sqlite3.Connection) -> None:
    for kind, number, owner in _owners(db):
        if identity.lives(owner):
            what = f"{kind} {number}"
            raise StoreError(f"{path}: an older version works on {what}; stop it first")


def _owners(db: sqlite3.Connection) -> Iterator[tuple[str, int, Identity]]:
    """Kind and number of every job that names an engine, and that engine."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    for kind, table in schema.JOBS.items():
        owned = f"SELECT {kind}, pid, started, boot FROM {table} WHERE pid IS NOT NULL"
        for number, *owner in db.execute(owned).fetchall() if table in tables else ():
            yield kind, number, Identity(*owner)


def _disown_dead(path: Path, db: sqlite3.Connection) -> None:
    """Let jobs no longer name engines that were killed: the log that they left is there."""
    dead = [(kind, number) for kind, number, owner in _owners(db) if not identity.lives(owner)]
    if dead:
        with writing(path, db):
            for kind, number in dead:
                update_row(db, schema.JOBS[kind], number, pid=None, started=None, boot=None)


def _update(path: Path, db: sqlite3.Connection) -> None:
    """Make the tables, or bring an older store up to date after keeping a copy of it."""
    steps = schema.pending(db)
    if not steps:
        return
    if schema.applied(db):
        _refuse_at_work(path, db)
        with alone(path), closing(sqlite3.connect(f"{path}.before-{steps[0]}")) as copy:
            db.backup(copy)
    with writing(path, db):
        schema.migrate(db)
