"""Reading the run store, live or long after: what every screen and every command shows.

A reader never writes and never holds a transaction open between calls, so it neither disturbs an
engine nor keeps the WAL from shrinking.
"""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from engine import codec, connection, identity
from engine.config import Caps, RunSpec
from engine.identity import Identity
from engine.rows import (
    BriefRow,
    CallKey,
    CallRow,
    DiagnosticsRow,
    Event,
    Exchange,
    GenerationRow,
    Provenance,
    RunRow,
    Totals,
)
from engine.types import Brief, Candidate, Case, Diagnostics, Evaluation, Failure, Program
from engine.types import Reply, Request
from problems.errors import StoreError, UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from engine.rows import Liveness, Status

HUNG = 15.0
"""Seconds without a heartbeat after which a living engine counts as hung."""

_TOTALS = """
SELECT count(*) FILTER (WHERE billed != 'no') + ifnull(sum(lost), 0),
       count(*) FILTER (WHERE billed = 'maybe') + ifnull(sum(lost), 0),
       ifnull(sum(tokens_in), 0), ifnull(sum(tokens_out), 0), ifnull(sum(usd), 0.0),
       count(*) FILTER (WHERE state = 'done' AND usd IS NULL)
FROM calls WHERE run = ?
"""
_EVALUATED = """
SELECT count(*), ifnull(sum(e.cpu), 0.0)
FROM candidates c JOIN evaluations e ON e.id = c.evaluation WHERE c.run = ?
"""
_CANDIDATES = """
SELECT c.*, p.hash, p.code, e.costs, d.agreement, d.chance, d.stderr, d.value, d.percentile,
       d.states, d.tied, d.dropped, d.cases
FROM candidates c JOIN programs p ON p.sha = c.program
LEFT JOIN evaluations e ON e.id = c.evaluation LEFT JOIN diagnostics d ON d.id = c.diagnostics
"""


class Reader:
    """A run store opened to read; use it in one thread, close it or leave its `with` block.

    A missing file reads as a store without runs, and as itself once it exists. Methods that
    take a run raise UnknownName when there is no such run only where they say so; all raise
    StoreError when the file cannot be read, and StoreForeign when it is none of ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._empty = False
        self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; a closed reader cannot be used again."""
        if self._db is not None:
            self._db.close()

    def newer(self) -> tuple[str, ...]:
        """Schema steps unknown to this version: a newer one wrote the store, look but not touch."""
        raise NotImplementedError

    def data_version(self) -> int:
        """A number that changes whenever another process has written; 0 before the store exists."""
        raise NotImplementedError

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, newest first."""
        raise NotImplementedError

    def run(self, run: int) -> RunRow:
        """One run. Raises UnknownName."""
        raise NotImplementedError

    def latest(self) -> RunRow | None:
        """The newest run."""
        raise NotImplementedError

    def totals(self, run: int) -> Totals:
        """What a run has used so far."""
        raise NotImplementedError

    def generations(self, run: int) -> tuple[GenerationRow, ...]:
        """The generations opened so far, in order."""
        raise NotImplementedError

    def population(self, run: int, generation: int | None = None) -> tuple[Candidate, ...]:
        """Survivors of a closed generation (the last one by default), in their order."""
        raise NotImplementedError

    def candidates(self, run: int, generation: int | None = None) -> tuple[Candidate, ...]:
        """All candidates of a run, or of one generation, by generation and slot."""
        raise NotImplementedError

    def candidate(self, run: int, id: str) -> Candidate:
        """One candidate with code and diagnostics. Raises UnknownName."""
        raise NotImplementedError

    def briefs(self, run: int) -> tuple[BriefRow, ...]:
        """All briefs by generation and slot."""
        raise NotImplementedError

    def events(self, run: int, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events with an id above `after`, oldest first."""
        raise NotImplementedError

    def calls(self, run: int) -> tuple[CallRow, ...]:
        """All calls of a run in the order they were first sent."""
        raise NotImplementedError

    def call(self, key: CallKey) -> CallRow | None:
        """One call, or None when it was never sent."""
        raise NotImplementedError

    def exchanges(self, run: int, generation: int, slot: int) -> tuple[Exchange, ...]:
        """The calls at one place together with their prompts, in the order they were sent."""
        raise NotImplementedError

    def evaluation(self, run: int, key: str) -> Evaluation | None:
        """The evaluation recorded under a content key, the run's own before a shared one."""
        raise NotImplementedError

    def diagnostics(self, run: int, key: str) -> DiagnosticsRow | None:
        """The diagnostics recorded under a content key, the run's own before shared ones."""
        raise NotImplementedError

    def settled(self, run: int) -> frozenset[str]:
        """Ids of the control commands that an engine has dealt with."""
        raise NotImplementedError


def liveness(row: RunRow, now: float | None = None) -> Liveness:
    """Whether the engine of a run beats, hangs or is gone; `now` in Unix seconds."""
    raise NotImplementedError


def status(row: RunRow, now: float | None = None) -> Status:
    """The run's state as shown: `interrupted` when its engine vanished before the end."""
    raise NotImplementedError
