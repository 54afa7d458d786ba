"""What a run gives up as it continues: most recorded actions of programs that did not survive.

They are most of a store, hardly to be compressed, and found again by running the program. Seeds,
and members of the last population of any run, keep theirs; any other program keeps those that lead
to the states in which it is shown, so that these can be drawn.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from engine.domain.text import codec
from engine.domain.values import Candidate, Program, Request
from engine.store.rows import ACTIONS
from engine.store.transaction import Writing

PIECE = 100
"""Rows of an older store that are made smaller in one transaction."""

_FULL = """
SELECT e.id, e.actions, d.cases, f.content
FROM candidates c JOIN evaluations e ON e.id = c.evaluation
LEFT JOIN diagnostics d ON d.id = c.diagnostics LEFT JOIN facts f ON f.id = c.facts
WHERE c.run = ? AND c.id = ? AND NOT e.thinned AND NOT EXISTS (
  SELECT 1 FROM candidates o WHERE o.evaluation = e.id AND (o.generation = 0 OR EXISTS (
    SELECT 1 FROM population p WHERE p.run = o.run AND p.candidate = o.id AND p.generation =
      (SELECT max(generation) FROM generations g WHERE g.run = o.run AND closed))))
"""
_KEPT = "UPDATE evaluations SET actions = ?, thinned = 1 WHERE id = ?"


def thin(db: sqlite3.Connection, run: int, id: str) -> None:
    """Give up actions of one program, unless it is to keep them; in the caller's transaction."""
    row = db.execute(_FULL, (run, id)).fetchone()
    if row is None:
        return
    evaluation, actions, cases, facts = row
    shown = _find_steps(cases, facts)
    walks = codec.decode(ACTIONS, codec.unpack(actions))
    kept = tuple(walk[: shown.get(instance, 0)] for instance, walk in enumerate(walks))
    db.execute(_KEPT, (codec.pack(codec.encode(kept, ACTIONS)), evaluation))


def outline_request(request: Request) -> Request:
    """A request as it is kept: of each program what names it, for the rest stands in its row."""
    recipes = (
        replace(recipe, parents=tuple(map(_outline, recipe.parents))) for recipe in request.recipes
    )
    population = tuple(map(_outline, request.population))
    return replace(request, recipes=tuple(recipes), population=population)


def _outline(candidate: Candidate) -> Candidate:
    program = Program("", "", candidate.program.hash)
    return Candidate(
        candidate.id, program, candidate.operator, candidate.generation, candidate.slot
    )


def shrink_rows(writing: Writing, runs: list[int]) -> None:
    """Make what older versions kept of runs as small as it is kept now, piece by piece.

    A piece is a transaction: what is done by then stays done. Raises ValueError for damaged rows.
    """
    for run in runs:
        for calls in _pieces(writing, "SELECT id FROM calls WHERE run = ? ORDER BY id", run):
            with writing() as db:
                for (call,) in calls:
                    _outline_call(db, call)
        for programs in _pieces(writing, "SELECT id FROM candidates WHERE run = ?", run):
            with writing() as db:
                for (id,) in programs:
                    thin(db, run, id)


def _pieces(writing: Writing, query: str, run: int) -> Iterator[list[tuple[str]]]:
    with writing() as db:
        rows = [tuple(row) for row in db.execute(query, (run,)).fetchall()]
    for first in range(0, len(rows), PIECE):
        yield rows[first : first + PIECE]


def _outline_call(db: sqlite3.Connection, call: str) -> None:
    (blob,) = db.execute("SELECT request FROM calls WHERE id = ?", (call,)).fetchone()
    text = codec.encode(outline_request(codec.decode(Request, codec.unpack(blob))))
    packed = codec.pack(text)
    if len(packed) < len(blob):
        db.execute("UPDATE calls SET request = ? WHERE id = ?", (packed, call))


def _find_steps(cases: bytes | None, facts: bytes | None) -> dict[int, int]:
    """How many actions lead to and out of the last state that is shown, by instance."""
    shown = [] if cases is None else json.loads(codec.unpack(cases))
    shown += [] if facts is None else json.loads(codec.unpack(facts))["scenes"]
    steps: dict[int, int] = {}
    for state in shown:
        steps[state["instance"]] = max(steps.get(state["instance"], 0), state["step"] + 1)
    return steps
