"""The JSON of `preceptor check`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.api.dry_run import DryRun, TeacherCheck, WriterCheck
    from engine.domain.values import Evaluation
    from problems.examine import Examination


def describe_broken(problem: str, examined: Examination) -> dict[str, Any]:
    """`check --json` for a problem that breaks its contract: nothing else was tried."""
    return {
        "problem": problem,
        "design": None,
        "method": None,
        "ready": False,
        "contract": _describe_examination(examined),
        "seeds": [],
        "teacher": None,
        "writers": [],
        "estimate": None,
    }


def describe_dry_run(found: DryRun, examined: Examination | None) -> dict[str, Any]:
    """`check --json` (docs/schema/check.json); `examined` is a problem of the user's own."""
    plan = found.plan
    usage = found.expected.usage
    return {
        "problem": plan.spec.problem.name,
        "design": plan.design_set,
        "method": plan.method.name,
        "ready": found.exit_code == 0,
        "contract": None if examined is None else _describe_examination(examined),
        "seeds": [_describe_seed(found, *seed) for seed in found.seeds],
        "teacher": _describe_teacher(found.teacher) if found.teacher else None,
        "writers": [_describe_writer(trial) for trial in found.writers],
        "estimate": {
            "calls": found.expected.calls,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "usd": usage.usd,
        },
    }


def _describe_examination(examined: Examination) -> dict[str, Any]:
    timed = examined.rollout
    return {
        "checks": [{"name": c.name, "failure": c.broken or None} for c in examined.checks],
        "rollout": None if timed is None else asdict(timed),
    }


def _describe_seed(found: DryRun, name: str, seed: Evaluation) -> dict[str, Any]:
    objective = None if seed.cost is None else found.plan.problem.objective(seed.cost)
    failure = None if seed.failure is None else seed.failure.message
    return {
        "name": name,
        "cost": seed.cost,
        "objective": objective,
        "seconds": seed.cpu,
        "failure": failure,
    }


def _describe_teacher(trial: TeacherCheck) -> dict[str, Any]:
    found = trial.diagnostics
    return {
        "name": trial.name,
        "states": None if found is None else found.states,
        "agreement": None if found is None else found.agreement,
        "chance": None if found is None else found.chance,
        "stderr": None if found is None else found.stderr,
        "seconds": trial.seconds,
        "error": trial.error or None,
    }


def _describe_writer(trial: WriterCheck) -> dict[str, Any]:
    usage = None if trial.reply is None else trial.reply.usage
    return {
        "name": trial.name,
        "model": None if trial.reply is None else trial.reply.model,
        "answered": trial.reply is not None,
        "program": trial.reply is not None and not trial.error,
        "seconds": trial.seconds,
        "tokens_in": None if usage is None else usage.tokens_in,
        "tokens_out": None if usage is None else usage.tokens_out,
        "usd": None if usage is None else usage.usd,
        "refused": list(trial.refused),
        "error": trial.error or None,
    }
