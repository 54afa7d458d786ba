"""Runs and studies as flat rows, a plain value by the name of its column: what frames take.

All rows of a table have the same columns, None where there is no value. What they mean is told
where they are asked for, in `Run.table` and `Study.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from statistics import stdev
from typing import Any

from engine.domain.events import KINDS, Event, write_fact
from engine.domain.names import name_variant
from engine.domain.records import BEST_KNOWN, Measurement, RunRow
from engine.domain.values import Candidate
from engine.monitor.event_stream import EventStream
from engine.store.reader import Reader, status
from problems.errors import UnknownName

Frame = list[dict[str, Any]]
Tables = Mapping[str, Callable[[Reader, int], Frame]]

_OWN = dict.fromkeys(field.name for kind in KINDS.values() for field in fields(kind))
"""What any event may say, and says nothing of unless it is of that kind."""


def read_table(reader: Reader, tables: Tables, of: str, number: int) -> Frame:
    """A table of a run or a study of that number. Raises UnknownName for one that is none."""
    if of not in tables:
        raise UnknownName("table", of, tables)
    return tables[of](reader, number)


def _programs(reader: Reader, run: int) -> Frame:
    return [_program(candidate) for candidate in reader.candidates(run)]


def _program(one: Candidate) -> dict[str, Any]:
    names = ("id", "generation", "slot", "operator", "writer", "cost", "selection_cost")
    found = one.diagnostics
    return {name: getattr(one, name) for name in names} | {
        "parents": " ".join(one.parents),
        "agreement": one.agreement,
        "value": None if found is None else found.value,
        "milliseconds": None if one.pace is None else 1000 * one.pace,
        "seconds": one.cpu,
        "failure": None if one.failure is None else one.failure.kind,
        "message": None if one.failure is None else one.failure.message,
        "idea": one.program.idea,
        "code": one.program.code,
    }


def _events(reader: Reader, run: int) -> Frame:
    return [_event(event) for event in EventStream(reader, run).news()]


def _event(event: Event) -> dict[str, Any]:
    place = {
        "number": event.id,
        "time": event.time,
        "kind": event.kind,
        "generation": event.generation,
        "slot": event.slot,
    }
    return place | _OWN | write_fact(event.fact)


def _held_out_of_run(reader: Reader, run: int) -> Frame:
    row = reader.run(run)
    study = reader.study_of(run)
    known = () if study is None else reader.measurements(study)
    return _held_out(reader, reader.run_measurements(run), known, {run: row})


def _held_out_of_study(reader: Reader, study: int) -> Frame:
    found = reader.measurements(study)
    rows = {row.number: row for row in reader.study_runs(study).values()}
    return _held_out(reader, found, found, rows)


def _held_out(
    reader: Reader,
    found: Iterable[Measurement],
    study: Iterable[Measurement],
    rows: Mapping[int, RunRow],
) -> Frame:
    """What was measured; what is best known of the sets is read off what a `study` measured."""
    best = {(one.problem, one.set): one.mean for one in study if one.solver == BEST_KNOWN}
    seeds = {run: row.spec.seed for run, row in rows.items()}
    ids = {
        run: {one.program.hash: one.id for one in reversed(reader.outlines(run))} for run in rows
    }
    return [
        {
            "run": one.run,
            "method": one.method or None,
            "seed": seeds.get(one.run or 0),
            "problem": one.problem,
            "set": one.set,
            "kind": one.kind,
            "solver": ids.get(one.run or 0, {}).get(one.solver, one.solver),
            "count": len(one.costs),
            "solved": sum(cost is not None for cost in one.costs),
            "mean": one.mean,
            "error": _error(one.costs),
            "gap": _gap(one.mean, best.get((one.problem, one.set))),
            "seconds": one.seconds,
        }
        for one in found
    ]


def _error(costs: tuple[float | None, ...]) -> float | None:
    """The standard error of the mean; None where one is missing, or there is no other."""
    known = [cost for cost in costs if cost is not None]
    if len(known) < max(2, len(costs)):
        return None
    return float(stdev(known) / len(known) ** 0.5)


def _gap(mean: float | None, best: float | None) -> float | None:
    return None if mean is None or not best else 100 * (mean - best) / abs(best)


def _runs(reader: Reader, study: int) -> Frame:
    measured = reader.measurements(study)
    return [_run(reader, row, measured) for row in reader.study_runs(study).values()]


def _run(reader: Reader, row: RunRow, measured: Iterable[Measurement]) -> dict[str, Any]:
    spec = row.spec
    totals = reader.totals(row.number)
    tokens = totals.tokens_in + totals.tokens_out
    best = None if row.best is None else reader.outline(row.number, row.best)
    own = [one for one in measured if one.run == row.number and one.method == spec.label]
    first = own[0] if own else None
    return {
        "run": row.number,
        "method": spec.label,
        "seed": spec.seed,
        "problem": name_variant(spec.problem),
        "status": status(row),
        "cost": None if best is None else best.cost,
        "set": None if first is None else first.set,
        "held_out": None if first is None else first.mean,
        "calls": totals.calls,
        "tokens": tokens,
        "usd": None if totals.unpriced and tokens else totals.usd,
        "seconds": row.seconds,
    }


RUN_TABLES: Tables = {"programs": _programs, "events": _events, "held-out": _held_out_of_run}
STUDY_TABLES: Tables = {"runs": _runs, "held-out": _held_out_of_study}
"""What there is a table of, by its name."""
