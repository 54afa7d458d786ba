"""The JSON of runs, their programs and studies (docs/schema): frozen values in, documents out."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from engine.domain.events import Event, write_fact
from engine.domain.records import Exchange, RunRow
from engine.domain.specs.settings import describe_settings
from engine.domain.specs.study import StudySpec
from engine.domain.tuning import Effect, TunedConstant, Tuning
from engine.domain.values import Candidate, Case, Diagnostics
from engine.monitor.run_result import RunResult, natural_objective
from engine.monitor.run_summary import RunEntry, RunSummary, Yield, planned_generations
from engine.monitor.study_status import StudyResult, StudyStatus
from tui.text.formatting import in_milliseconds, stamp

if TYPE_CHECKING:
    from engine.api.forecast import StudyForecast


Document = dict[str, Any]


def pick(value: object, *names: str, **others: str) -> Document:
    """Attributes of a value by their names; those in `others` under the name that is the key.

    An attribute of an attribute is named `program.idea`.
    """
    attributes = {**dict(zip(names, names, strict=True)), **others}
    return {key: to_builtins(attrgetter(name)(value)) for key, name in attributes.items()}


def describe_start(row: RunRow) -> Document:
    """The first line of `run --json`: every setting, so that the output stands alone."""
    return {"event": "run", "run": row.number, "settings": describe_settings(row.spec)}


def describe_event(event: Event, run: int) -> Document:
    """One line of `run --json`: when, what, where, and the event's own facts."""
    place = {"generation": event.generation, "slot": event.slot}
    known = {name: value for name, value in place.items() if value is not None}
    head = {"event": event.kind, "run": run, "time": stamp(event.time), **known}
    return head | write_fact(event.fact)


def describe_result(result: RunResult) -> Document:
    """The last line of `run --json` (design 10)."""
    return {
        "event": "run-ended",
        **pick(result, "status", run="row.number"),
        **_describe_findings(result),
        "population": [_describe_survivor(survivor) for survivor in result.population],
        **pick(result, calls="totals.calls", evaluations="totals.evaluations"),
        "seconds": result.row.seconds,
    }


def _describe_findings(result: RunResult) -> Document:
    """What the run found: its winner and how it was chosen, quick programs, its teachers."""
    best = result.best
    one = result.teacher
    teacher = one and {
        **pick(one, "name", "agreement", "advice"),
        "objective": natural_objective(result.row, one.cost),
    }
    quick = [
        {
            "under": in_milliseconds(one.limit),
            **pick(one.program, "cost", program="id"),
            "milliseconds": in_milliseconds(one.program.pace),
        }
        for one in result.quick
    ]
    selection = None
    if result.finalists:
        first = result.finalists[0]
        selection = {
            "set": first.set,
            "instances": len(first.costs),
            "objective": result.selection_objective,
            "finalists": [
                pick(one, "program", "cost", "costs", "failure") for one in result.finalists
            ],
        }
    return {
        "best": None if best is None else describe_best(best, result.objective),
        "selection": selection,
        "quick": quick,
        **pick(result, "near_limit", "seed_cost", "teacher_objective", teacher_silence="silence"),
        "teacher": teacher,
    }


def describe_best(best: Candidate, objective: float | None) -> Document:
    """The program that a run returns."""
    return {
        **pick(best, "cost", "selection_cost", "agreement", "cpu", program="id"),
        "objective": objective,
        "milliseconds": in_milliseconds(best.pace),
        **pick(best, idea="program.idea", code="program.code"),
    }


def _describe_survivor(candidate: Candidate) -> Document:
    names = ("cost", "selection_cost", "agreement", "operator", "writer", "parents")
    figures = pick(candidate, *names, program="id")
    return {**figures, "milliseconds": in_milliseconds(candidate.pace)}


def _describe_title(run: RunEntry | RunResult) -> Document:
    """Which run it is, and its status."""
    spec = {"problem": "row.spec.problem.name", "method": "row.spec.method"}
    return pick(run, "status", run="row.number", **spec, seed="row.spec.seed")


def _describe_times(row: RunRow) -> Document:
    times = {"started": stamp(row.created), "ended": stamp(row.ended)}
    return {**times, **pick(row, "seconds", "forked_from")}


def describe_entry(entry: RunEntry) -> Document:
    """One run of `runs --json`."""
    row = entry.row
    best = entry.best
    return {
        **_describe_title(entry),
        **pick(row, name="label.name", tags="label.tags", writer="spec.writer"),
        **pick(entry, "generation", "calls", "study"),
        "generations": planned_generations(row, entry.generation),
        "best": None if best is None else _describe_survivor(best),
        **_describe_times(row),
    }


def describe_run(summary: RunSummary) -> Document:
    """`show RUN --json`."""
    result = summary.result
    row = result.row
    return {
        **pick(row, "reason", "label", "provenance", run="number"),
        **pick(result, "status", "totals"),
        "settings": describe_settings(row.spec),
        **_describe_times(row),
        **_describe_findings(result),
        "population": [
            {**_describe_survivor(c), "diagnostics": describe_diagnostics(c.diagnostics)}
            for c in result.population
        ],
        **pick(summary, "generation"),
        "operators": describe_yields("operator", summary.yields),
        "writers": describe_yields("writer", summary.writers),
        "generations": describe_yields("generation", summary.generations),
        "failures": dict(summary.failures),
    }


def describe_yields(what: str, yields: Sequence[Yield]) -> list[Document]:
    """What became of children, under the name of what they are told apart by."""
    found = [to_builtins(one) for one in yields]
    return [{what: one.pop("name"), **one} for one in found]


def describe_program(
    run: int,
    candidate: Candidate,
    objective: float | None,
    exchanges: Sequence[Exchange],
    speed: str,
    teacher: str,
) -> Document:
    """`show RUN PROGRAM --json`; `speed` says whether the program is compiled."""
    names = ("costs", "operator", "writer", "generation", "slot", "parents", "failure", "facts")
    return {
        "run": run,
        **describe_best(candidate, objective),
        **pick(candidate, *names),
        "speed": speed,
        "teacher": teacher or None,
        "diagnostics": describe_diagnostics(candidate.diagnostics),
        "tuning": candidate.tuning and _describe_tuning(candidate.tuning),
        "exchanges": [
            {
                **pick(one, role="request.role", messages="request.messages"),
                **pick(one.call, "billed", "reply", attempt="key.attempt"),
                "error": one.call.error or None,
            }
            for one in exchanges
        ],
    }


def describe_diagnostics(diagnostics: Diagnostics | None) -> Document | None:
    """A teacher's diagnostics, cases with their fields by name."""
    if diagnostics is None:
        return None
    cases = [describe_case(case) for case in diagnostics.cases]
    return {**to_builtins(diagnostics), "cases": cases}


def describe_case(case: Case) -> Document:
    """One case, fields by name."""
    names = [name for name, _ in case.chosen_fields]
    return {
        **to_builtins(case),
        "chosen_fields": dict(case.chosen_fields),
        "preferred_fields": dict(case.preferred_fields),
        "alternatives": [
            {
                **pick(other, "action", "score"),
                "fields": dict(zip(names, other.values, strict=True)),
            }
            for other in case.alternatives
        ],
    }


def _describe_tuning(found: Tuning) -> Document:
    """What a search saw of a program's constants."""
    names = ("parent", "accepted", "trials", "rollouts", "cpu", "before", "after", "stderr")
    return {
        **pick(found, *names),
        "gain": None if found.gain is None else -found.gain,
        "constants": [describe_constant(one) for one in found.constants],
    }


def describe_constant(one: TunedConstant) -> Document:
    """A constant before and after, and what moving it alone did."""

    def describe(effect: Effect | None) -> Document | None:
        return None if effect is None else pick(effect, "factor", "stderr", cost="mean")

    effects = {name: describe(getattr(one, name)) for name in ("down", "up", "zero", "turned")}
    return {**pick(one, "name", "before", "after"), **effects}


def describe_study(spec: StudySpec, study: int | None) -> Document:
    """The first line of `study --json`; `study` is None before it is booked."""
    runs = spec.runs()
    firsts = {run.problem: describe_settings(run) for run in reversed(runs)}
    return {
        "event": "study",
        "study": study,
        "runs": len(runs),
        "analyzer": spec.analyzer or spec.writer,
        **pick(spec, "name", "methods", "seeds", "writer", "budget", at_once="side_by_side"),
        "problems": [
            {
                **pick(task, "sets", "solvers", problem="problem.name"),
                "teacher": ",".join(task.teachers) or None,
                "options": firsts[task.problem]["options"],
                "problem_options": dict(task.problem.options),
            }
            for task in spec.tasks
        ],
    }


def describe_study_forecast(found: StudyForecast) -> Document:
    """`study --dry-run --json`."""
    usage = found.expected.usage
    problems = [task.problem.name for task in found.spec.tasks]
    return {
        **describe_study(found.spec, None),
        "event": "prospect",
        "calls": found.expected.calls,
        "tokens": usage.tokens_in + usage.tokens_out,
        "usd": usage.usd,
        "sets": dict(zip(problems, map(list, found.sets), strict=True)),
        "missing": dict(zip(problems, map(list, found.missing), strict=True)),
    }


def describe_progress(status: StudyStatus) -> Document:
    """A line of `study --json` while it continues."""
    return {"event": "progress", **describe_study_status(status)}


def describe_study_status(status: StudyStatus) -> Document:
    """A study's status, as in `runs --json` and `study --json`."""
    row = {"study": "row.number", "name": "row.name", "reason": "row.reason", "runs": "total"}
    return {**pick(status, "status", "done", **row), "begun": len(status.runs)}


def describe_outcome(outcome: StudyResult) -> Document:
    """The last line of `study --json`."""
    return {
        "event": "study-ended",
        **describe_study_status(outcome.study),
        "seconds": outcome.study.row.seconds,
        "members": [_describe_member(result) for result in outcome.results],
        "measurements": [{**to_builtins(m), "mean": m.mean} for m in outcome.measurements],
    }


def _describe_member(result: RunResult) -> Document:
    best = result.best
    names = {"program": "id", "cost": "cost", "selection_cost": "selection_cost"}
    names["agreement"] = "agreement"
    return {
        **_describe_title(result),
        **(pick(best, **names) if best else dict.fromkeys(names)),
        **pick(result, "objective", "totals", seconds="row.seconds"),
    }
