"""The JSON of the run commands (docs/schema): frozen values in, plain documents out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.domain.events import write_fact
from engine.domain.specs.settings import describe_settings
from engine.monitor.run_result import natural_objective
from engine.monitor.run_summary import planned_generations
from tui.json.tune import describe_tuning
from tui.text.formatting import in_milliseconds, stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.events import Event
    from engine.domain.records import Exchange, RunRow
    from engine.domain.values import Candidate, Case, Diagnostics
    from engine.monitor.run_result import RunResult
    from engine.monitor.run_summary import RunEntry, RunSummary
Document = dict[str, Any]


def describe_start(row: RunRow) -> Document:
    """The first line of `run --json`: every setting, so that the output stands alone."""
    return {"event": "run", "run": row.number, "settings": describe_settings(row.spec)}


def describe_event(event: Event, run: int) -> Document:
    """One line of `run --json`: when, what, where, and the event's own facts."""
    place = {"generation": event.generation, "slot": event.slot}
    known = {name: value for name, value in place.items() if value is not None}
    return {"event": event.kind, "run": run, "time": stamp(event.time), **known} | write_fact(
        event.fact
    )


def describe_result(result: RunResult) -> Document:
    """The last line of `run --json` (design 10)."""
    best = result.best
    return {
        "event": "run-ended",
        "run": result.row.number,
        "status": result.status,
        "best": None if best is None else describe_best(best, result.objective),
        "selection": _describe_selection(result),
        "quick": _describe_quick(result),
        "near_limit": result.near_limit,
        "seed_cost": result.seed_cost,
        "teacher_objective": result.teacher_objective,
        "teacher_silence": result.silence,
        "teacher": _describe_teacher(result),
        "population": [_describe_survivor(survivor) for survivor in result.population],
        "calls": result.totals.calls,
        "evaluations": result.totals.evaluations,
        "seconds": result.row.seconds,
    }


def describe_best(best: Candidate, objective: float | None) -> Document:
    """The program that a run returns."""
    return {
        "program": best.id,
        "cost": best.cost,
        "objective": objective,
        "selection_cost": best.selection_cost,
        "agreement": best.agreement,
        "cpu": best.cpu,
        "milliseconds": in_milliseconds(best.pace),
        "idea": best.program.idea,
        "code": best.program.code,
    }


def _describe_selection(result: RunResult) -> Document | None:
    """The set on which the winner was chosen, and among whom; None where it was not."""
    if not result.finalists:
        return None
    first = result.finalists[0]
    return {
        "set": first.set,
        "instances": len(first.costs),
        "objective": result.selection_objective,
        "finalists": [
            {
                "program": one.program,
                "cost": one.cost,
                "costs": list(one.costs),
                "failure": None if one.failure is None else asdict(one.failure),
            }
            for one in result.finalists
        ],
    }


def _describe_quick(result: RunResult) -> list[Document]:
    """The best program under each time a decision."""
    return [
        {
            "under": in_milliseconds(one.limit),
            "program": one.program.id,
            "cost": one.program.cost,
            "milliseconds": in_milliseconds(one.program.pace),
        }
        for one in result.quick
    ]


def _describe_survivor(candidate: Candidate) -> Document:
    return {
        "program": candidate.id,
        "cost": candidate.cost,
        "selection_cost": candidate.selection_cost,
        "agreement": candidate.agreement,
        "milliseconds": in_milliseconds(candidate.pace),
        "operator": candidate.operator,
        "writer": candidate.writer,
        "parents": list(candidate.parents),
    }


def _describe_teacher(result: RunResult) -> Document | None:
    """How the run's teacher stands."""
    teacher = result.teacher
    if teacher is None:
        return None
    return {
        "name": teacher.name,
        "objective": natural_objective(result.row, teacher.cost),
        "agreement": teacher.agreement,
        "advice": teacher.advice and asdict(teacher.advice),
    }


def describe_title(run: RunEntry | RunResult) -> Document:
    """Which run it is, and its status."""
    spec = run.row.spec
    return {
        "run": run.row.number,
        "status": run.status,
        "problem": spec.problem.name,
        "method": spec.method,
        "seed": spec.seed,
    }


def describe_entry(entry: RunEntry) -> Document:
    """One run of `runs --json`."""
    row = entry.row
    best = entry.best
    return {
        **describe_title(entry),
        "name": row.label.name,
        "tags": list(row.label.tags),
        "writer": row.spec.writer,
        "generation": entry.generation,
        "generations": planned_generations(row, entry.generation),
        "best": None if best is None else _describe_survivor(best),
        "calls": entry.calls,
        **_describe_times(row),
        "study": entry.study,
    }


def _describe_times(row: RunRow) -> Document:
    return {
        "started": stamp(row.created),
        "ended": stamp(row.ended),
        "seconds": row.seconds,
        "forked_from": row.forked_from,
    }


def describe_run(summary: RunSummary) -> Document:
    """`show RUN --json`."""
    result = summary.result
    row = result.row
    best = result.best
    return {
        "run": row.number,
        "status": result.status,
        "reason": row.reason,
        "label": asdict(row.label),
        "settings": describe_settings(row.spec),
        "provenance": asdict(row.provenance),
        "generation": summary.generation,
        **_describe_times(row),
        "totals": asdict(result.totals),
        "best": None if best is None else describe_best(best, result.objective),
        "selection": _describe_selection(result),
        "quick": _describe_quick(result),
        "near_limit": result.near_limit,
        "seed_cost": result.seed_cost,
        "teacher_objective": result.teacher_objective,
        "teacher_silence": result.silence,
        "teacher": _describe_teacher(result),
        "population": [
            {**_describe_survivor(c), "diagnostics": describe_diagnostics(c.diagnostics)}
            for c in result.population
        ],
        "operators": [asdict(entry) for entry in summary.yields],
        "writers": [asdict(entry) for entry in summary.writers],
        "failures": dict(summary.failures),
    }


def describe_program(
    run: int,
    candidate: Candidate,
    objective: float | None,
    exchanges: Sequence[Exchange],
    speed: str,
    teacher: str,
) -> Document:
    """`show RUN PROGRAM --json`; `speed` says whether the program is compiled."""
    failure = candidate.failure
    return {
        "run": run,
        **describe_best(candidate, objective),
        "costs": list(candidate.costs),
        "operator": candidate.operator,
        "writer": candidate.writer,
        "generation": candidate.generation,
        "slot": candidate.slot,
        "speed": speed,
        "parents": list(candidate.parents),
        "failure": None if failure is None else asdict(failure),
        "facts": None if candidate.facts is None else asdict(candidate.facts),
        "teacher": teacher or None,
        "diagnostics": describe_diagnostics(candidate.diagnostics),
        "tuning": candidate.tuning and describe_tuning(candidate.tuning),
        "exchanges": [_describe_exchange(exchange) for exchange in exchanges],
    }


def describe_diagnostics(diagnostics: Diagnostics | None) -> Document | None:
    """A teacher's diagnostics, cases with their fields by name."""
    if diagnostics is None:
        return None
    cases = [describe_case(case) for case in diagnostics.cases]
    return {**asdict(diagnostics), "cases": cases}


def describe_case(case: Case) -> Document:
    """One case, fields by name."""
    names = [name for name, _ in case.chosen_fields]
    return {
        **asdict(case),
        "chosen_fields": dict(case.chosen_fields),
        "preferred_fields": dict(case.preferred_fields),
        "alternatives": [
            {
                "action": other.action,
                "score": other.score,
                "fields": dict(zip(names, other.values, strict=True)),
            }
            for other in case.alternatives
        ],
    }


def _describe_exchange(exchange: Exchange) -> Document:
    call = exchange.call
    request = exchange.request
    return {
        "role": request.role,
        "attempt": call.key.attempt,
        "messages": [asdict(message) for message in request.messages],
        "billed": call.billed,
        "error": call.error or None,
        "reply": None if call.reply is None else asdict(call.reply),
    }
