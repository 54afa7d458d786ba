"""Who works on a run or a study, how it stands and how it ended: booked, owned, released."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import asdict, dataclass
from typing import Any

from engine.domain.records import Identity, Label, Provenance, RunRow, StudyRow, whose_code
from engine.domain.specs.settings import Caps, RunSpec
from engine.domain.specs.study import StudySpec
from engine.domain.status import ENDED, CommandKind, Job, State
from engine.domain.text import codec
from engine.store.connection import keep_reserve, reserve_path
from engine.store.reader import Reader, liveness
from engine.store.schema import JOBS
from engine.store.transaction import Writing, insert, update
from problems.errors import DiskFull, JobTaken, RunMismatch

BREATH = 15.0
"""Seconds between two beats that count at most: a suspended machine did not run."""

_BEAT = """
UPDATE {} SET heartbeat = ?1, seconds = seconds +
  CASE WHEN state = 'running' THEN max(0, min(?1 - heartbeat, ?2)) ELSE 0 END
WHERE rowid = ?3
"""
_WORDS = {"code": "", "design": "the design set", "fingerprint": "the teacher"}


@dataclass(frozen=True, slots=True)
class Jobs:
    """The part of a `Store` that books jobs and says who works on them."""

    reader: Reader
    writing: Writing

    def create_run(self, spec: RunSpec, forked_from: int | None = None) -> int:
        """Book a new run in state `starting`; returns its number."""
        with self.writing() as db:
            return insert_run(db, spec, forked_from)

    def create_study(self, spec: StudySpec) -> int:
        """Book a new study in state `starting`; returns its number."""
        text = codec.encode(spec)
        with self.writing() as db:
            return _book(db, "studies", name=spec.name, identity=spec.identity(), spec=text)

    def claim(self, job: Job, owner: Identity) -> None:
        """Make `owner` the job's engine, state `running`.

        Raises JobTaken while another living engine owns it and for a run that is done,
        UnknownName for no such job.
        """
        keep_reserve(self.reader.path)
        with self.writing() as db:
            row = self.reader.job(job)
            refuse_taken(job, row, owner)
            state = _state_columns("running")
            update(db, *_row(job), heartbeat=time.time(), **asdict(owner), **state)

    def beat(self, job: Job) -> None:
        """A sign of life, every 2 s; also counts the seconds spent running."""
        table, number = _row(job)
        with self.writing() as db:
            db.execute(_BEAT.format(table), (time.time(), BREATH, number))

    def set_reason(self, job: Job, reason: str) -> None:
        """Say what a job at work is waiting for, or how far it has come."""
        self._write(job, reason=reason)

    def hold(self, job: Job, reason: str) -> None:
        """The job's engine waits for space on the disk, "" being the end of it.

        What was set aside is given up: to say so, and to write the log back.
        """
        if reason:
            reserve_path(self.reader.path).unlink(missing_ok=True)
        state: State = "paused" if reason else "running"
        self._write(job, **_state_columns(state, reason))

    def release(self, job: Job, state: State, reason: str = "") -> None:
        """The job has no engine any more: how it stands, and why, in the same transaction.

        All states but `paused` end it; left `running`, it is seen as interrupted.
        """
        nobody = {"pid": None, "started": None, "boot": None}
        self._write_last(job, **nobody, **_state_columns(state, reason))

    def _write_last(self, job: Job, **columns: Any) -> None:
        """Change a job's columns, on a full disk in the space that was set aside for this."""
        try:
            self._write(job, **columns)
        except DiskFull:
            reserve_path(self.reader.path).unlink(missing_ok=True)
            self._write(job, **columns)

    def _write(self, job: Job, **columns: Any) -> None:
        with self.writing() as db:
            update(db, *_row(job), **columns)

    def set_caps(self, run: int, caps: Caps) -> None:
        """What the run may spend from now on."""
        with self.writing() as db:
            update(db, "runs", run, **_cap_columns(caps))

    def label_run(self, run: int, label: Label) -> None:
        """Give a run another name, note and tags."""
        with self.writing() as db:
            update(db, "runs", run, **asdict(label) | {"tags": " ".join(label.tags)})

    def extend_run(self, run: int, spec: RunSpec) -> None:
        """Give a run without an engine another goal: it has not ended, and waits to be resumed."""
        columns = {"spec": codec.encode(spec), "settings_sha": codec.content_key(spec.settings)}
        with self.writing() as db:
            update(db, "runs", run, **columns, **_state_columns("paused"))

    def record_provenance(self, run: int, provenance: Provenance) -> None:
        """Write down what the run depends on, once; on resume it must be the same.

        Raises RunMismatch that names what has changed.
        """
        with self.writing() as db:
            recorded = self.reader.run(run).provenance
            if recorded == Provenance():
                update(db, "runs", run, **asdict(provenance))
            elif recorded != provenance:
                raise RunMismatch(
                    f"run {run}: {_changed(recorded, provenance)} changed since it began; "
                    f"go on from its last closed generation with: preceptor resume {run} --fork"
                )

    def record_command(
        self, job: Job, id: str, command: CommandKind, asked: float, outcome: str
    ) -> None:
        """Note that a command was dealt with; a second note of the same id is ignored."""
        columns = {"id": id, "kind": job.kind, "number": job.number, "command": command}
        columns |= {"asked": asked, "settled": time.time(), "outcome": outcome}
        with self.writing() as db:
            insert(db, "control", "ON CONFLICT DO NOTHING", **columns)


def refuse_taken(job: Job, row: RunRow | StudyRow, owner: Identity | None = None) -> None:
    """Raise JobTaken for a job that an engine other than `owner` works on, or a finished run."""
    if row.identity not in (None, owner) and liveness(row) != "gone":
        raise JobTaken(f"{job} is at work in process {row.identity.pid}; watch it")
    if job.kind == "run" and row.state == "done":
        raise JobTaken(f"{job} is done; there is nothing left to do")


def insert_run(db: sqlite3.Connection, spec: RunSpec, forked_from: int | None = None) -> int:
    """Book a run within a transaction; returns its number."""
    return _book(
        db,
        "runs",
        problem=spec.problem.name,
        method=spec.method,
        seed=spec.seed,
        writer=spec.writer,
        analyzer=spec.analyzer,
        teacher=spec.teacher,
        spec=codec.encode(spec),
        settings_sha=codec.content_key(spec.settings),
        forked_from=forked_from,
        **_cap_columns(spec.caps),
    )


def _book(db: sqlite3.Connection, table: str, **columns: Any) -> int:
    now = time.time()
    return insert(db, table, state="starting", heartbeat=now, created=now, **columns)


def _row(job: Job) -> tuple[str, int]:
    return JOBS[job.kind], job.number


def _state_columns(state: State, reason: str = "") -> dict[str, Any]:
    """The columns that say how a job stands; some states also end it."""
    ended = time.time() if state in ENDED else None
    return {"state": state, "reason": reason, "ended": ended}


def _cap_columns(caps: Caps) -> dict[str, Any]:
    return {f"cap_{name}": cap for name, cap in asdict(caps).items()}


def _changed(recorded: Provenance, now: Provenance) -> str:
    found = {n: w for n, w in _WORDS.items() if getattr(recorded, n) != getattr(now, n)}
    return " and ".join(word or whose_code(recorded.code, now.code) for word in found.values())
