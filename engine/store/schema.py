"""The tables of `runs.db` and how an older store is brought up to date.

Runs share programs, and evaluations, facts and diagnostics whose `run` is 0; studies share
measurements whose `study` is 0; everything else belongs to one run or one study. Large blobs stand
last in their rows, where listing the other columns does not read them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from engine.domain.text import codec

APPLICATION = 0x50524543
"""SQLite's application_id of our files: "PREC"."""

JOBS = {"run": "runs", "study": "studies"}
"""The tables of what an engine owns, by its kind, which also names the column of its number."""

_INITIAL = """
CREATE TABLE runs (
  run INTEGER PRIMARY KEY AUTOINCREMENT,
  problem TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
  writer TEXT NOT NULL, analyzer TEXT NOT NULL, teacher TEXT NOT NULL,
  spec TEXT NOT NULL, settings_sha TEXT NOT NULL,
  code TEXT NOT NULL DEFAULT '', design TEXT NOT NULL DEFAULT '',
  fingerprint TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
  pid INTEGER, started TEXT, boot TEXT, heartbeat REAL NOT NULL,
  cap_calls INTEGER, cap_tokens INTEGER, cap_usd REAL,
  best TEXT, forked_from INTEGER, forked_at INTEGER,
  created REAL NOT NULL, ended REAL, seconds REAL NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE generations (
  run INTEGER NOT NULL REFERENCES runs, generation INTEGER NOT NULL,
  closed INTEGER NOT NULL DEFAULT 0, digest TEXT, cap INTEGER,
  PRIMARY KEY (run, generation)
) STRICT, WITHOUT ROWID;
CREATE TABLE programs (sha TEXT PRIMARY KEY, hash TEXT NOT NULL, code TEXT NOT NULL) STRICT;
CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, run INTEGER NOT NULL,
  program TEXT NOT NULL, design TEXT NOT NULL, evaluator TEXT NOT NULL,
  status TEXT NOT NULL, cost REAL, cpu REAL NOT NULL, failure TEXT,
  costs BLOB NOT NULL, actions BLOB NOT NULL,
  UNIQUE (key, run)
) STRICT;
CREATE TABLE diagnostics (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, run INTEGER NOT NULL,
  agreement REAL, chance REAL, stderr REAL, value REAL, percentile REAL,
  states INTEGER, tied INTEGER, dropped INTEGER, failure TEXT NOT NULL, cases BLOB,
  UNIQUE (key, run)
) STRICT;
CREATE TABLE candidates (
  run INTEGER NOT NULL REFERENCES runs, id TEXT NOT NULL,
  generation INTEGER NOT NULL, slot INTEGER NOT NULL,
  operator TEXT NOT NULL, parents TEXT NOT NULL,
  program TEXT NOT NULL REFERENCES programs, idea TEXT NOT NULL,
  cost REAL, behaviour TEXT, failure TEXT,
  evaluation INTEGER REFERENCES evaluations, diagnostics INTEGER REFERENCES diagnostics,
  PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE population (
  run INTEGER NOT NULL, generation INTEGER NOT NULL, rank INTEGER NOT NULL,
  candidate TEXT NOT NULL,
  PRIMARY KEY (run, generation, rank),
  FOREIGN KEY (run, candidate) REFERENCES candidates (run, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE briefs (
  run INTEGER NOT NULL REFERENCES runs, generation INTEGER NOT NULL, slot INTEGER NOT NULL,
  operator TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run, generation, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE calls (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, purpose TEXT NOT NULL,
  generation INTEGER NOT NULL, slot INTEGER NOT NULL, attempt INTEGER NOT NULL,
  state TEXT NOT NULL, request_sha TEXT NOT NULL,
  billed TEXT NOT NULL, lost INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL DEFAULT '', tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0, usd REAL,
  error TEXT NOT NULL DEFAULT '', sent REAL NOT NULL, done REAL,
  request BLOB NOT NULL, reply BLOB,
  UNIQUE (run, purpose, generation, slot, attempt)
) STRICT;
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs,
  time REAL NOT NULL, kind TEXT NOT NULL, generation INTEGER, slot INTEGER, data TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_run ON events (run, id);
CREATE TABLE control (
  id TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, command TEXT NOT NULL,
  asked REAL NOT NULL, settled REAL NOT NULL, outcome TEXT NOT NULL
) STRICT
"""

_STUDIES = """
CREATE TABLE studies (
  study INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, identity TEXT NOT NULL, spec TEXT NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
  pid INTEGER, started TEXT, boot TEXT, heartbeat REAL NOT NULL,
  created REAL NOT NULL, ended REAL, seconds REAL NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE study_runs (
  study INTEGER NOT NULL REFERENCES studies, place INTEGER NOT NULL,
  run INTEGER NOT NULL UNIQUE REFERENCES runs,
  PRIMARY KEY (study, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, study INTEGER NOT NULL,
  problem TEXT NOT NULL, instances TEXT NOT NULL, solver TEXT NOT NULL, kind TEXT NOT NULL,
  seconds REAL, device TEXT NOT NULL, failures TEXT NOT NULL, costs BLOB NOT NULL,
  UNIQUE (key, study)
) STRICT;
CREATE TABLE findings (
  study INTEGER NOT NULL REFERENCES studies, run INTEGER NOT NULL, method TEXT NOT NULL,
  problem TEXT NOT NULL, instances TEXT NOT NULL, kind TEXT NOT NULL, solver TEXT NOT NULL,
  measurement INTEGER NOT NULL REFERENCES measurements,
  PRIMARY KEY (study, run, method, problem, instances, kind, solver)
) STRICT, WITHOUT ROWID
"""

_PROFILES = "ALTER TABLE diagnostics ADD COLUMN profile BLOB"

_TEACHER_SECONDS = "ALTER TABLE diagnostics ADD COLUMN cpu REAL NOT NULL DEFAULT 0"

_COMMANDS = """
ALTER TABLE control RENAME TO control_of_runs;
CREATE TABLE control (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, number INTEGER NOT NULL, command TEXT NOT NULL,
  asked REAL NOT NULL, settled REAL NOT NULL, outcome TEXT NOT NULL
) STRICT;
INSERT INTO control
SELECT id, 'run', run, command, asked, settled, outcome FROM control_of_runs;
DROP TABLE control_of_runs
"""

_SELECTION = """
CREATE TABLE selections (
  run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, candidate TEXT NOT NULL,
  instances TEXT NOT NULL, evaluation INTEGER NOT NULL REFERENCES evaluations,
  PRIMARY KEY (run, candidate),
  FOREIGN KEY (run, candidate) REFERENCES candidates (run, id)
) STRICT, WITHOUT ROWID
"""

_TRIALS = """
CREATE TABLE trials (
  run INTEGER NOT NULL REFERENCES runs, purpose TEXT NOT NULL,
  generation INTEGER NOT NULL, slot INTEGER NOT NULL, batch INTEGER NOT NULL,
  asked TEXT NOT NULL, cpu REAL NOT NULL, outcomes BLOB NOT NULL,
  PRIMARY KEY (run, purpose, generation, slot, batch)
) STRICT, WITHOUT ROWID;
ALTER TABLE candidates ADD COLUMN tuning TEXT
"""

_FACTS = """
CREATE TABLE facts (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, run INTEGER NOT NULL,
  cpu REAL NOT NULL, content BLOB, UNIQUE (key, run)
) STRICT;
ALTER TABLE candidates ADD COLUMN facts INTEGER REFERENCES facts;
ALTER TABLE diagnostics ADD COLUMN opinions BLOB
"""

_DECISIONS = """
ALTER TABLE candidates ADD COLUMN decisions INTEGER;
UPDATE candidates SET decisions =
  (SELECT count_actions(actions) FROM evaluations WHERE id = candidates.evaluation)
"""

_ADVICE = "ALTER TABLE diagnostics ADD COLUMN advice BLOB"

_LABELS = """
ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT ''
"""

_REAL = "ALTER TABLE diagnostics ADD COLUMN real BLOB"

_TIME = "ALTER TABLE runs ADD COLUMN cap_seconds REAL"

_WRITERS = "ALTER TABLE candidates ADD COLUMN writer TEXT NOT NULL DEFAULT ''"

_THINNED = """
ALTER TABLE evaluations ADD COLUMN thinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX candidates_of_evaluation ON candidates (evaluation)
"""

_OTHERS = """
ALTER TABLE diagnostics ADD COLUMN others BLOB;
ALTER TABLE diagnostics ADD COLUMN others_figures BLOB
"""

_ATTEMPTS = """
CREATE TABLE attempts (
  run INTEGER NOT NULL REFERENCES runs, purpose TEXT NOT NULL,
  generation INTEGER NOT NULL, slot INTEGER NOT NULL, attempt INTEGER NOT NULL,
  number INTEGER NOT NULL, writer TEXT NOT NULL, billed TEXT NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, usd REAL,
  error TEXT NOT NULL, sent REAL NOT NULL, done REAL,
  PRIMARY KEY (run, purpose, generation, slot, attempt, number)
) STRICT, WITHOUT ROWID;
ALTER TABLE calls ADD COLUMN writer TEXT NOT NULL DEFAULT ''
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("m001_initial", _INITIAL),
    ("m002_studies", _STUDIES),
    ("m003_profiles", _PROFILES),
    ("m004_teacher_seconds", _TEACHER_SECONDS),
    ("m005_commands", _COMMANDS),
    ("m006_selection", _SELECTION),
    ("m007_trials", _TRIALS),
    ("m008_facts", _FACTS),
    ("m009_decisions", _DECISIONS),
    ("m010_advice", _ADVICE),
    ("m011_labels", _LABELS),
    ("m012_real", _REAL),
    ("m013_time", _TIME),
    ("m014_writers", _WRITERS),
    ("m015_thinned", _THINNED),
    ("m016_several_teachers", _OTHERS),
    ("m017_attempts", _ATTEMPTS),
)
"""Name and SQL of every step, oldest first; a released step is never edited."""


def is_foreign(db: sqlite3.Connection) -> bool:
    """Whether the tables of a database were made by another program."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(tables and application != APPLICATION)


def applied(db: sqlite3.Connection) -> frozenset[str]:
    """Names of the steps that a store of ours has been through; none for an empty file."""
    ledger = "SELECT count(*) FROM sqlite_master WHERE name = '_sqlite_migrations'"
    if db.execute(ledger).fetchone()[0] == 0:
        return frozenset()
    query = "SELECT name FROM _sqlite_migrations WHERE migration_set = 'preceptor'"
    return frozenset(name for (name,) in db.execute(query))


def newer(db: sqlite3.Connection) -> tuple[str, ...]:
    """Steps of the store that this version does not know: a newer version wrote it."""
    return tuple(sorted(applied(db) - {name for name, _ in MIGRATIONS}))


def pending(db: sqlite3.Connection) -> tuple[str, ...]:
    """Steps that the store has yet to go through."""
    done = applied(db)
    return tuple(name for name, _ in MIGRATIONS if name not in done)


def migrate(db: sqlite3.Connection) -> None:
    """Go through the pending steps, in the write transaction that the caller holds."""
    from sqlite_utils import Database  # slow to import, and rarely needed
    from sqlite_utils.migrations import Migrations

    steps = Migrations("preceptor")
    for name, sql in MIGRATIONS:
        steps(name=name)(_step(sql))
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    steps.apply(Database(db))


def take_step(db: sqlite3.Connection, sql: str) -> None:
    """Carry out the statements of one step; no transaction is begun or ended here."""
    db.create_function("count_actions", 1, _count_actions)
    for statement in sql.split(";"):  # executescript would commit the transaction
        db.execute(statement)


def _count_actions(blob: bytes) -> int | None:
    """How many there are in a blob of `evaluations`, None for a damaged one."""
    try:
        return sum(map(len, codec.decode(tuple[tuple[int, ...], ...], codec.unpack(blob))))
    except (ValueError, TypeError):
        return None


def _step(sql: str) -> Callable[[Any], None]:
    def run(db: Any) -> None:
        take_step(db.conn, sql)

    return run
