"""The life of a run in the store: booked, owned by an engine, generation by generation, ended."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from engine.domain import codec
from engine.domain.records import Provenance
from engine.store import connection as opening
from engine.store.reader import Reader, liveness
from engine.store.transaction import alone, insert, replacing, writing
from problems.errors import RunMismatch, StoreError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from engine.domain.records import Identity, RunRow, StudyRow
    from engine.domain.specs.settings import Caps, RunSpec
    from engine.domain.status import State

Owned = Literal["runs", "studies"]

BREATH = 15.0
"""Seconds between two beats that count at most: a suspended machine did not run."""

_ENDED = ("done", "budget", "stopped", "failed")
_KEYS: dict[Owned, str] = {"runs": "run", "studies": "study"}
"""What an engine can own, and the column that numbers it."""

_BEAT = """
UPDATE {} SET heartbeat = ?1, seconds = seconds +
  CASE WHEN state = 'running' THEN max(0, min(?1 - heartbeat, ?2)) ELSE 0 END
WHERE {} = ?3
"""
NOBODY = {"pid": None, "started": None, "boot": None}
"""The columns of what has no engine."""

_INHERITED = {
    "candidates": "id, generation, slot, operator, parents, program, idea, cost, behaviour, "
    "failure, evaluation, diagnostics",
    "generations": "generation, closed, digest",
    "population": "generation, rank, candidate",
    "briefs": "generation, slot, operator, text",
}
_INHERIT = tuple(
    f"INSERT INTO {table} (run, {columns}) "
    f"SELECT ?, {columns} FROM {table} WHERE run = ? AND generation <= ?"
    for table, columns in _INHERITED.items()
)
_WORDS = {"code": "Preceptor's code", "design": "the design set", "fingerprint": "the teacher"}


class Runs(Reader):
    """The part of a `Store` that books runs; see there."""

    def create_run(self, spec: RunSpec, forked_from: int | None = None) -> int:
        """Book a new run in state `starting`; returns its number."""
        with self._writing() as db:
            return self._insert_run(db, spec, forked_from)

    def claim(self, run: int, owner: Identity) -> None:
        """Make `owner` the run's engine, state `running`.

        Raises StoreError while another living engine owns it, UnknownName for no such run.
        """
        with self._writing():
            self._hand_over("runs", self.run(run), owner)

    def settle_provenance(self, run: int, provenance: Provenance) -> None:
        """Write down what the run depends on, once; on resume it must be the same.

        Raises RunMismatch that names what has changed.
        """
        with self._writing():
            recorded = self.run(run).provenance
            if recorded == Provenance():
                self._update_run(run, **asdict(provenance))
            elif recorded != provenance:
                raise RunMismatch(
                    f"run {run}: {_changed(recorded, provenance)} changed since it began; "
                    f"go on from its last closed generation with: preceptor resume {run} --fork"
                )

    def release(self, run: int) -> None:
        """The run has no engine any more; its state stays."""
        with self._writing():
            self._update_run(run, **NOBODY)

    def set_state(self, run: int, state: State, reason: str = "") -> None:
        """Say how the run stands; done, budget, stopped and failed also end it."""
        with self._writing():
            self._update_run(run, **standing(state, reason))

    def set_caps(self, run: int, caps: Caps) -> None:
        """What the run may spend from now on."""
        with self._writing():
            self._update_run(run, cap_calls=caps.calls, cap_tokens=caps.tokens, cap_usd=caps.usd)

    def beat(self, run: int) -> None:
        """A sign of life, every 2 s; also counts the seconds spent running."""
        self._beat("runs", run)

    def open_generation(self, run: int, generation: int, cap: int | None = None) -> None:
        """Say that a generation is being made under a cap on calls; once opened, it stays so."""
        place = {"run": run, "generation": generation, "cap": cap}
        with self._writing() as db:
            insert(db, "generations", "ON CONFLICT DO NOTHING", **place)

    def close_generation(
        self, run: int, generation: int, survivors: Sequence[str], digest: str, best: str | None
    ) -> None:
        """Close a generation: survivors in order, their digest, the best candidate, all or none.

        Raises RunMismatch when it was closed before with another digest.
        """
        columns = {"run": run, "generation": generation, "closed": 1, "digest": digest}
        place = (run, generation)
        rows = [(*place, rank, id) for rank, id in enumerate(survivors)]
        with self._writing() as db:
            for row in self.generations(run):
                if row.number == generation and row.closed and row.digest != digest:
                    raise RunMismatch(f"run {run}: generation {generation} came out differently")
            insert(db, "generations", replacing(columns), **columns)
            db.execute("DELETE FROM population WHERE run = ? AND generation = ?", place)
            db.executemany("INSERT INTO population VALUES (?, ?, ?, ?)", rows)
            self._update_run(run, best=best)

    def adopt(self, run: int, source: int) -> int:
        """Give a forked run what `source` had when it last closed a generation; returns which.

        Candidates keep their ids, costs and diagnostics. Calls are not copied: the fork has not
        paid them. Does nothing the second time. Raises StoreError when none was ever closed.
        """
        with self._writing() as db:
            taken = self.run(run).forked_at
            if taken is not None:
                return taken
            closed = [row.number for row in self.generations(source) if row.closed]
            if not closed:
                raise StoreError(f"run {source} has closed no generation; start a new run")
            for query in _INHERIT:
                db.execute(query, (run, source, closed[-1]))
            self._update_run(run, best=self.run(source).best, forked_at=closed[-1])
        return closed[-1]

    def close(self) -> None:
        """Let go of the file; the last one to do so writes its log back."""
        with alone(self.path):
            super().close()

    def _connect(self) -> sqlite3.Connection:
        return opening.open_to_write(self.path)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return writing(self.path, self._db)

    def _insert_run(
        self, db: sqlite3.Connection, spec: RunSpec, forked_from: int | None = None
    ) -> int:
        now = time.time()
        return insert(
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
            state="starting",
            heartbeat=now,
            cap_calls=spec.caps.calls,
            cap_tokens=spec.caps.tokens,
            cap_usd=spec.caps.usd,
            forked_from=forked_from,
            created=now,
        )

    def _hand_over(self, table: Owned, row: RunRow | StudyRow, owner: Identity) -> None:
        """Make `owner` its engine. Raises StoreError while another living one is."""
        if row.identity not in (None, owner) and liveness(row) != "gone":
            what = f"{_KEYS[table]} {row.number}"
            raise StoreError(f"{what} is at work in process {row.identity.pid}; watch it")
        self._update(
            table,
            row.number,
            pid=owner.pid,
            started=owner.started,
            boot=owner.boot,
            heartbeat=time.time(),
            **standing("running"),
        )

    def _beat(self, table: Owned, number: int) -> None:
        with self._writing() as db:
            db.execute(_BEAT.format(table, _KEYS[table]), (time.time(), BREATH, number))

    def _update_run(self, run: int, **columns: Any) -> None:
        self._update("runs", run, **columns)

    def _update(self, table: Owned, number: int, **columns: Any) -> None:
        changes = ", ".join(f"{name} = ?" for name in columns)
        query = f"UPDATE {table} SET {changes} WHERE {_KEYS[table]} = ?"
        self._db.execute(query, (*columns.values(), number))


def standing(state: State, reason: str = "") -> dict[str, Any]:
    """The columns that say how a run or a study stands; some states also end it."""
    ended = time.time() if state in _ENDED else None
    return {"state": state, "reason": reason, "ended": ended}


def _changed(recorded: Provenance, now: Provenance) -> str:
    return " and ".join(w for n, w in _WORDS.items() if getattr(recorded, n) != getattr(now, n))
