"""Measurements on held-out sets, after the search: winners, rules, teachers, the best known.

Whatever was measured before, under the same content key, is not measured again.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import teachers
from engine.domain.concurrency import together
from engine.domain.names import ROLLOUT
from engine.domain.records import BEST_KNOWN, Measurement, RunRow, StudyRow
from engine.domain.specs.study import READ_OFF, Task
from engine.domain.text.codec import content_key
from engine.domain.values import Candidate
from engine.runtime import provenance
from engine.runtime.measure.solvers import TEACHER, Solver, SolverResources, find_solver
from engine.search.methods.methods import find
from problems.base import Problem, Rule
from problems.errors import WorldError
from problems.sets.library import find as find_imported

if TYPE_CHECKING:
    from engine.evaluate.pool import Limits
    from engine.store.store import Store

Answer = TypeVar("Answer")

CPU = "cpu"
DEVICES = (CPU, "cuda", "mps")
"""Words of torch's that a teacher's fingerprint names its device by."""


class Write(Protocol):
    """Calls what writes to the store, once there is space for it, and returns what that does."""

    def __call__(self, write: Callable[[], Answer], /) -> Awaitable[Answer]:
        """Raises Halted when the study is told to end meanwhile."""


@dataclass(frozen=True, slots=True)
class MeasuredSolver:
    """One who is measured; `run` and `method` say whose winner a program is."""

    solver: Solver
    run: int | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class MeasurementTask:
    """One solver on one set, under the key of what it reaches there, for all who enter it."""

    key: str
    solver: Solver
    set: str
    device: str
    solvers: tuple[MeasuredSolver, ...]


def benchmark_sets(problem: Problem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of a problem's benchmark sets: those that are here, and those not imported yet."""
    names = [described.name for described in problem.sets() if not described.design]
    foreign = {one.described.name for one in problem.published()}
    missing = [n for n in names if n in foreign and find_imported(problem.name, n) is None]
    return tuple(n for n in names if n not in missing), tuple(missing)


def list_solvers(
    store: Store, row: StudyRow, task: Task, problem: Problem
) -> list[MeasuredSolver]:
    """The winners of a task's finished runs, then whoever else is to be measured."""
    finished = [
        run
        for run in store.study_runs(row.number).values()
        if run.spec.problem == task.problem and run.state in ("done", "budget") and run.best
    ]
    winners = [
        MeasuredSolver(_solver(w), r.number, m) for r in finished for m, w in _wins(store, row, r)
    ]
    words = task.solvers or (*(rule.name for rule in problem.rules()), *_teachers(problem, task))
    return [*winners, *(MeasuredSolver(find_solver(problem, word)) for word in words)]


def _wins(store: Store, row: StudyRow, run: RunRow) -> Iterable[tuple[str, Candidate]]:
    """The program that a run returns, and those that other methods would return of it."""
    assert run.best is not None
    yield run.spec.label, store.candidate(run.number, run.best)
    population = store.population(run.number)
    for method, source in READ_OFF.items():
        if method in row.spec.methods and source == run.spec.label:
            yield method, find(method).winner(population, run.spec.settings)


def _solver(winner: Candidate) -> Solver:
    program = winner.program
    return Solver(program.hash, "program", Rule(program.hash, program.idea, code=program.code))


def _teachers(problem: Problem, task: Task) -> list[str]:
    """All teachers of a problem that could be asked, the task's own among them.

    None of them where programs return whole solutions.
    """
    if problem.contract.whole:
        return []
    known = [header.name for header in teachers.headers() if header.problem == problem.name]
    own = [name for name in task.teachers if name not in (ROLLOUT, *known)]
    return [TEACHER + name for name in (*own, *known)]


@dataclass(slots=True)
class Measurer:
    """Measures entrants on sets of one problem, for one study.

    `tell` receives (done, to do); `write` calls what it is given, again when the disk was full;
    `troubles` are what kept a solver from being measured, in words.
    """

    store: Store
    study: int
    bench: SolverResources
    limits: Limits
    tell: Callable[[int, int], None]
    write: Write
    troubles: list[str] = field(default_factory=list)

    async def examine(self, solvers: Sequence[MeasuredSolver], sets: Sequence[str]) -> None:
        """Measure all entrants on all sets, but for those who were measured before.

        Rules and programs run side by side, teachers after them one by one: their seconds are
        wall clock. Cancelling loses what is under way. Raises UnknownName and UserError for a set.
        """
        trials = [trial for name in sets for trial in await self._plan(solvers, name)]
        todo = [trial for trial in trials if not await self.write(partial(self._is_known, trial))]
        progress = itertools.count(1)

        async def attempt(trial: MeasurementTask) -> None:
            await self._attempt(trial)
            self.tell(next(progress), len(todo))

        self.tell(0, len(todo))
        await together(attempt(trial) for trial in todo if trial.solver.kind != "teacher")
        for trial in todo:
            if trial.solver.kind == "teacher":
                await attempt(trial)

    async def _plan(self, solvers: Sequence[MeasuredSolver], name: str) -> list[MeasurementTask]:
        """One trial for every different solver; the best known objectives are kept at once."""
        instances = await asyncio.to_thread(self.bench.problem.load, name)
        content = await asyncio.to_thread(provenance.digest, instances)
        known = tuple(instance.reference for instance in instances)
        await self.write(lambda: self._quote(name, content, known))
        found: dict[str, MeasurementTask] = {}
        for measured in solvers:
            solver = measured.solver
            try:
                version, device = await self._version(solver, name)
            except WorldError as error:
                self.troubles.append(f"{solver.name}: {error}")
                continue
            code = solver.rule.code if solver.rule else None
            key = content_key("measurement", solver.kind, solver.name, code, content, version)
            others = found[key].solvers if key in found else ()
            found[key] = MeasurementTask(key, solver, name, device, (*others, measured))
        return list(found.values())

    async def _version(self, solver: Solver, name: str) -> tuple[str, str]:
        """What an outcome depends on besides solver and set, and the device it comes from."""
        evaluator = provenance.evaluator_version(self.bench.ref)
        if solver.kind != "teacher":
            return f"{evaluator} {self.limits}", CPU
        teacher = await self.bench.consult(self.bench.teacher_spec(solver.name, name))
        fingerprint = await teacher.open()
        device = next((word for word in fingerprint.split() if word in DEVICES), CPU)
        return f"{evaluator} {fingerprint}", device

    def _is_known(self, trial: MeasurementTask) -> bool:
        """Whether it was measured before; then the study rests on that."""
        return all(
            self.store.study_log.find_measurement(
                self.study, trial.key, measured.run, measured.method
            )
            for measured in trial.solvers
        )

    async def _attempt(self, trial: MeasurementTask) -> None:
        """Measure once, and note it for every entrant."""
        solver = trial.solver
        try:
            evaluation = await self.bench.solve(solver, trial.set)
        except WorldError as error:
            self.troubles.append(f"{solver.name} on {trial.set}: {error}")
            return
        objective = self.bench.problem.objective
        failure = evaluation.failure
        for measured in trial.solvers:
            found = Measurement(
                self.bench.problem.name,
                trial.set,
                solver.name,
                solver.kind,
                tuple(None if cost is None else objective(cost) for cost in evaluation.costs),
                evaluation.cpu,
                trial.device,
                () if failure is None else (failure,),
                measured.run,
                measured.method,
            )
            record = self.store.study_log.record_measurement
            await self.write(partial(record, self.study, trial.key, found))

    def _quote(self, name: str, content: str, known: tuple[float | None, ...]) -> None:
        """Keep the best known objectives of a set, where any are."""
        if any(reference is not None for reference in known):
            problem = self.bench.problem.name
            found = Measurement(problem, name, BEST_KNOWN, "reference", known, None)
            key = content_key("measurement", "reference", content)
            self.store.study_log.record_measurement(self.study, key, found)
