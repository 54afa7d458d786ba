"""The JSON of `preceptor check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.api.dry_run import DryRun, TeacherCheck, WriterCheck
    from engine.domain.values import Evaluation


def describe_dry_run(found: DryRun) -> dict[str, Any]:
    """`check --json` (docs/schema/check.json)."""
    plan = found.plan
    usage = found.expected.usage
    return {
        "problem": plan.spec.problem.name,
        "design": plan.design_set,
        "method": plan.method.name,
        "ready": found.exit_code == 0,
        "seeds": [_describe_seed(found, *seed) for seed in found.seeds],
        "teacher": None if found.teacher is None else _describe_teacher(found.teacher),
        "writers": [_describe_writer(trial) for trial in found.writers],
        "estimate": {
            "calls": found.expected.calls,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "usd": usage.usd,
        },
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
