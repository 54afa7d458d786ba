"""Writing the run store: the engine's memory, in transactions that are on disk when they return.

Everything a resumed run needs is here; events are for display and never read back by the loop.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING

from engine.domain import codec
from engine.domain.events import write_fact
from engine.store.reader import CALL
from engine.store.rows import ACTIONS, CASES, COSTS, NUMBERS
from engine.store.studies import Studies
from engine.store.transaction import insert, replacing
from problems.errors import RunMismatch, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.events import Event
    from engine.domain.records import Billed, CallKey, CallRow
    from engine.domain.status import CommandKind
    from engine.domain.values import (
        Brief,
        Candidate,
        DiagnosticsRow,
        Evaluation,
        Failure,
        Reply,
        Request,
    )

_SENT_AGAIN = f"""
UPDATE calls SET state = 'sent', billed = 'maybe', error = '', done = NULL, lost = lost + ?,
  sent = ? WHERE {CALL}
"""
_DONE = f"""
UPDATE calls SET state = 'done', billed = 'yes', error = '', model = ?, tokens_in = ?,
  tokens_out = ?, usd = ?, done = ?, reply = ? WHERE {CALL}
"""
_FAILED = f"UPDATE calls SET state = 'failed', error = ?, billed = ?, done = ? WHERE {CALL}"
_EVENT = "INSERT INTO events (run, time, kind, generation, slot, data) VALUES (?, ?, ?, ?, ?, ?)"


class Store(Studies):
    """A run store opened to write; makes the file, updates an older one, reads like a Reader.

    Each method is one transaction. Raises StoreForeign for a file that is not ours or newer and
    StoreError for whatever keeps it from being written (a full disk: free space, call again).
    """

    def record_sent(self, key: CallKey, request: Request) -> None:
        """Book a call before it leaves; until it is answered it is billed `maybe`.

        Booked again after a kill or a failure, the earlier try stays counted. Raises RunMismatch
        when the request differs from the recorded one, StoreError when it is answered already.
        """
        sha = codec.content_key(request)
        with self._writing() as db:
            earlier = self.call(key)
            if earlier is None:
                blob = codec.pack(codec.encode(request))
                insert(
                    db,
                    "calls",
                    **asdict(key),
                    state="sent",
                    request_sha=sha,
                    billed="maybe",
                    sent=time.time(),
                    request=blob,
                )
                return
            _refuse_another(earlier, sha)
            lost = int(earlier.billed != "no")
            db.execute(_SENT_AGAIN, (lost, time.time(), *astuple(key)))

    def record_done(self, key: CallKey, reply: Reply) -> None:
        """Keep the raw reply, before anything is made of it."""
        usage, blob = reply.usage, codec.pack(codec.encode(reply))
        used = (reply.model, usage.tokens_in, usage.tokens_out, usage.usd)
        with self._writing() as db:
            db.execute(_DONE, (*used, time.time(), blob, *astuple(key)))

    def record_failed(self, key: CallKey, error: str, billed: Billed) -> None:
        """Book that no usable answer came; `billed` is `no` only when it surely was not paid."""
        with self._writing() as db:
            db.execute(_FAILED, (error, billed, time.time(), *astuple(key)))

    def record_evaluation(
        self,
        run: int,
        key: str,
        evaluation: Evaluation,
        *,
        program: str,
        design: str,
        evaluator: str,
    ) -> None:
        """Keep an evaluation under its content key; the first one recorded stays.

        Shared over runs when it ended ok or with an invalid action, else the run's own: a
        timeout on a busy machine is not inherited. `program` is the program's hash.
        """
        failure = evaluation.failure
        shared = failure is None or failure.kind == "invalid action"
        with self._writing() as db:
            insert(
                db,
                "evaluations",
                "ON CONFLICT DO NOTHING",
                key=key,
                run=0 if shared else run,
                program=program,
                design=design,
                evaluator=evaluator,
                status="ok" if failure is None else failure.kind,
                cost=evaluation.cost,
                cpu=evaluation.cpu,
                failure=_text(failure),
                costs=codec.pack(codec.encode(evaluation.costs, COSTS)),
                actions=codec.pack(codec.encode(evaluation.actions, ACTIONS)),
            )

    def record_diagnostics(self, run: int, key: str, row: DiagnosticsRow) -> None:
        """Keep diagnostics under their content key; a failed teacher's stay the run's own."""
        found = row.diagnostics
        with self._writing() as db:
            insert(
                db,
                "diagnostics",
                "ON CONFLICT DO NOTHING",
                key=key,
                run=run if found is None else 0,
                failure=row.failure,
                cpu=row.cpu,
                cases=found and codec.pack(codec.encode(found.cases, CASES)),
                profile=found and found.profile and codec.pack(codec.encode(found.profile)),
                **{name: getattr(found, name, None) for name in NUMBERS},
            )

    def record_candidate(
        self,
        run: int,
        candidate: Candidate,
        evaluation: str | None = None,
        diagnostics: str | None = None,
    ) -> None:
        """Keep a candidate with the content keys of its evaluation and diagnostics, if any.

        Recorded again (once the teacher has spoken, or on resume), the later values stand.
        """
        program = candidate.program
        sha = hashlib.sha256(program.code.encode()).hexdigest()
        columns = {
            "run": run,
            "id": candidate.id,
            "generation": candidate.generation,
            "slot": candidate.slot,
            "operator": candidate.operator,
            "parents": json.dumps(candidate.parents),
            "program": sha,
            "idea": program.idea,
            "cost": candidate.cost,
            "behaviour": candidate.behaviour,
            "failure": _text(candidate.failure),
        }
        with self._writing() as db:
            code = {"sha": sha, "hash": program.hash, "code": program.code}
            insert(db, "programs", "ON CONFLICT DO NOTHING", **code)
            columns["evaluation"] = self._row_of("evaluations", run, evaluation)
            columns["diagnostics"] = self._row_of("diagnostics", run, diagnostics)
            insert(db, "candidates", replacing(columns), **columns)

    def record_briefs(self, run: int, generation: int, briefs: Sequence[Brief | None]) -> None:
        """Keep one brief per slot, in order of slots, replacing the generation's earlier ones."""
        rows = [
            (run, generation, slot, brief.operator, brief.text)
            for slot, brief in enumerate(briefs)
            if brief is not None
        ]
        with self._writing() as db:
            db.execute("DELETE FROM briefs WHERE run = ? AND generation = ?", (run, generation))
            db.executemany("INSERT INTO briefs VALUES (?, ?, ?, ?, ?)", rows)

    def record_events(self, run: int, events: Sequence[Event]) -> None:
        """Keep a batch of events in one transaction; their ids and times are given here."""
        now = time.time()
        rows = [
            (run, now, e.kind, e.generation, e.slot, json.dumps(write_fact(e.fact)))
            for e in events
        ]
        with self._writing() as db:
            db.executemany(_EVENT, rows)

    def record_command(
        self, run: int, id: str, command: CommandKind, asked: float, outcome: str
    ) -> None:
        """Note that a control command was dealt with; a second note of the same id is ignored."""
        with self._writing() as db:
            insert(
                db,
                "control",
                "ON CONFLICT DO NOTHING",
                id=id,
                run=run,
                command=command,
                asked=asked,
                settled=time.time(),
                outcome=outcome,
            )

    def _row_of(self, table: str, run: int, key: str | None) -> int | None:
        """Row id behind a content key: a candidate keeps the very row that its run saw."""
        if key is None:
            return None
        rows = self._keyed(table, run, key)
        if not rows:
            raise StoreError(f"run {run}: record the {table} before the candidate")
        return int(rows[0]["id"])


def _refuse_another(earlier: CallRow, sha: str) -> None:
    """A call keeps its question and is asked once."""
    place = f"{earlier.key.purpose} call of generation {earlier.key.generation}"
    if earlier.request_sha != sha:
        raise RunMismatch(f"run {earlier.key.run}: the {place} would ask something else now")
    if earlier.state == "done":
        raise StoreError(f"run {earlier.key.run}: the {place} is answered already")


def _text(failure: Failure | None) -> str | None:
    return None if failure is None else codec.encode(failure)
