"""From a study file to a booked study: everything that can be checked is, before it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import problems
from engine.api.book_run import absolute_problem, check_run
from engine.domain.specs.settings import Caps
from engine.domain.values import Usage
from engine.llm.openai.secret import Secret
from engine.runtime.call_queue import add_usage
from engine.runtime.measure.held_out import benchmark_sets
from engine.runtime.measure.solvers import find_solver
from engine.runtime.writers.estimate import Estimate, default_caps, estimate
from engine.runtime.writers.open_writer import open_writer
from engine.runtime.writers.writer_config import collect_keys
from engine.search.methods.method_file import method_of
from engine.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.specs.settings import RunSpec
    from engine.domain.specs.study import StudySpec, Task
    from engine.store.reader import Reader


@dataclass(frozen=True, slots=True)
class StudyForecast:
    """What a study would do: its checked specification, and what its runs ask of models at most.

    `sets` are the held-out sets of each problem, `missing` those that are not imported.
    """

    spec: StudySpec
    expected: Estimate
    sets: tuple[tuple[str, ...], ...]
    missing: tuple[tuple[str, ...], ...]

    @property
    def caps(self) -> Caps:
        """What all runs may spend together: each has the study's caps, or twice its estimate."""
        runs, each = len(self.spec.runs()), self.spec.caps
        tokens = None if each.tokens is None else runs * each.tokens
        usd = None if each.usd is None else runs * each.usd
        return default_caps(Caps(tokens=tokens, usd=usd), self.expected)


def book_study(db: Path, spec: StudySpec, anew: bool) -> int:
    """Book a checked study, or find the one that asks the same; returns its number.

    Raises StoreError.
    """
    with Store(db) as store:
        known = None if anew else store.find_study(spec)
        if known is None:
            return store.jobs.create_study(spec)
        store.study_log.reword(known, spec)
        return known


def forecast_study(spec: StudySpec, reader: Reader) -> StudyForecast:
    """Check a study as it was read from its file, and say what it amounts to.

    Raises what `booking.check` raises, for every problem and method, and UnknownName and
    UserError for sets and solvers.
    """
    spec = replace(spec, tasks=tuple(map(_rooted, spec.tasks)))
    firsts = [check_run(run, reader) for run in spec.runs() if run.seed == spec.seeds[0]]
    spec = _settle(spec, firsts)
    here, missing = zip(*map(_choose_sets, spec.tasks), strict=True)
    return StudyForecast(spec, _expect(spec, reader), here, missing)


def _rooted(task: Task) -> Task:
    """The task with the path of its problem made absolute: a study is resumed from any folder."""
    return replace(task, problem=replace(task.problem, name=absolute_problem(task.problem.name)))


def _settle(spec: StudySpec, firsts: list[RunSpec]) -> StudySpec:
    """The names that checking settled: teachers, writers, their endpoints."""
    teachers = {run.problem: run.teacher for run in firsts if method_of(run).teacher}
    return replace(
        spec,
        tasks=tuple(replace(t, teacher=teachers.get(t.problem, "")) for t in spec.tasks),
        writer=firsts[0].writer,
        analyzer=firsts[0].analyzer,
        endpoints=firsts[0].endpoints,
    )


def _choose_sets(task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Held-out sets of a task, here and missing; raises for what the task names wrongly."""
    problem = problems.load(task.problem)
    for solver in task.solvers:
        find_solver(problem, solver)
    for name in task.sets:
        problem.load(name)
    return (task.sets, ()) if task.sets else benchmark_sets(problem)


def _expect(spec: StudySpec, reader: Reader) -> Estimate:
    """All calls of all runs without repairs."""
    secrets = {name: Secret(key) for name, key in collect_keys(spec.endpoints).items()}
    total = Estimate(0, Usage(usd=0.0))
    for run in spec.runs():
        problem = problems.load(run.problem)
        names = (run.writer, run.analyzer or run.writer)
        writers = [open_writer(name, problem, reader, secrets, run.endpoints) for name in names]
        one = estimate(problem, method_of(run), run.settings, *writers)
        total = Estimate(total.calls + one.calls, add_usage(total.usage, one.usage))
    return total
