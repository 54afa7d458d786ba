"""Rows of SQLite to the values of the engine: one function per kind of row.

What a model wrote or a fault said comes back clean, whoever stored it. Names, and what was asked
and answered, come back as they were recorded: other rows and a run that continues refer to them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from sqlite3 import Row
from typing import Any

import msgspec

from engine.domain.events import KINDS, Event, Fact, read_fact
from engine.domain.records import (
    CallKey,
    CallRow,
    Finalist,
    Identity,
    Label,
    Measurement,
    Provenance,
    RunRow,
    StudyRow,
)
from engine.domain.search_state import BriefRow
from engine.domain.specs.settings import Caps, RunSpec, option_names
from engine.domain.specs.study import StudySpec
from engine.domain.text import codec
from engine.domain.text.plain_text import clean, clean_all
from engine.domain.tuning import Trial, Tuning
from engine.domain.values import (
    Advice,
    Brief,
    Candidate,
    Case,
    ChoiceProfile,
    Diagnostics,
    DiagnosticsRow,
    Evaluation,
    Facts,
    FactsRow,
    Failure,
    Program,
    RealFigures,
    Reply,
    Request,
)

_CANDIDATES = """
SELECT c.*, p.hash, p.code, e.costs, e.cpu, d.agreement, d.chance, d.stderr, d.value,
       d.percentile, d.states, d.tied, d.dropped, d.advice, d.real, w.cost AS selection_cost,
       {} AS content, {} AS cases, {} AS profile
FROM candidates c JOIN programs p ON p.sha = c.program
LEFT JOIN evaluations e ON e.id = c.evaluation LEFT JOIN diagnostics d ON d.id = c.diagnostics
LEFT JOIN facts f ON f.id = c.facts
LEFT JOIN selections m ON m.run = c.run AND m.candidate = c.id
LEFT JOIN evaluations w ON w.id = m.evaluation
"""
CANDIDATES = _CANDIDATES.format("f.content", "d.cases", "d.profile")
"""The columns that `candidate` reads; the caller adds WHERE and ORDER BY."""

OUTLINES = _CANDIDATES.format("NULL", "NULL", "NULL")
"""The same without what takes long to decode and no list shows."""

FINALISTS = """
SELECT m.run, m.place, m.candidate, m.instances, e.*
FROM selections m JOIN evaluations e ON e.id = m.evaluation
"""
"""The columns that `finalist` reads; the caller adds WHERE and ORDER BY."""

NAMES = tuple[str, ...]
COSTS = tuple[float | None, ...]
ACTIONS = tuple[tuple[int, ...], ...]
CASES = tuple[Case, ...]
FAILURES = tuple[Failure, ...]
TRIALS = tuple[Trial, ...]
CALL_KEY = tuple(field.name for field in fields(CallKey))
"""Columns of `calls` that hold a CallKey, named as its fields."""

_BLOBS = ("cases", "profile", "advice", "real")
NUMBERS = tuple(f.name for f in fields(Diagnostics) if f.name not in _BLOBS)
"""Columns of `diagnostics`, named as the fields that they hold."""


def run(row: Row) -> RunRow:
    """A row of `runs`."""
    caps = Caps(*(row[f"cap_{cap.name}"] for cap in fields(Caps)))
    return RunRow(
        number=row["run"],
        spec=replace(read_spec(row["spec"]), caps=caps),
        provenance=Provenance(row["code"], row["design"], row["fingerprint"]),
        settings_sha=row["settings_sha"],
        best=row["best"],
        forked_from=row["forked_from"],
        forked_at=row["forked_at"],
        label=read_label(row),
        **_job(row),
    )


def read_spec(text: str) -> RunSpec:
    """The specification of a run, also of one that asked for what is gone.

    Of several teachers the first counts, and settings that mean nothing any more are left out.
    """
    spec = codec.decode(RunSpec, _without_gone(text))
    return replace(spec, teacher=spec.teacher.partition(",")[0])


def _without_gone(text: str) -> str:
    """A specification without the words of settings that are gone; of options `decode` knows."""
    return text.replace('"align":"real",', "")


def read_label(row: Row) -> Label:
    """Name and tags in one line each, whoever wrote them."""
    name = " ".join(clean(row["name"]).split())
    return Label(name, clean(row["note"]), tuple(clean(row["tags"]).split()))


def study(row: Row) -> StudyRow:
    """A row of `studies`."""
    return StudyRow(
        number=row["study"],
        name=row["name"],
        spec=_read_study(row["spec"]),
        **_job(row),
    )


def _read_study(text: str) -> StudySpec:
    """The specification of a study, without settings that are gone."""
    spec = codec.decode(StudySpec, _without_gone(text))
    known = option_names()
    arms = []
    for arm in spec.arms:
        pairs = (p for p in arm.settings if p[0] in known and p != ("align", "real"))
        arms.append(replace(arm, settings=tuple(pairs)))
    return replace(spec, arms=tuple(arms))


def measurement(row: Row) -> Measurement:
    """A row of `measurements`; with the columns `run` and `method` of a finding, if any."""
    return Measurement(
        problem=row["problem"],
        set=row["instances"],
        solver=row["solver"],
        kind=row["kind"],
        costs=_unpacked(COSTS, row["costs"]),
        seconds=row["seconds"],
        device=row["device"],
        failures=tuple(map(_clean_failure, codec.decode(FAILURES, row["failures"]))),
        run=row["run"] or None,
        method=row["method"],
    )


def candidate(row: Row) -> Candidate:
    """A row of `CANDIDATES`."""
    return Candidate(
        id=row["id"],
        program=Program(clean(row["idea"]), clean(row["code"]), row["hash"]),
        operator=row["operator"],
        generation=row["generation"],
        slot=row["slot"],
        parents=codec.decode(NAMES, row["parents"]),
        cost=row["cost"],
        costs=_unpacked(COSTS, row["costs"]) or (),
        diagnostics=None if row["agreement"] is None else _diagnostics(row),
        behaviour=row["behaviour"],
        failure=_failure(row["failure"]),
        facts=_unpacked(Facts, row["content"]),
        cpu=row["cpu"] or 0.0,
        decisions=row["decisions"] or 0,
        tuning=None if row["tuning"] is None else _tuning(row["tuning"]),
        selection_cost=row["selection_cost"],
        writer=clean(row["writer"]),
    )


def trials(row: Row) -> tuple[Trial, ...]:
    """A row of `trials`."""
    return tuple(_unpacked(TRIALS, row["outcomes"]))


def evaluation(row: Row) -> Evaluation:
    """A row of `evaluations`."""
    return Evaluation(
        cost=row["cost"],
        costs=_unpacked(COSTS, row["costs"]),
        actions=_unpacked(ACTIONS, row["actions"]),
        failure=_failure(row["failure"]),
        cpu=row["cpu"],
    )


def finalist(row: Row) -> Finalist:
    """A row of `FINALISTS`."""
    found = evaluation(row)
    about = (row["candidate"], row["instances"])
    return Finalist(*about, found.cost, found.costs, found.failure, found.cpu)


def facts(row: Row) -> FactsRow:
    """A row of `facts`."""
    return FactsRow(_unpacked(Facts, row["content"]), cpu=row["cpu"])


def diagnostics(row: Row) -> DiagnosticsRow:
    """A row of `diagnostics`."""
    if row["agreement"] is None:
        return DiagnosticsRow(None, clean(row["failure"]), row["cpu"])
    return DiagnosticsRow(_diagnostics(row), cpu=row["cpu"])


def call(row: Row) -> CallRow:
    """A row of `calls`."""
    return CallRow(
        key=CallKey(*(row[name] for name in CALL_KEY)),
        state=row["state"],
        request_sha=row["request_sha"],
        reply=_unpacked(Reply, row["reply"]),
        billed=row["billed"],
        error=clean(row["error"]),
        sent=row["sent"],
        done=row["done"],
    )


def request(row: Row) -> Request:
    """What the call of a row of `calls` asked."""
    return codec.decode(Request, codec.unpack(row["request"]))


def brief(row: Row) -> BriefRow:
    """A row of `briefs`."""
    text = Brief(clean(row["text"]), row["operator"])
    return BriefRow(row["generation"], row["slot"], text)


def event(row: Row) -> Event:
    """A row of `events`."""
    fact = _fact(row["kind"], row["data"])
    return Event(fact, row["generation"], row["slot"], row["id"], row["time"])


def _fact(kind: str, data: str) -> Fact:
    """Read at once where nothing needs care; in older stores the fields are pairs."""
    plain = _is_plain(data)
    if plain and kind in KINDS and data.startswith("{"):
        with suppress(msgspec.MsgspecError):
            return codec.decode(KINDS[kind], data)
    pairs: Any = codec.decode(Any, data)
    found = dict(pairs)
    return read_fact(clean(kind), found if plain else clean_all(found))


def _job(row: Row) -> dict[str, Any]:
    """What rows of runs and of studies have in common."""
    names = ("state", "heartbeat", "created", "ended", "seconds")
    nobody = row["pid"] is None
    identity = None if nobody else Identity(row["pid"], row["started"], row["boot"])
    known = {name: row[name] for name in names}
    return {"identity": identity, "reason": clean(row["reason"]), **known}


def _diagnostics(row: Row) -> Diagnostics:
    numbers = {name: row[name] for name in NUMBERS}
    return Diagnostics(
        **numbers,
        cases=_unpacked(CASES, row["cases"]) or (),
        profile=_unpacked(ChoiceProfile, row["profile"]),
        advice=_unpacked(Advice, row["advice"]),
        real=_unpacked(RealFigures, row["real"]),
    )


def _is_plain(data: str) -> bool:
    """Whether every text in a JSON document is clean: nothing in it is escaped or unsafe."""
    return "\\" not in data and data.isprintable()


def _tuning(text: str) -> Tuning:
    found: Tuning = codec.decode(Tuning, text)
    names = tuple(replace(one, name=clean(one.name)) for one in found.constants)
    return replace(found, constants=names)


def _unpacked(kind: Any, blob: bytes | None) -> Any:
    return None if blob is None else codec.decode(kind, codec.unpack(blob))


def _failure(text: str | None) -> Failure | None:
    return None if text is None else _clean_failure(codec.decode(Failure, text))


def _clean_failure(found: Failure) -> Failure:
    return replace(found, message=clean(found.message))
