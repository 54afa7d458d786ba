"""The JSON of commands that forecast, check and measure: solvers, sets, teachers, programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import to_builtins

import teachers
from engine.domain.specs.settings import describe_settings
from engine.domain.values import Evaluation
from problems.sets.library import Holding, LibraryEntry
from problems.sets.references import of_problem
from teachers.weights import Header
from tui.json.runs import Document, describe_case, describe_constant, pick
from tui.text.formatting import in_milliseconds
from tui.text.pages.measures import about, identity
from tui.text.pages.teachers import problem_of, weights_of

if TYPE_CHECKING:
    from engine.api.dry_run import DryRun, TeacherCheck, WriterCheck
    from engine.api.forecast import Forecast
    from engine.api.measure.bench import BenchRow, BenchTable
    from engine.api.measure.diagnose import DiagnosisReport
    from engine.api.measure.tune import TuneReport
    from problems.examine import Examination
    from teachers.training.measure import TrainingProgress
    from teachers.verify import Figure


def describe_forecast(found: Forecast) -> Document:
    """The line of `run --estimate --json`."""
    plan = found.plan
    usage = found.expected.usage
    return {
        "event": "forecast",
        "settings": describe_settings(plan.spec),
        "instances": len(plan.instances),
        "selection": plan.selection_set or None,
        **pick(found, "generations", "children", "calls", design="plan.design_set"),
        "paid_calls": found.expected.calls,
        "tokens": usage.tokens_in + usage.tokens_out,
        "usd": usage.usd,
    }


def describe_refused(problem: str, examined: Examination | None, error: str = "") -> Document:
    """`check --json` where a run would not begin; nothing that comes later was tried.

    Either a problem of the user's own breaks its contract, or `error` is what was met first.
    """
    return {
        "problem": problem,
        **dict.fromkeys(("design", "method", "teacher", "estimate")),
        "ready": False,
        "error": error or None,
        "contract": None if examined is None else _describe_examination(examined),
        "seeds": [],
        "writers": [],
    }


def describe_dry_run(found: DryRun, examined: Examination | None, failed: str = "") -> Document:
    """`check --json`; `examined` is a problem of the user's own, of which a small run `failed`."""
    names = {"problem": "spec.problem.name", "design": "design_set", "method": "method.name"}
    return {
        **pick(found.plan, **names),
        "ready": found.exit_code == 0 and not failed,
        "error": failed or None,
        "contract": None if examined is None else _describe_examination(examined),
        "seeds": [_describe_seed(found, *seed) for seed in found.seeds],
        "teacher": _describe_teacher_check(found.teacher) if found.teacher else None,
        "writers": [_describe_writer_check(trial) for trial in found.writers],
        "estimate": {
            "calls": found.expected.calls,
            **pick(found.expected.usage, "tokens_in", "tokens_out", "usd"),
        },
    }


def _describe_examination(examined: Examination) -> Document:
    checks = [{"name": c.name, "failure": c.broken or None} for c in examined.checks]
    return {"checks": checks, **pick(examined, "rollout")}


def _describe_seed(found: DryRun, name: str, seed: Evaluation) -> Document:
    return {
        "name": name,
        **pick(seed, "cost", seconds="cpu"),
        "objective": None if seed.cost is None else found.plan.problem.objective(seed.cost),
        "failure": None if seed.failure is None else seed.failure.message,
    }


def _describe_teacher_check(trial: TeacherCheck) -> Document:
    names = ("states", "agreement", "chance", "stderr")
    found = trial.diagnostics
    return {
        **pick(trial, "name", "seconds"),
        **(pick(found, *names) if found else dict.fromkeys(names)),
        "error": trial.error or None,
    }


def _describe_writer_check(trial: WriterCheck) -> Document:
    reply = trial.reply
    names = ("tokens_in", "tokens_out", "usd")
    return {
        **pick(trial, "name", "seconds", "refused"),
        "model": reply and reply.model,
        "answered": reply is not None,
        "program": reply is not None and not trial.error,
        **(pick(reply.usage, *names) if reply else dict.fromkeys(names)),
        "error": trial.error or None,
    }


def describe_table(found: BenchTable) -> Document:
    """One entry of `bench --json` (design 10)."""
    return {
        **pick(found, "problem", "set", "instances"),
        "best_known_by": found.known_by or None,
        "rows": [_describe_row(row) for row in found.rows],
    }


def _describe_row(row: BenchRow) -> Document:
    names = ("solver", "kind", "mean", "solved", "partial_mean", "seconds", "costs")
    failures = [] if row.failure is None else [pick(row.failure, "kind", "message")]
    return {
        **pick(row, *names, better_than_known="ahead"),
        "milliseconds": in_milliseconds(row.pace),
        "failures": failures,
    }


def describe_diagnosis(found: DiagnosisReport) -> Document:
    """`diagnose --json` (design 10)."""
    d = found.diagnostics
    names = ("states", "agreement", "chance", "stderr", "value", "percentile", "tied", "dropped")
    return {
        **pick(found, "problem", "set", "solver", "teacher"),
        **pick(d, *names, "advice", "real"),
        "cases": [describe_case(case) for case in d.cases],
    }


def describe_report(found: TuneReport, file: Path) -> Document:
    """The document of `tune --json`."""
    better = found.code is not None
    return {
        **pick(found, "problem", "set", "program", "cpu", "gains"),
        "better": better,
        "file": str(file) if better else None,
        "reason": found.reason or None,
        **pick(found.tuning, "trials", "rollouts"),
        "constants": [describe_constant(one) for one in found.tuning.constants],
        "curve": [{"rollouts": rollouts, "best": best} for rollouts, best in found.curve],
    }


def describe_set(one: Holding) -> Document:
    """One entry of `data list --json`."""
    known = of_problem(one.problem).get(one.name)
    return {
        **pick(one, "name", "problem", "state", instances="size"),
        "identity": identity(one),
        "design": one.described is not None and one.described.design,
        "about": about(one),
        "address": one.address or None,
        "best_known_by": known.solver if known else None,
        "stored": describe_stored(one.entry) if one.entry else None,
    }


def describe_stored(entry: LibraryEntry) -> Document:
    """A stored set: `content` is the sha256 of its instances, `sha256` that of the file."""
    names = ("name", "problem", "source", "content", "sha256")
    return {**pick(entry, *names, instances="size"), "file": str(entry.file)}


def describe_teacher(name: str, header: Header | None) -> Document:
    """One entry of `teachers list --json`; all null or empty for a teacher without weights."""
    problem = problem_of(name, header)
    tables = ("origin", "validation", "measured")
    return {
        "name": name,
        "problem": problem,
        "default": name == teachers.default(problem or ""),
        "weights": weights_of(name, header),
        "about": header.about if header else None,
        "sha256": header.sha256 if header else None,
        **(pick(header, *tables) if header else {table: {} for table in tables}),
    }


def describe_training(progress: TrainingProgress) -> Document:
    """The progress of a training, a line of `teachers train --json`."""
    return {"event": "training-progress", **to_builtins(progress)}


def describe_figures(name: str, figures: Sequence[Figure]) -> Document:
    """One entry of `teachers verify --json`."""
    names = ("recorded", "found", "equal")
    return {"name": name, "figures": [pick(one, *names, set="instances") for one in figures]}
