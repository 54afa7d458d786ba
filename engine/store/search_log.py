"""What a run writes down as it searches: calls, evaluations, candidates, generations, events.

Everything a resumed run needs is here; events are for display and never read back by the loop.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass

from engine.domain.events import Event, write_fact
from engine.domain.records import Billed, CallKey, CallRow
from engine.domain.text import codec
from engine.domain.tuning import Trial, TrialBatch
from engine.domain.values import (
    Brief,
    Candidate,
    DiagnosticsRow,
    Evaluation,
    FactsRow,
    Failure,
    Reply,
    Request,
    Usage,
)
from engine.store.reader import CALL, Reader
from engine.store.rows import ACTIONS, CASES, COSTS, NUMBERS, TRIALS
from engine.store.thinning import outline_request, thin
from engine.store.transaction import Writing, insert, replacing, update
from problems.errors import RunMismatch, StoreError

NOTHING = Usage(usd=0.0)
"""What an attempt uses that costs nothing."""

WITHDRAWN = ""
"""In place of the checksum of a request whose refusal was withdrawn: it may ask otherwise now."""

_SENT_AGAIN = f"""
UPDATE calls SET state = 'sent', billed = 'maybe', error = '', done = NULL, writer = ?,
  tokens_in = ?, tokens_out = ?, usd = ?, sent = ?, request_sha = ?, request = ? WHERE {CALL}
"""
_KEEP_ATTEMPT = f"""
INSERT INTO attempts SELECT c.run, c.purpose, c.generation, c.slot, c.attempt,
  (SELECT count(*) FROM attempts a
   WHERE (a.run, a.purpose, a.generation, a.slot, a.attempt)
       = (c.run, c.purpose, c.generation, c.slot, c.attempt)),
  writer, billed, tokens_in, tokens_out, usd, error, sent, done
FROM calls c WHERE {CALL}
  AND (billed = 'yes' OR billed = 'maybe' AND (tokens_in + tokens_out OR usd IS NOT 0.0))
"""
"""An attempt is kept before it is made again, unless it surely cost nothing."""
_WITHDRAW = f"""
UPDATE calls SET state = 'failed', billed = 'no', error = ?, request_sha = '{WITHDRAWN}',
  model = '', tokens_in = 0, tokens_out = 0, usd = NULL, reply = NULL WHERE {CALL}
"""
_DONE = f"""
UPDATE calls SET state = 'done', billed = 'yes', error = '', model = ?, tokens_in = ?,
  tokens_out = ?, usd = ?, done = ?, reply = ? WHERE {CALL}
"""
_FAILED = f"""
UPDATE calls SET state = 'failed', error = ?, billed = ?, tokens_in = ?, tokens_out = ?, usd = ?,
  done = ? WHERE {CALL}
"""
_MADE_AGAIN = """
ON CONFLICT DO UPDATE SET actions = excluded.actions, thinned = 0
WHERE thinned AND NOT excluded.thinned
"""
_EVENT = "INSERT INTO events (run, time, kind, generation, slot, data) VALUES (?, ?, ?, ?, ?, ?)"


_INHERITED = {
    "candidates": "id, generation, slot, operator, parents, program, idea, cost, behaviour, "
    "failure, evaluation, diagnostics, facts, tuning, decisions, writer",
    "generations": "generation, closed, digest",
    "population": "generation, rank, candidate",
    "briefs": "generation, slot, operator, text",
}
_INHERIT = tuple(
    f"INSERT INTO {table} (run, {columns}) "
    f"SELECT ?, {columns} FROM {table} WHERE run = ? AND generation <= ?"
    for table, columns in _INHERITED.items()
)


@dataclass(frozen=True, slots=True)
class SearchLog:
    """The part of a `Store` that an engine of a run writes to."""

    reader: Reader
    writing: Writing

    def record_sent(
        self, key: CallKey, request: Request, writer: str = "", most: Usage = NOTHING
    ) -> None:
        """Record an attempt at a call before it leaves: until it is settled, `most` was paid.

        An earlier attempt that may have been paid is kept in `attempts`. Raises RunMismatch when
        the request differs from the recorded one, StoreError when it is answered already.
        """
        sha = codec.content_key(request)
        blob = codec.pack(codec.encode(outline_request(request)))
        with self.writing() as db:
            earlier = self.reader.call(key)
            if earlier is None:
                insert(
                    db,
                    "calls",
                    **asdict(key),
                    state="sent",
                    request_sha=sha,
                    billed="maybe",
                    writer=writer,
                    tokens_in=most.tokens_in,
                    tokens_out=most.tokens_out,
                    usd=most.usd,
                    sent=time.time(),
                    request=blob,
                )
                return
            _refuse_another(earlier, sha)
            db.execute(_KEEP_ATTEMPT, astuple(key))
            about = (writer, *astuple(most), time.time(), sha, blob)
            db.execute(_SENT_AGAIN, (*about, *astuple(key)))

    def record_done(self, key: CallKey, reply: Reply) -> None:
        """Keep the raw reply, before anything is made of it."""
        usage = reply.usage
        used = (reply.model, usage.tokens_in, usage.tokens_out, usage.usd)
        blob = codec.pack(codec.encode(reply))
        with self.writing() as db:
            db.execute(_DONE, (*used, time.time(), blob, *astuple(key)))

    def record_failed(
        self, key: CallKey, error: str, billed: Billed, used: Usage = NOTHING
    ) -> None:
        """Record that no usable answer came.

        `billed` is `no` only when it surely was not paid; of `maybe`, `used` is the most it cost.
        """
        with self.writing() as db:
            db.execute(_FAILED, (error, billed, *astuple(used), time.time(), *astuple(key)))

    def withdraw(self, keys: Sequence[CallKey], error: str) -> None:
        """Take back unpaid refusals: booked as failed and unpaid, the calls are asked again."""
        with self.writing() as db:
            db.executemany(_WITHDRAW, [(error, *astuple(key)) for key in keys])

    def record_evaluation(
        self,
        run: int,
        key: str,
        evaluation: Evaluation,
        *,
        program: str,
        design: str,
        evaluator: str,
        thinned: bool = False,
    ) -> None:
        """Keep an evaluation under its content key; the first one recorded stays.

        One that was made again since it was `thinned` gets its actions back.
        Shared over runs when it ended ok, at a checkpoint or with an invalid action, else the
        run's own: a timeout on a busy machine is not inherited. `program` is the program's hash.
        """
        failure = evaluation.failure
        shared = failure is None or failure.kind in ("behind", "invalid action")
        with self.writing() as db:
            insert(
                db,
                "evaluations",
                _MADE_AGAIN,
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
                thinned=int(thinned),
            )

    def record_facts(self, run: int, key: str, row: FactsRow) -> None:
        """Keep facts under their content key; that there are none stays the run's own."""
        content = row.facts and codec.pack(codec.encode(row.facts))
        owner = run if row.facts is None else 0
        with self.writing() as db:
            columns = {"key": key, "run": owner, "cpu": row.cpu, "content": content}
            insert(db, "facts", "ON CONFLICT DO NOTHING", **columns)

    def record_diagnostics(self, run: int, key: str, row: DiagnosticsRow) -> None:
        """Keep diagnostics under their content key; a failed teacher's stay the run's own."""
        found = row.diagnostics
        with self.writing() as db:
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
                advice=found and found.advice and codec.pack(codec.encode(found.advice)),
                real=found and found.real and codec.pack(codec.encode(found.real)),
                **{name: getattr(found, name, None) for name in NUMBERS},
            )

    def record_trials(self, run: int, batch: TrialBatch, trials: Sequence[Trial]) -> None:
        """Keep what came of a batch, all of it, before the next is asked for."""
        with self.writing() as db:
            insert(
                db,
                "trials",
                run=run,
                purpose=batch.purpose,
                generation=batch.generation,
                slot=batch.slot,
                batch=batch.number,
                asked=batch.key,
                cpu=sum(trial.cpu for trial in trials),
                outcomes=codec.pack(codec.encode(tuple(trials), TRIALS)),
            )

    def record_candidate(
        self,
        run: int,
        candidate: Candidate,
        evaluation: str | None = None,
        diagnostics: str | None = None,
        facts: str | None = None,
    ) -> None:
        """Keep a candidate with the content keys of what was found out about it, if any.

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
            "tuning": None if candidate.tuning is None else codec.encode(candidate.tuning),
            "decisions": candidate.decisions,
            "writer": candidate.writer,
        }
        with self.writing() as db:
            code = {"sha": sha, "hash": program.hash, "code": program.code}
            insert(db, "programs", "ON CONFLICT DO NOTHING", **code)
            columns["evaluation"] = self._row_of("evaluations", run, evaluation)
            columns["diagnostics"] = self._row_of("diagnostics", run, diagnostics)
            columns["facts"] = self._row_of("facts", run, facts)
            insert(db, "candidates", replacing(columns), **columns)

    def record_briefs(self, run: int, generation: int, briefs: Sequence[Brief | None]) -> None:
        """Keep one brief per slot, in order of slots, replacing the generation's earlier ones."""
        rows = [
            (run, generation, slot, brief.operator, brief.text)
            for slot, brief in enumerate(briefs)
            if brief is not None
        ]
        with self.writing() as db:
            db.execute("DELETE FROM briefs WHERE run = ? AND generation = ?", (run, generation))
            db.executemany("INSERT INTO briefs VALUES (?, ?, ?, ?, ?)", rows)

    def record_events(self, run: int, events: Sequence[Event]) -> None:
        """Keep a batch of events in one transaction; their ids and times are given here."""
        now = time.time()
        rows = [
            (run, now, e.kind, e.generation, e.slot, json.dumps(write_fact(e.fact)))
            for e in events
        ]
        with self.writing() as db:
            db.executemany(_EVENT, rows)

    def open_generation(self, run: int, generation: int, cap: int | None = None) -> None:
        """Say that a generation is being made under a cap on calls; once opened, it stays so."""
        place = {"run": run, "generation": generation, "cap": cap}
        with self.writing() as db:
            insert(db, "generations", "ON CONFLICT DO NOTHING", **place)

    def close_generation(
        self, run: int, generation: int, survivors: Sequence[str], digest: str, best: str | None
    ) -> None:
        """Close a generation: survivors in order, their digest, the best candidate, all or none.

        A resumed run closes its generations once more; the best stays that of the last one.
        Raises RunMismatch when it was closed before with another digest.
        """
        columns = {"run": run, "generation": generation, "closed": 1, "digest": digest}
        place = (run, generation)
        rows = [(*place, rank, id) for rank, id in enumerate(survivors)]
        with self.writing() as db:
            known = {row.number: row.digest for row in self.reader.generations(run) if row.closed}
            if known.get(generation, digest) != digest:
                raise RunMismatch(f"run {run}: generation {generation} came out differently")
            insert(db, "generations", replacing(columns), **columns)
            db.execute("DELETE FROM population WHERE run = ? AND generation = ?", place)
            db.executemany("INSERT INTO population VALUES (?, ?, ?, ?)", rows)
            if generation >= max(known, default=generation):
                update(db, "runs", run, best=best)

    def thin(self, run: int, programs: Sequence[str]) -> None:
        """Give up most actions of programs that did not survive."""
        if programs:
            with self.writing() as db:
                for program in programs:
                    thin(db, run, program)

    def record_selection(
        self, run: int, name: str, measured: Sequence[tuple[str, str]], best: str
    ) -> None:
        """The finalists of a run with the keys of their evaluations on a set, and its winner.

        Instead of those that were chosen from when the run had ended before.
        """
        with self.writing() as db:
            db.execute("DELETE FROM selections WHERE run = ?", (run,))
            for place, (candidate, key) in enumerate(measured):
                evaluation = self._row_of("evaluations", run, key)
                columns = {"run": run, "place": place, "candidate": candidate, "instances": name}
                insert(db, "selections", **columns, evaluation=evaluation)
            update(db, "runs", run, best=best)

    def inherit(self, run: int, source: int) -> int:
        """Give a forked run what `source` had when it last closed a generation; returns which.

        Candidates keep their ids, costs and diagnostics. Calls are not copied: the fork has not
        paid them. Does nothing the second time. Raises StoreError when none was ever closed.
        """
        with self.writing() as db:
            taken = self.reader.run(run).forked_at
            if taken is not None:
                return taken
            closed = [row.number for row in self.reader.generations(source) if row.closed]
            if not closed:
                raise StoreError(f"run {source} has closed no generation; start a new run")
            for query in _INHERIT:
                db.execute(query, (run, source, closed[-1]))
            best = self.reader.run(source).best
            update(db, "runs", run, best=best, forked_at=closed[-1])
        return closed[-1]

    def _row_of(self, table: str, run: int, key: str | None) -> int | None:
        """Row id behind a content key: a candidate keeps the very row that its run saw."""
        if key is None:
            return None
        rows = self.reader.keyed(table, run, key)
        if not rows:
            raise StoreError(f"run {run}: record the {table} before the candidate")
        return int(rows[0]["id"])


def _refuse_another(earlier: CallRow, sha: str) -> None:
    """A call keeps its question and is asked once."""
    place = f"{earlier.key.purpose} call of generation {earlier.key.generation}"
    if earlier.request_sha not in (sha, WITHDRAWN):
        raise RunMismatch(f"run {earlier.key.run}: the {place} would ask something else now")
    if earlier.state == "done":
        raise StoreError(f"run {earlier.key.run}: the {place} is answered already")


def _text(failure: Failure | None) -> str | None:
    return None if failure is None else codec.encode(failure)
