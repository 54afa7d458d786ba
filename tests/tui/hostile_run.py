"""A store and a recording in which every text holds what a terminal would obey.

It is the fixed store, written over as a hostile model, a hostile provider and a version that did
not yet clean would have left it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

from engine.domain.events import CandidateRecorded, Event
from engine.domain.records import Measurement
from engine.domain.specs.study import StudySpec, Task
from engine.domain.status import Job
from engine.domain.text import codec
from engine.domain.text.plain_text import clean
from engine.domain.values import Evaluation, Failure, FailureKind
from engine.store.store import Store
from problems import ProblemRef
from tests.tui import exhibit

SEQUENCES = (
    "\x1b]0;PWNED\x07",  # the window's title
    "\x1b]52;c;UFdORUQ=\x07",  # the clipboard
    "\x1b[2J\x1b[1;1HPWNED",  # clears the screen and writes at its top
    "\x1bc",  # resets the terminal
    "\x1bPtmux;\x1bPWNED\x1b\\",
    "\x9b2J\x9d0;PWNED\x9c\x90PWNED\x9c",  # the same in C1
    "\u202ePWNED\u2066\u200f\u061c",
    "\r\x08\x7f\x00\u2028\ufeff",
)
ATTACK = "".join(SEQUENCES)
WIDE = "漢字 e" + "\u0301" * 40
MARKUP = "[red]\\[/red][@click=app.leave]x[/]"
IDEA = f"{ATTACK} {WIDE} {'long ' * 2000} {MARKUP} {ATTACK}"
CODE = f'# {ATTACK}\ndef score(feature, state):\n    """漢字"""\n    return 1.0  # [b]{ATTACK}\n'

_TEXTS = {
    "candidates": ("idea",),
    "briefs": ("text",),
    "calls": ("error", "model"),
    "runs": ("reason", "writer", "analyzer", "teacher", "code", "design", "note"),
    "diagnostics": ("failure",),
    "studies": ("reason",),
    "measurements": ("device",),
}
"""Columns of text that nothing else refers to."""

_KINDS = get_args(FailureKind)

CROWDED, EMPTY = 5, 6
"""Runs of a store with a crowd."""

AT_ONCE = 100
"""Programs of a generation of the crowd."""


def build(db: Path, crowd: int = 0) -> None:
    """The fixed store and a study, then every text of it written over.

    With a `crowd`, there are also run `CROWDED`, which has so many programs more or less, and run
    `EMPTY`, which has none.
    """
    exhibit.build(db)
    with Store(db) as store:
        if crowd:
            _crowd(store, crowd)
        task = Task(ProblemRef("jssp"), teacher="offline-l2d")
        study = store.jobs.create_study(StudySpec(f"study {ATTACK}", (task,), ("ours",)))
        failed = (Failure("exception", ATTACK),)
        found = Measurement(
            f"jssp{ATTACK}", ATTACK, ATTACK, "program", (None,), 1.0, ATTACK, failed, 3, ATTACK
        )
        store.study_log.record_measurement(study, "key", found)
    with closing(sqlite3.connect(db, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute("BEGIN")
        for table, names in _TEXTS.items():
            for name in names:
                raw.execute(f"UPDATE {table} SET {name} = ?", (IDEA,))
        _write_over_programs(raw)
        _write_over_json(raw)
        raw.execute("COMMIT")


def _crowd(store: Store, programs: int) -> None:
    """A run of many programs, of which a fifth fails, and a run that has only begun."""
    store._db.execute("PRAGMA synchronous = OFF")  # a power cut would cost a test, no run
    clock = exhibit.Clock(exhibit.NOW)
    with patch("time.time", clock):
        curator = exhibit.begin(store, clock, "ours", 7)
        curator.plant()
        for generation in range(1, programs // AT_ONCE + 1):
            curator.open(generation)
            _breed(curator, generation)
            curator.close(generation)
        store.jobs.release(Job("run", curator.run), "done")
        exhibit.begin(store, clock, "ours", 8)


def _breed(curator: exhibit.Curator, generation: int) -> None:
    """A generation of the crowd: five programs, each many times."""
    log = curator.store.search_log
    drawn = [curator.candidate(generation, slot, "s", curator.pick("s")) for slot in range(5)]
    for slot in range(AT_ONCE):
        made = drawn[slot % len(drawn)]
        one = replace(made, id=f"p{generation:02d}{slot:02d}x", slot=slot, diagnostics=None)
        key = f"evaluation {curator.run} {one.id}"
        found = Evaluation(one.cost, one.costs, ((0, 1),), one.failure, 0.42)
        log.record_evaluation(curator.run, key, found, program="h", design="d", evaluator="e")
        log.record_candidate(curator.run, one, key, None)
        fact = CandidateRecorded(one.id, one.operator, one.cost)
        log.record_events(curator.run, [Event(fact, generation, slot)])
        curator.made.append(one)


def _write_over_programs(raw: sqlite3.Connection) -> None:
    """Each goes by its new text, as if it had been recorded so."""
    for sha, code in raw.execute("SELECT sha, code FROM programs").fetchall():
        hostile = CODE + code
        named = hashlib.sha256(hostile.encode()).hexdigest()
        raw.execute("UPDATE programs SET sha = ?, code = ? WHERE sha = ?", (named, hostile, sha))
        raw.execute("UPDATE candidates SET program = ? WHERE program = ?", (named, sha))


def _write_over_json(raw: sqlite3.Connection) -> None:
    """Texts inside of JSON: there an escape is written in letters."""
    for run, text in raw.execute("SELECT run, spec FROM runs").fetchall():
        spec = json.loads(text)
        spec |= {"writer": f"openai:{ATTACK}", "analyzer": ATTACK, "teacher": f"{ATTACK}.py"}
        spec |= {"extra_seeds": [{"name": f"{ATTACK}.py", "idea": IDEA, "code": CODE}]}
        if run in (exhibit.LOST, exhibit.FAILED):
            spec |= {"method": ATTACK}
            spec["problem"] |= {"name": f"./shop{ATTACK}", "options": [["size", ATTACK]]}
        raw.execute("UPDATE runs SET spec = ? WHERE run = ?", (json.dumps(spec), run))
    for number, (run, id) in enumerate(
        raw.execute("SELECT run, id FROM candidates WHERE failure IS NOT NULL").fetchall()
        + raw.execute("SELECT run, id FROM candidates WHERE cost > 1590").fetchall()
    ):
        failure = codec.encode(Failure(_KINDS[number % len(_KINDS)], IDEA, 1))
        columns = "cost = NULL, operator = ?, failure = ?"
        query = f"UPDATE candidates SET {columns} WHERE run = ? AND id = ?"
        raw.execute(query, (f"s{ATTACK}", failure, run, id))
    for id, text in raw.execute("SELECT id, data FROM events").fetchall():
        data = {name: _attacked(value, name) for name, value in json.loads(text).items()}
        raw.execute("UPDATE events SET data = ? WHERE id = ?", (json.dumps(data), id))
    for id, request, reply in raw.execute("SELECT id, request, reply FROM calls").fetchall():
        raw.execute(
            "UPDATE calls SET request = ?, reply = ? WHERE id = ?",
            (_blob(request), reply and _blob(reply), id),
        )
    for run in (exhibit.DONE, exhibit.LIVE):
        note = json.dumps({"text": ATTACK})
        columns = "run, time, kind, generation, slot, data"
        query = f"INSERT INTO events ({columns}) VALUES (?, ?, ?, 1, 0, ?)"
        raw.execute(query, (run, exhibit.NOW, ATTACK, note))


def _attacked(value: Any, name: str) -> Any:
    """A text of an event, unless other rows or events refer to it."""
    kept = name in ("program", "best", "purpose", "source", "failure", "status")
    return value if kept or not isinstance(value, str) else f"{value}{ATTACK}"


def _blob(packed: bytes) -> bytes:
    """A request or a reply, every text that was written or read in it attacked."""
    found = json.loads(codec.unpack(packed))
    for message in found.get("messages", ()):
        message["content"] += ATTACK
    for name in ("text", "model", "raw"):
        if name in found:
            found[name] = f"{found[name]}{ATTACK}"
    return codec.pack(json.dumps(found))


_POINTER = re.compile("\x1b]22;\\w*\x07")
"""The shape of the mouse's pointer, which Textual sets."""


def trouble(heard: str) -> list[str]:
    """The attacks, or parts of them, that what a screen wrote to a terminal holds."""
    heard = _POINTER.sub("", heard)
    lone = [character for character in "\x07\x08\x7f\x00" if character in heard]
    marks = sorted({c for c in heard if c > "\x7f" and clean(c) != c})
    return [*map(ascii, (one for one in SEQUENCES[:5] if one in heard)), *lone, *marks]
