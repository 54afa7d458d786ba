"""What commands print that forecast, check and measure: solvers, sets, programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.names import NOTHING, short_name
from engine.domain.records import BEST_KNOWN
from engine.domain.text.figures import digits
from engine.domain.tuning import Effect, TunedConstant
from engine.domain.values import Case, Evaluation, Failure
from engine.monitor.run_result import name_selection
from tui.text.chart import chart_steps
from tui.text.formatting import (
    BROAD,
    duration,
    format_advice,
    format_agreement,
    format_real,
    format_usage,
    join,
    milliseconds,
    number,
    share,
    short_writer,
    short_writers,
    table,
)

if TYPE_CHECKING:
    from engine.api.dry_run import DryRun, TeacherCheck, WriterCheck
    from engine.api.forecast import Forecast
    from engine.api.measure.bench import BenchRow, BenchTable
    from engine.api.measure.diagnose import DiagnosisReport
    from engine.api.measure.tune import SetGain, TuneReport
    from problems.examine import Examination
    from problems.sets.library import Holding, LibraryEntry


BENCH_HEAD = ("solver", "kind", "mean", "ms each", "ms a decision", "solved")


def page_table(found: BenchTable) -> str:
    """One set: what it is, a line a solver (mean objective, times), failures."""
    cells = [
        (
            row.solver,
            row.kind,
            number(row.mean),
            NOTHING if row.seconds is None else f"{1000 * row.seconds:.2f}",
            milliseconds(row.pace),
            str(row.solved),
        )
        for row in found.rows
    ]
    failures = [_format_failure(row, row.failure) for row in found.rows if row.failure is not None]
    source = [f"{BEST_KNOWN}: {found.known_by}"] if found.known_by else []
    remarks = [
        f"{row.solver} is better than the best known on {row.ahead} of {len(row.costs)} "
        "instances: the reference is not optimal, or the problem solved lacks a constraint of it"
        for row in found.rows
        if row.ahead
    ]
    return "\n".join([_format_set(found), table(BENCH_HEAD, cells), *source, *remarks, *failures])


def _format_failure(row: BenchRow, failure: Failure) -> str:
    """Why a solver failed, and what it had reached by then."""
    mean = row.partial_mean
    reached = "" if mean is None else f"{row.solved} of {len(row.costs)}, mean {number(mean)}; "
    return f"{row.solver} failed: {reached}{failure.kind}, {failure.message}"


def _format_set(found: BenchTable) -> str:
    described = found.described
    if described is None:
        return f"{found.set}: {found.instances} instances"
    whose = "own design set" if described.design else f"identity {described.identity}"
    return f"{found.set}: {described.about} ({found.instances} instances, {whose})"


def page_examination(found: Examination) -> str:
    """Every mistake once, with the checks that it breaks; else how long a rollout takes."""
    total = len(found.checks)
    failed = sum(bool(check.broken) for check in found.checks)
    if failed:
        told = [_format_mistake(found, text) for text in found.broken]
        return "\n".join([f"contract suite: {failed} of {total} checks fail", *told])
    head = f"contract suite: {total} checks hold"
    timed = found.rollout
    if timed is None:
        return head
    decisions = f", {timed.decisions} decisions" if timed.decisions else ""
    solves = f"{timed.seed} solves {timed.instance} in {1000 * timed.seconds:.3g} ms"
    return f"{head}; {solves}{decisions}"


def _format_mistake(found: Examination, broken: str) -> str:
    names = [check.name.replace("_", " ") for check in found.checks if check.broken == broken]
    more = f", and {len(names) - 1} more" if len(names) > 1 else ""
    return f"  {broken}\n    (check: {names[0]}{more})"


def page_dry_run(found: DryRun) -> str:
    """Seeds in a table, a line for the teacher and each writer, then the cost of a run."""
    plan = found.plan
    size = f"{len(plan.instances)} instances"
    head = f"{short_name(plan.spec.problem.name)} on {plan.design_set} ({size})"
    seeds = table(
        ("seed", "cost", "CPU s", "failure"), [_list_seed(*seed) for seed in found.seeds]
    )
    teacher = [_format_teacher_check(found.teacher)] if found.teacher else []
    writers = [_format_writer_check(trial) for trial in found.writers]
    return "\n".join(
        [f"{head}, method {plan.method.name}", seeds, *teacher, *writers, _format_cost(found)]
    )


def _list_seed(name: str, seed: Evaluation) -> tuple[str, str, str, str]:
    failure = "" if seed.failure is None else f"{seed.failure.kind}: {seed.failure.message}"
    return name, number(seed.cost), f"{seed.cpu:.2f}", failure


def _format_teacher_check(trial: TeacherCheck) -> str:
    name = short_writer(trial.name)
    if trial.diagnostics is None:
        return f"teacher {name}: {trial.error}"
    found = trial.diagnostics
    states = f"{found.states} states in {trial.seconds:.1f} s"
    return f"teacher {name}: {join(states, format_agreement(found))}"


def _format_writer_check(trial: WriterCheck) -> str:
    head = f"writer {short_writer(trial.name)}"
    refused = [f"{head} rejects the parameter {name}: change it" for name in trial.refused]
    return "\n".join([*refused, f"{head}: {_format_reply(trial)}"])


def _format_reply(trial: WriterCheck) -> str:
    if trial.reply is None:
        return trial.error
    verdict = f"without a program: {trial.error}" if trial.error else "with a program"
    usage = format_usage(trial.reply.usage)
    return f"answered in {trial.seconds:.1f} s{f' ({usage})' if usage else ''} {verdict}"


def _format_cost(found: DryRun) -> str:
    expected = found.expected
    if expected.calls == 0:
        return "a run pays for no language model"
    return f"a run: {found.cost}"


SETS_HEAD = ("set", "problem", "instances", "state", "identity", "about")


def page_sets(found: Sequence[Holding], width: int | None) -> str:
    """A line of `width` cells for each set; the identity says how surely it is the paper's set.

    Where there is no room for sentences, it goes without what the set is about.
    """
    rows = [
        (one.name, one.problem, str(one.size), one.state, identity(one) or NOTHING, about(one))
        for one in found
    ]
    if width is not None and width < BROAD:
        return table(SETS_HEAD[:-1], [row[:-1] for row in rows], width)
    return table(SETS_HEAD, rows, width)


def page_entry(entry: LibraryEntry) -> str:
    """One line of what was stored."""
    plural = "" if entry.size == 1 else "s"
    return f"{entry.name}: {entry.size} instance{plural} of {entry.problem}, from {entry.source}"


def identity(one: Holding) -> str | None:
    """How surely it is the paper's set; None for sets without a counterpart there."""
    described = one.described
    return None if described is None or described.design else described.identity


def about(one: Holding) -> str:
    """The set in a few words."""
    if one.described is not None:
        return one.described.about
    return f"from {one.entry.source}" if one.entry else ""


DRAWN = 3
"""How many cases are shown with a picture of their state; the others take a line each."""


def page_diagnosis(found: DiagnosisReport) -> str:
    """The figures, the most informative cases in full, the others in a line each."""
    d = found.diagnostics
    figures = [
        f"{found.solver} on {found.set} of {found.problem}, on its own states, "
        f"teacher {found.teacher}",
        f"agreement  {share(d.agreement)} ± {share(d.stderr)}, chance {share(d.chance)}",
        f"value      {share(d.value)}",
        f"percentile {share(d.percentile)}",
        f"states     {d.states}, {d.tied} with ties, {d.dropped} slots without a choice",
        *filter(None, [format_real(d), format_advice(d.advice)]),
    ]
    cases = list(zip(d.cases, found.pictures, strict=True))
    full = [
        f"{format_case(case)}\n{picture}\n{_compare_fields(case)}"
        for case, picture in cases[:DRAWN]
    ]
    brief = "\n".join(format_case(case) for case, _ in cases[DRAWN:])
    return "\n\n".join(["\n".join(figures), *full, *([brief] if brief else [])])


def format_case(case: Case) -> str:
    """Where it was, and what the program and the teacher choose there."""
    where = f"instance {case.instance}, step {case.step}, {case.actions} actions"
    if case.chosen == case.preferred:
        return f"{where}: both take {case.chosen}"
    costs = case.costs or (None, None)
    later = " (which comes later to the same effect)" if case.later else ""
    own, other = (f" (cost {number(c)} at the end)" if c is not None else "" for c in costs)
    both = f"takes {case.chosen}{own}, the teacher {case.preferred}{later}{other}"
    return f"{where}: {both}, regret {share(case.regret)}"


def _compare_fields(case: Case) -> str:
    """The fields of the chosen action beside those of the preferred one."""
    preferred = dict(case.preferred_fields)
    rows = [(name, number(value), number(preferred[name])) for name, value in case.chosen_fields]
    return table(("field", f"chosen {case.chosen}", f"preferred {case.preferred}"), rows)


def page_forecast(found: Forecast) -> str:
    """A line each for instances, winner, search, teacher, writers and time."""
    plan = found.plan
    row = found.alike
    time = []
    if row is not None:
        time = [f"time: run {row.number} with these settings took {duration(row.seconds)}"]
    return "\n".join(
        [
            f"{short_name(plan.spec.problem.name)}: {len(plan.instances)} instances of "
            f"{plan.design_set}",
            f"winner: {_format_selection(found)}",
            f"{plan.method.name}: {found.generations} generations of {found.children} children",
            f"teacher: {short_writer(plan.spec.teacher) or 'none'}",
            f"writer: {_format_writer(found)}",
            *time,
        ]
    )


def _format_selection(found: Forecast) -> str:
    """On what the winner of a run is chosen."""
    plan = found.plan
    if not plan.selection_set:
        return f"the best on {plan.design_set}; there is no selection set"
    name = name_selection(plan.spec, plan.selection_set)
    return f"chosen on {len(plan.selection_instances)} others of {name}"


def _format_writer(found: Forecast) -> str:
    spec = found.plan.spec
    names = short_writers(spec.writer, spec.analyzer)
    if found.expected.calls == 0:
        cap = spec.caps.calls
        capped = f", capped at {cap}" if cap is not None and cap < found.calls else ""
        return f"{names}, {found.calls} calls{capped}, no language model, no cost"
    return f"{names}, {found.cost}"


CURVE_WIDTH = 72
CURVE_HEIGHT = 8


def page_tuning(found: TuneReport, file: Path) -> str:
    """How much was tried, the constants, the curve, the figures of each set, the verdict."""
    tuning = found.tuning
    tried = (
        f"{found.program} on {found.set} of {found.problem}: {tuning.trials} trials, "
        f"{tuning.rollouts} rollouts, {found.cpu:.1f} CPU seconds"
    )
    constants = page_constants(tuning.constants)
    curve = chart_steps(
        found.curve, "best on the tuned half, by rollouts", CURVE_WIDTH, CURVE_HEIGHT
    )
    heads = ("instances", "count", "before", "after", "better by")
    gains = table(heads, [_format_gain(one) for one in found.gains])
    verdict = f"{file}: written" if found.code is not None else f"not better: {found.reason}"
    return "\n\n".join(filter(None, (tried, constants, curve, gains, verdict)))


def page_constants(constants: Sequence[TunedConstant]) -> str:
    """A line a constant: before, after, and what moving it alone adds to the mean cost."""
    rows = [
        (
            one.name,
            number(one.before),
            number(one.after),
            _format_effect(one.down),
            _format_effect(one.up),
            _format_effect(one.zero),
        )
        for one in constants
    ]
    heads = ("constant", "before", "after", "cost if less", "cost if more", "left out")
    return table(heads, rows)


def _format_effect(effect: Effect | None) -> str:
    """What moving a constant alone does: `x 1.5: +0.3 ± 0.1`."""
    if effect is None:
        return NOTHING
    factor = f"x {effect.factor:.3g}: " if effect.factor else ""
    return f"{factor}{digits(effect.mean, 3, '+')} ± {digits(effect.stderr, 2)}"


def _format_gain(one: SetGain) -> tuple[str, ...]:
    better = NOTHING
    if one.gain is not None and one.stderr is not None:
        better = f"{digits(one.gain + 0.0, 4)} ± {digits(one.stderr, 2)}"
    return one.set, str(one.instances), number(one.before), number(one.after), better
