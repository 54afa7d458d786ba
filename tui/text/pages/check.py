"""What a dry run found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import short_name
from tui.text.formatting import format_agreement, format_usage, join, number, short_writer, table

if TYPE_CHECKING:
    from engine.api.dry_run import DryRun, TeacherCheck, WriterCheck
    from engine.domain.values import Evaluation
    from problems.examine import Examination, TimedRollout


def page_examination(found: Examination) -> str:
    """Every mistake once, with the checks that it breaks; else how long a rollout takes."""
    total = len(found.checks)
    failed = sum(bool(check.broken) for check in found.checks)
    if failed:
        told = [_format_mistake(found, text) for text in found.broken]
        return "\n".join([f"contract suite: {failed} of {total} checks fail", *told])
    head = f"contract suite: {total} checks hold"
    return f"{head}; {_format_rollout(found.rollout)}" if found.rollout else head


def _format_mistake(found: Examination, broken: str) -> str:
    names = [check.name.replace("_", " ") for check in found.checks if check.broken == broken]
    more = f", and {len(names) - 1} more" if len(names) > 1 else ""
    return f"  {broken}\n    (check: {names[0]}{more})"


def _format_rollout(timed: TimedRollout) -> str:
    milliseconds = 1000 * timed.seconds
    decisions = f", {timed.decisions} decisions" if timed.decisions else ""
    return f"{timed.seed} solves {timed.instance} in {milliseconds:.3g} ms{decisions}"


def page_dry_run(found: DryRun) -> str:
    """Seeds in a table, a line for the teacher and each writer, then the cost of a run."""
    plan = found.plan
    size = f"{len(plan.instances)} instances"
    head = f"{short_name(plan.spec.problem.name)} on {plan.design_set} ({size})"
    seeds = table(("seed", "cost", "CPU s", "failure"), [_row(*seed) for seed in found.seeds])
    teacher = [_format_teacher(found.teacher)] if found.teacher else []
    writers = [_format_writer(trial) for trial in found.writers]
    return "\n".join(
        [f"{head}, method {plan.method.name}", seeds, *teacher, *writers, _forecast(found)]
    )


def _row(name: str, seed: Evaluation) -> tuple[str, str, str, str]:
    failure = "" if seed.failure is None else f"{seed.failure.kind}: {seed.failure.message}"
    return name, number(seed.cost), f"{seed.cpu:.2f}", failure


def _format_teacher(trial: TeacherCheck) -> str:
    name = short_writer(trial.name)
    if trial.diagnostics is None:
        return f"teacher {name}: {trial.error}"
    found = trial.diagnostics
    states = f"{found.states} states in {trial.seconds:.1f} s"
    return f"teacher {name}: {join(states, format_agreement(found))}"


def _format_writer(trial: WriterCheck) -> str:
    head = f"writer {short_writer(trial.name)}"
    refused = [f"{head} rejects the parameter {name}: change it" for name in trial.refused]
    return "\n".join([*refused, f"{head}: {_format_reply(trial)}"])


def _format_reply(trial: WriterCheck) -> str:
    if trial.reply is None:
        return trial.error
    verdict = f"without a program: {trial.error}" if trial.error else "with a program"
    usage = format_usage(trial.reply.usage)
    return f"answered in {trial.seconds:.1f} s{f' ({usage})' if usage else ''} {verdict}"


def _forecast(found: DryRun) -> str:
    expected = found.expected
    if expected.calls == 0:
        return "a run calls no language model"
    return f"a run: {found.cost}"
