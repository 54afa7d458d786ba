"""Reading the run store, live or long after: what every screen and every command shows.

A reader never writes and never holds a transaction open between calls, so it neither disturbs an
engine nor keeps the WAL from shrinking.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self, TypeVar

from engine.domain.events import (
    STEPS,
    Event,
    GenerationOpened,
    Note,
    RunStarted,
    TeacherMeasured,
)
from engine.domain.records import (
    CallCost,
    CallKey,
    CallRow,
    Exchange,
    Finalist,
    GenerationRow,
    Measurement,
    PacedProgram,
    RunRow,
    Spent,
    StudyRow,
    Totals,
)
from engine.domain.search_state import BriefRow
from engine.domain.specs.study import StudySpec
from engine.domain.status import REASONS, Job, JobKind, Liveness, Status
from engine.domain.tuning import Trial, TrialBatch
from engine.domain.values import Candidate, DiagnosticsRow, Evaluation, FactsRow
from engine.store import connection as opening
from engine.store import process_identity as identity
from engine.store import rows as records
from engine.store import schema
from engine.store.transaction import readable, worded
from problems.errors import RunMismatch, UnknownName

Value = TypeVar("Value")

HUNG = 15.0
"""Seconds without a heartbeat after which an engine counts as busy, and as hung if stopped."""

DEAD = 90.0
"""Seconds without a heartbeat after which a living engine counts as hung."""

_BILLED = """
WITH billed AS (
  SELECT run, generation, writer, billed, tokens_in, tokens_out, usd, lost FROM calls
  WHERE billed != 'no' OR lost
  UNION ALL
  SELECT run, generation, writer, billed, tokens_in, tokens_out, usd, 0 FROM attempts
)
"""
"""All attempts that were, or may have been, paid; `lost` counts those of older versions."""

_UNSURE = "FILTER (WHERE billed = 'maybe')"
_CALLS = "count(*) FILTER (WHERE billed != 'no') + ifnull(sum(lost), 0)"
_TOTALS = f"""
{_BILLED} SELECT {_CALLS}, count(*) {_UNSURE} + ifnull(sum(lost), 0),
       ifnull(sum(tokens_in), 0), ifnull(sum(tokens_out), 0), ifnull(sum(usd), 0.0),
       count(*) FILTER (WHERE usd IS NULL AND (billed = 'yes' OR tokens_in + tokens_out)),
       ifnull(sum(tokens_in + tokens_out) {_UNSURE}, 0), ifnull(sum(usd) {_UNSURE}, 0.0)
FROM billed WHERE run = ? AND generation <= ifnull(?, generation)
"""
_SPENT = f"""
{_BILLED} SELECT {_CALLS}, ifnull(sum(tokens_in + tokens_out), 0), ifnull(sum(usd), 0.0),
       count(*) {_UNSURE} + ifnull(sum(lost), 0),
       ifnull(sum(tokens_in + tokens_out) {_UNSURE}, 0), ifnull(sum(usd) {_UNSURE}, 0.0)
FROM billed WHERE run IN (SELECT run FROM study_runs WHERE study = ?)
"""
_LARGEST_ANSWERS = f"""
{_BILLED} SELECT writer, max(tokens_out) AS longest FROM billed
WHERE run = ? AND billed = 'yes' GROUP BY writer
"""
_EVALUATED = """
SELECT count(*), ifnull(sum(e.cpu), 0.0), ifnull(sum(d.cpu), 0.0)
FROM candidates c JOIN evaluations e ON e.id = c.evaluation
LEFT JOIN diagnostics d ON d.id = c.diagnostics
WHERE c.run = ? AND c.generation <= ifnull(?, c.generation)
"""
_TRIED = """
SELECT ifnull(sum(cpu), 0.0) FROM trials WHERE run = ? AND generation <= ifnull(?, generation)
"""
_MEASURED = """
SELECT count(*), ifnull(sum(e.cpu), 0.0)
FROM selections m JOIN evaluations e ON e.id = m.evaluation WHERE m.run = ?
"""
_PACES = """
SELECT c.id, c.cost, e.cpu / c.decisions
FROM candidates c JOIN evaluations e ON e.id = c.evaluation
WHERE c.run = ? AND c.cost IS NOT NULL AND c.decisions > 0 ORDER BY c.generation, c.slot
"""
_SURVIVORS = f"""
{records.CANDIDATES} JOIN population s ON s.run = c.run AND s.candidate = c.id
WHERE s.run = ? AND s.generation = ? ORDER BY s.rank
"""
_FOUND = """
SELECT m.*, f.run, f.method FROM findings f JOIN measurements m ON m.id = f.measurement
WHERE {} ORDER BY f.study, m.problem, m.instances, m.kind, f.method, f.run, m.solver
"""
CALL = "run = ? AND purpose = ? AND generation = ? AND slot = ? AND attempt = ?"
"""Picks one call by the fields of its CallKey, in their order."""

_LARGEST = 2**63 - 1
"""The largest whole number that SQLite compares with."""

_BATCH = "run = ? AND purpose = ? AND generation = ? AND slot = ? AND batch = ?"


class Reader:
    """A run store opened to read; use it in one thread, close it or leave its `with` block.

    A missing file reads as a store without runs, and as itself once it exists. All methods raise
    StoreError when the file cannot be read and StoreForeign when it is none of ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._exists = False
        self._db = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; a closed reader cannot be used again."""
        self._db.close()

    def newer(self) -> tuple[str, ...]:
        """Schema steps that only a newer version knows: such a store can be read, not written."""
        self._look_again()
        return schema.newer(self._db) if self._exists else ()

    def data_version(self) -> int:
        """A number that changes when another process writes; 0 before the store exists."""
        (row,) = self._rows("PRAGMA data_version")
        return int(row[0]) if self._exists else 0

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, newest first."""
        return self._values(records.run, self._rows("SELECT * FROM runs ORDER BY run DESC"))

    def run(self, run: int) -> RunRow:
        """One run. Raises UnknownName."""
        return self._value(records.run, self._numbered("run", run))

    def latest(self) -> RunRow | None:
        """The newest run, None in an empty store."""
        rows = self._rows("SELECT * FROM runs ORDER BY run DESC LIMIT 1")
        return self._value(records.run, rows[0]) if rows else None

    def totals(self, run: int, generation: int | None = None) -> Totals:
        """What a run has used so far, or up to the end of a generation."""
        spent = self._rows(_TOTALS, run, generation)[0]
        evaluations, cpu, teacher = self._rows(_EVALUATED, run, generation)[0]
        finalists, more = self._rows(_MEASURED, run)[0] if generation is None else (0, 0.0)
        cpu += more + self._rows(_TRIED, run, generation)[0][0]
        work = [evaluations + finalists, cpu, teacher]
        return Totals(*spent[:6], *work, *spent[6:])

    def has_written(self, run: int) -> bool:
        """Whether any program of a run, besides those it began with, solved its instances."""
        query = (
            "SELECT count(*) FROM candidates "
            "WHERE run = ? AND operator != 'seed' AND cost IS NOT NULL AND failure IS NULL"
        )
        return bool(self._rows(query, run)[0][0])

    def largest_answers(self, run: int) -> dict[str, int]:
        """Tokens of each writer's longest answer in a run; older versions named it \"\"."""
        return {row["writer"]: row["longest"] for row in self._rows(_LARGEST_ANSWERS, run)}

    def generations(self, run: int) -> tuple[GenerationRow, ...]:
        """The generations opened so far, in order."""
        query = "SELECT generation, closed, digest, cap FROM generations WHERE run = ?"
        rows = self._rows(f"{query} ORDER BY generation", run)
        return tuple(GenerationRow(n, bool(closed), *rest) for n, closed, *rest in rows)

    def population(self, run: int, generation: int | None = None) -> tuple[Candidate, ...]:
        """Survivors of a closed generation (the last one by default), in their order."""
        if generation is None:
            query = "SELECT max(generation) FROM generations WHERE run = ? AND closed"
            generation = self._rows(query, run)[0][0]
        return self._values(records.candidate, self._rows(_SURVIVORS, run, generation))

    def survivors(self, run: int) -> dict[int, tuple[str, ...]]:
        """Ids of the survivors of every closed generation, in their order."""
        query = "SELECT generation, candidate FROM population WHERE run = ?"
        found: dict[int, list[str]] = {}
        for row in self._rows(f"{query} ORDER BY generation, rank", run):
            found.setdefault(row["generation"], []).append(row["candidate"])
        return {generation: tuple(ids) for generation, ids in found.items()}

    def candidates(self, run: int, generation: int | None = None) -> tuple[Candidate, ...]:
        """All candidates of a run, or of one generation, by generation and slot."""
        return self._candidates(records.CANDIDATES, run, generation)

    def outlines(self, run: int, generation: int | None = None) -> tuple[Candidate, ...]:
        """The same as `candidates` without facts, cases and profiles, sooner read."""
        return self._candidates(records.OUTLINES, run, generation)

    def outline(self, run: int, id: str) -> Candidate | None:
        """One candidate without facts, cases and profile, None for no such one."""
        rows = self._rows(f"{records.OUTLINES} WHERE c.run = ? AND c.id = ?", run, id)
        return self._value(records.candidate, rows[0]) if rows else None

    def best_outlines(self, run: int, count: int) -> tuple[Candidate, ...]:
        """The programs of a run of lowest cost, at most so many, as outlines."""
        query = (
            "SELECT id FROM candidates WHERE run = ? AND cost IS NOT NULL "
            "ORDER BY cost, generation, slot LIMIT ?"
        )
        found = [self.outline(run, row["id"]) for row in self._rows(query, run, count)]
        return tuple(candidate for candidate in found if candidate is not None)

    def paces(self, run: int) -> tuple[PacedProgram, ...]:
        """How quickly the programs of a run decide, those with a cost."""
        return tuple(PacedProgram(*row) for row in self._rows(_PACES, run))

    def candidate(self, run: int, id: str) -> Candidate:
        """One candidate with code and diagnostics. Raises UnknownName."""
        query = f"{records.CANDIDATES} WHERE c.run = ? AND c.id = ?"
        for row in self._rows(query, self.run(run).number, id):
            return self._value(records.candidate, row)
        known = self._rows("SELECT id FROM candidates WHERE run = ?", run)
        raise UnknownName("program", id, [row["id"] for row in known])

    def finalists(self, run: int) -> tuple[Finalist, ...]:
        """Who was measured on the selection set when the run ended, the best by cost first."""
        query = f"{records.FINALISTS} WHERE m.run = ? ORDER BY m.place"
        return tuple(map(records.finalist, self._rows(query, run)))

    def briefs(self, run: int) -> tuple[BriefRow, ...]:
        """All briefs by generation and slot."""
        rows = self._rows("SELECT * FROM briefs WHERE run = ? ORDER BY generation, slot", run)
        return self._values(records.brief, rows)

    def events(self, run: int, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events with an id above `after`, oldest first."""
        query = "SELECT * FROM events WHERE run = ? AND id > ? ORDER BY id LIMIT ?"
        return self._values(records.event, self._rows(query, run, after, limit))

    def landmarks(self, run: int, after: int, since: int, limit: int = 1000) -> tuple[Event, ...]:
        """The same, but `STEPS` only from the id `since` on, and where an engine ended with one.

        The time between one engine of a run and the next is known as from all events.
        """
        query = f"""
            SELECT * FROM events WHERE run = ? AND id > ? AND (
              id >= ? OR kind NOT IN ({", ".join("?" * len(STEPS))})
              OR id IN (
                SELECT (SELECT max(id) FROM events WHERE run = start.run AND id < start.id)
                FROM events start WHERE start.run = ? AND start.kind = ?
              )
            ) ORDER BY id LIMIT ?
        """
        asked = (run, after, since, *STEPS, run, RunStarted.kind, limit)
        return self._values(records.event, self._rows(query, *asked))

    def latest_event(self, run: int, count: int) -> int:
        """The id of the first of the last `count` events, or of the last generation's if lower.

        0 where there are not as many.
        """
        late = "SELECT id FROM events WHERE run = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
        opened = "SELECT max(id) FROM events WHERE run = ? AND kind = ?"
        asked = (run, count - 1, run, GenerationOpened.kind)
        (row,) = self._rows(
            f"SELECT min(ifnull(({late}), 0), ifnull(({opened}), 0)) AS id", *asked
        )
        return int(row["id"])

    def calls(self, run: int) -> tuple[CallRow, ...]:
        """All calls of a run in the order they were first sent."""
        rows = self._rows("SELECT * FROM calls WHERE run = ? ORDER BY id", run)
        return self._values(records.call, rows)

    def last_answered(self, run: int, count: int) -> tuple[CallRow, ...]:
        """The calls of a run that were answered last, in the order of their answers."""
        query = "SELECT * FROM calls WHERE run = ? AND reply IS NOT NULL"
        rows = self._rows(f"{query} ORDER BY done DESC, id DESC LIMIT ?", run, count)
        return self._values(records.call, reversed(rows))

    def count_inherited(self, run: int) -> int:
        """Calls that went into the generations which a fork took over from its source.

        Raises UnknownName when a source is not in the store.
        """
        row = self.run(run)
        if row.forked_from is None or row.forked_at is None:
            return 0
        query = "SELECT count(*) FROM calls WHERE run = ? AND generation <= ?"
        (taken,) = self._rows(query, row.forked_from, row.forked_at)[0]
        return int(taken) + self.count_inherited(row.forked_from)

    def count_calls(self, run: int) -> int:
        """How many calls a run has made, as in its totals."""
        return int(self._rows(f"SELECT {_CALLS} FROM calls WHERE run = ?", run)[0][0])

    def count_dollars(self, run: int) -> float:
        """What a run has paid at most, as in its totals."""
        query = f"{_BILLED} SELECT ifnull(sum(usd), 0.0) FROM billed WHERE run = ?"
        return float(self._rows(query, run)[0][0])

    def count_programs(self, run: int) -> int:
        """How many candidates a run has."""
        return int(self._rows("SELECT count(*) FROM candidates WHERE run = ?", run)[0][0])

    def count_children(self, run: int) -> int:
        """How many candidates of a run are no seeds."""
        query = "SELECT count(*) FROM candidates WHERE run = ? AND generation > 0"
        return int(self._rows(query, run)[0][0])

    def call_costs(self, run: int) -> tuple[CallCost, ...]:
        """What every call of a run took, in the order they were first sent."""
        columns = "purpose, generation, slot, tokens_in + tokens_out, ifnull(usd, 0.0)"
        rows = self._rows(f"SELECT {columns} FROM calls WHERE run = ? ORDER BY id", run)
        return tuple(CallCost(*row) for row in rows)

    def call_keys(self, run: int, generation: int) -> tuple[CallKey, ...]:
        """The calls of a run up to the end of a generation, in the order they were first sent."""
        names = ", ".join(records.CALL_KEY)
        query = f"SELECT {names} FROM calls WHERE run = ? AND generation <= ? ORDER BY id"
        return tuple(CallKey(*row) for row in self._rows(query, run, generation))

    def call(self, key: CallKey) -> CallRow | None:
        """One call, or None when it was never sent."""
        rows = self._rows(f"SELECT * FROM calls WHERE {CALL}", *astuple(key))
        return self._value(records.call, rows[0]) if rows else None

    def exchanges(self, run: int, *place: int) -> tuple[Exchange, ...]:
        """A run's calls together with their prompts, in the order they were sent.

        `place` narrows them down: a generation, or a generation and a slot of it.
        """
        columns = "".join(f" AND {name} = ?" for name in ("generation", "slot")[: len(place)])
        rows = self._rows(f"SELECT * FROM calls WHERE run = ?{columns} ORDER BY id", run, *place)

        def exchange(row: sqlite3.Row) -> Exchange:
            return Exchange(records.call(row), records.request(row))

        return self._values(exchange, rows)

    def evaluation(self, run: int, key: str, thinned: bool = False) -> Evaluation | None:
        """The evaluation recorded under a content key, the run's own before a shared one.

        None where actions of it were given up (`engine.store.thinning`), unless `thinned` will do.
        """
        rows = self.keyed("evaluations", run, key)
        if not rows or (rows[0]["thinned"] and not thinned):
            return None
        return self._value(records.evaluation, rows[0])

    def whole_programs(self, run: int, generation: int) -> tuple[str, ...]:
        """Children up to the end of a generation that no actions were given up of."""
        query = (
            "SELECT c.id FROM candidates c JOIN evaluations e ON e.id = c.evaluation "
            "WHERE c.run = ? AND c.generation BETWEEN 1 AND ? AND NOT e.thinned"
        )
        return tuple(row["id"] for row in self._rows(query, run, generation))

    def evaluation_of(self, run: int, id: str, thinned: bool = True) -> Evaluation | None:
        """The evaluation of one candidate on the design set, None for one that never had any.

        Also where actions of it were given up, unless `thinned` will do.
        """
        query = "SELECT e.* FROM candidates c JOIN evaluations e ON e.id = c.evaluation"
        rows = self._rows(f"{query} WHERE c.run = ? AND c.id = ?", run, id)
        if not rows or (rows[0]["thinned"] and not thinned):
            return None
        return self._value(records.evaluation, rows[0])

    def trials(self, run: int, batch: TrialBatch) -> tuple[Trial, ...] | None:
        """What came of a batch, None where it was never finished.

        Raises RunMismatch when another one stands in its place.
        """
        place = (run, batch.purpose, batch.generation, batch.slot, batch.number)
        rows = self._rows(f"SELECT * FROM trials WHERE {_BATCH}", *place)
        if not rows:
            return None
        if rows[0]["asked"] != batch.key:
            where = f"generation {batch.generation}, slot {batch.slot}"
            raise RunMismatch(f"run {run}: trial {batch.number} of {where} would be another now")
        return self._value(records.trials, rows[0])

    def facts(self, run: int, key: str) -> FactsRow | None:
        """The facts recorded under a content key, the run's own before shared ones."""
        rows = self.keyed("facts", run, key)
        return records.facts(rows[0]) if rows else None

    def diagnostics(self, run: int, key: str) -> DiagnosticsRow | None:
        """The diagnostics recorded under a content key, the run's own before shared ones."""
        rows = self.keyed("diagnostics", run, key)
        return self._value(records.diagnostics, rows[0]) if rows else None

    def studies(self) -> tuple[StudyRow, ...]:
        """All studies, newest first."""
        return self._values(records.study, self._rows("SELECT * FROM studies ORDER BY study DESC"))

    def study(self, study: int) -> StudyRow:
        """One study. Raises UnknownName."""
        return self._value(records.study, self._numbered("study", study))

    def find_study(self, spec: StudySpec) -> int | None:
        """The newest study that asks the same, None when there is none."""
        query = "SELECT study FROM studies WHERE identity = ? ORDER BY study DESC LIMIT 1"
        rows = self._rows(query, spec.identity())
        return int(rows[0]["study"]) if rows else None

    def study_runs(self, study: int) -> dict[int, RunRow]:
        """The runs of a study that have begun, by their place in `StudySpec.runs()`."""
        query = "SELECT place, r.* FROM study_runs s JOIN runs r ON r.run = s.run WHERE study = ?"
        rows = self._rows(f"{query} ORDER BY place", study)
        return {row["place"]: self._value(records.run, row) for row in rows}

    def spent(self, study: int) -> Spent:
        """What the runs of a study have spent together so far."""
        return Spent(*self._rows(_SPENT, study)[0])

    def study_of(self, run: int) -> int | None:
        """The study that a run belongs to, None for a run of its own."""
        rows = self._rows("SELECT study FROM study_runs WHERE run = ?", run)
        return int(rows[0]["study"]) if rows else None

    def measurements(self, study: int) -> tuple[Measurement, ...]:
        """What a study found on held-out sets, by problem, set, kind, method and run."""
        return self._values(records.measurement, self._rows(_FOUND.format("f.study = ?"), study))

    def shared_measurement(self, key: str) -> Measurement | None:
        """What anybody measured under a content key, None where nobody did."""
        query = "SELECT *, NULL AS run, '' AS method FROM measurements WHERE key = ? AND study = 0"
        rows = self._rows(query, key)
        return records.measurement(rows[0]) if rows else None

    def best_seed(self, run: int) -> float | None:
        """The lowest cost in generation 0, None while none is known."""
        query = "SELECT min(cost) AS cost FROM candidates WHERE run = ? AND generation = 0"
        (row,) = self._rows(query, run)
        return None if row["cost"] is None else float(row["cost"])

    def measured_alone(self, problem: str, set: str, teacher: str) -> Measurement | None:
        """What a teacher was last seen to reach on a set, solving alone; None where it was not."""
        query = (
            "SELECT *, NULL AS run, '' AS method FROM measurements WHERE study = 0 "
            "AND kind = 'teacher' AND problem = ? AND instances = ? AND solver = ? "
            "ORDER BY id DESC LIMIT 1"
        )
        rows = self._rows(query, problem, set, teacher)
        return records.measurement(rows[0]) if rows else None

    def teacher_costs(self, run: int) -> dict[str, float]:
        """What the teachers of a run reached on its design set, as it measured them, by name."""
        query = "SELECT * FROM events WHERE run = ? AND kind = ? ORDER BY id"
        found = self._values(records.event, self._rows(query, run, TeacherMeasured.kind))
        facts = [event.fact for event in found if isinstance(event.fact, TeacherMeasured)]
        return {fact.teacher: fact.cost for fact in facts if fact.cost is not None}

    def notes(self, run: int, topic: str) -> tuple[str, ...]:
        """The texts of a run's notes on a topic, in the order in which they came."""
        query = "SELECT * FROM events WHERE run = ? AND kind = ? ORDER BY id"
        found = self._values(records.event, self._rows(query, run, topic))
        facts = [event.fact for event in found]
        return tuple(fact.text for fact in facts if isinstance(fact, Note))

    def run_measurements(self, run: int) -> tuple[Measurement, ...]:
        """What programs of one run reached on held-out sets."""
        return self._values(records.measurement, self._rows(_FOUND.format("f.run = ?"), run))

    def job(self, job: Job) -> RunRow | StudyRow:
        """A run or a study. Raises UnknownName."""
        return self.run(job.number) if job.kind == "run" else self.study(job.number)

    def finished_commands(self, job: Job) -> frozenset[str]:
        """Ids of the commands to a job that were dealt with."""
        query = "SELECT id FROM control WHERE kind = ? AND number = ?"
        return frozenset(row["id"] for row in self._rows(query, job.kind, job.number))

    def keyed(self, table: str, owner: int, key: str) -> list[sqlite3.Row]:
        """The row under a content key, if any: the owner's own before one that all share.

        The owner of a measurement is a study, of evaluations, facts and diagnostics a run.
        """
        column = "study" if table == "measurements" else "run"
        query = f"SELECT * FROM {table} WHERE key = ? AND {column} IN (0, ?)"
        return self._rows(f"{query} ORDER BY {column} DESC LIMIT 1", key, owner)

    def _candidates(self, query: str, run: int, generation: int | None) -> tuple[Candidate, ...]:
        where = "WHERE c.run = ? AND c.generation = ifnull(?, c.generation)"
        order = "ORDER BY c.generation, c.slot, c.id"
        rows = self._rows(f"{query} {where} {order}", run, generation)
        return self._values(records.candidate, rows)

    def _numbered(self, kind: JobKind, number: int) -> sqlite3.Row:
        table = schema.JOBS[kind]
        if number <= _LARGEST:
            for row in self._rows(f"SELECT * FROM {table} WHERE {kind} = ?", number):
                return row
        known = [str(row[kind]) for row in self._rows(f"SELECT {kind} FROM {table}")]
        raise UnknownName(kind, str(number), known)

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """All rows at once: a cursor left half read would hold its transaction open."""
        self._look_again()
        with worded(self.path):
            return self._db.execute(query, values).fetchall()

    def _value(self, kind: Callable[[sqlite3.Row], Value], row: sqlite3.Row) -> Value:
        """What a row stands for. Raises StoreError for one that stands for nothing."""
        with readable(self.path):
            return kind(row)

    def _values(
        self, kind: Callable[[sqlite3.Row], Value], rows: Iterable[sqlite3.Row]
    ) -> tuple[Value, ...]:
        with readable(self.path):
            return tuple(map(kind, rows))

    def _look_again(self) -> None:
        if not self._exists and self.path.exists():
            self._db.close()
            self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        found = self._connect()
        self._exists = found is not None
        db = found or opening.nothing()
        db.row_factory = sqlite3.Row
        return db

    def _connect(self) -> sqlite3.Connection | None:
        return opening.open_to_read(self.path)


def liveness(row: RunRow | StudyRow, now: float | None = None) -> Liveness:
    """Whether the engine of a run or a study beats, is late, hangs or is gone.

    `now` in Unix seconds.
    """
    if row.identity is None or not identity.lives(row.identity):
        return "gone"
    silence = _silence(row, now)
    if silence <= HUNG:
        return "alive"
    return "hung" if silence > DEAD or identity.is_stopped(row.identity) else "busy"


def status(row: RunRow | StudyRow, now: float | None = None) -> Status:
    """The state as shown: what the engine is on its way to; `busy` when its heartbeat is late.

    `hung` or `interrupted` when the engine is silent or has vanished.

    It is given `HUNG` seconds to find its engine before a start counts as interrupted.
    """
    if row.state == "starting" and row.identity is None and _silence(row, now) <= HUNG:
        return "starting"
    if row.state not in ("starting", "running"):
        return row.state
    found = liveness(row, now)
    if found == "gone":
        return "interrupted"
    if found != "hung" and row.reason in REASONS:
        return REASONS[row.reason]
    return row.state if found == "alive" else found


def _silence(row: RunRow | StudyRow, now: float | None) -> float:
    return (time.time() if now is None else now) - row.heartbeat
