"""The JSON of `preceptor study`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.domain.specs.settings import describe_settings
from tui.json.runs import describe_title

if TYPE_CHECKING:
    from engine.api.forecast import StudyForecast
    from engine.domain.records import Measurement
    from engine.domain.specs.study import StudySpec
    from engine.monitor.run_result import RunResult
    from engine.monitor.study_status import StudyResult, StudyStatus
    from tui.json.runs import Document


def describe_study(spec: StudySpec, study: int | None) -> Document:
    """The first line of `study --json`; `study` is None before it is booked."""
    runs = spec.runs()
    firsts = {run.problem: describe_settings(run) for run in reversed(runs)}
    return {
        "event": "study",
        "study": study,
        "name": spec.name,
        "runs": len(runs),
        "methods": list(spec.methods),
        "seeds": list(spec.seeds),
        "writer": spec.writer,
        "analyzer": spec.analyzer or spec.writer,
        "at_once": spec.side_by_side,
        "budget": asdict(spec.budget),
        "problems": [
            {
                "problem": task.problem.name,
                "teacher": ",".join(task.teachers) or None,
                "sets": list(task.sets),
                "solvers": list(task.solvers),
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
    """A line of `study --json` while it goes on."""
    return {"event": "progress", **describe_study_status(status)}


def describe_study_status(status: StudyStatus) -> Document:
    """A study's status, as in `runs --json` and `study --json`."""
    return {
        "study": status.row.number,
        "name": status.row.name,
        "status": status.status,
        "reason": status.row.reason,
        "runs": status.total,
        "begun": len(status.runs),
        "done": status.done,
    }


def describe_outcome(outcome: StudyResult) -> Document:
    """The last line of `study --json`."""
    return {
        "event": "study-ended",
        **describe_study_status(outcome.study),
        "seconds": outcome.study.row.seconds,
        "members": [_describe_run(result) for result in outcome.results],
        "measurements": [describe_measurement(found) for found in outcome.measurements],
    }


def describe_measurement(found: Measurement) -> Document:
    """One solver on one set; objectives in the natural sense."""
    return {**asdict(found), "costs": list(found.costs), "mean": found.mean}


def _describe_run(result: RunResult) -> Document:
    best = result.best
    return {
        **describe_title(result),
        "program": best and best.id,
        "cost": best and best.cost,
        "objective": result.objective,
        "selection_cost": best and best.selection_cost,
        "agreement": best and best.agreement,
        "totals": asdict(result.totals),
        "seconds": result.row.seconds,
    }
