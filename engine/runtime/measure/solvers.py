"""Whoever can solve a set of instances: classical rules, programs and teachers, in one form."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import problems
import teachers
from engine.diagnosis.queries import Diagnose, SolveAlone
from engine.diagnosis.sampling import plan_sampling
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.names import ROLLOUT
from engine.domain.records import Kind
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Trial, TrialBatch
from engine.domain.values import DiagnosticsRow, Evaluation, Failure
from engine.runtime.consultation import Consultation
from engine.runtime.measure.program_file import read_program
from engine.search.tuning.calibrate import as_trials
from problems import ProblemRef
from problems.base import Problem, Rollout, Rule
from problems.errors import PreceptorError, UnknownName, UserError

if TYPE_CHECKING:
    from engine.evaluate.pool import Limits
    from engine.runtime.executors.executor import Executor, Verdicts

TEACHER = "teacher:"
"""How a teacher is written among solvers."""


@dataclass(frozen=True, slots=True)
class Solver:
    """One who solves sets; `rule` is a classical rule or a program's code, None for a teacher."""

    name: str
    kind: Kind
    rule: Rule | None = None


def find_solver(problem: Problem, word: str) -> Solver:
    """A classical rule by its name, or `teacher:NAME`. Raises UnknownName."""
    if word.startswith(TEACHER):
        return find_teacher(word.removeprefix(TEACHER))
    known = {rule.name: rule for rule in problem.rules()}
    if word not in known:
        own = (TEACHER + name for name in teachers.names())
        raise UnknownName("solver", word, (*known, *own))
    return Solver(word, "rule", known[word])


def find_teacher(name: str) -> Solver:
    """A teacher by its name. Raises UnknownName, UserError for one that solves nothing itself."""
    if name == ROLLOUT:
        raise UserError(f"teacher {name} lets programs go on, and solves nothing by itself")
    if ":" not in name and name not in teachers.names():
        raise UnknownName("teacher", name, teachers.names())
    return Solver(name, "teacher")


def find_program(problem: Problem, place: str, db: Path) -> Solver:
    """The program at a place, as `read_program` finds it."""
    code = read_program(place, problem.contract, db)
    return Solver("stdin" if place == "-" else place, "program", Rule(place, "", code=code))


def refuse_whole(problem: Problem) -> None:
    """Raise UserError for a problem on which no teacher has anything to say."""
    if problem.contract.whole:
        told = "return whole solutions: there are no decisions for a teacher to comment on"
        raise UserError(f"programs of {problem.name} {told}")


class SolverResources:
    """Lets solvers loose on sets of one problem; `async with`, in the main thread."""

    def __init__(
        self, ref: ProblemRef, limits: Limits, executor: Executor, device: str = "auto"
    ) -> None:
        """Nothing starts before the `async with` block. Raises UserError as `problems.load`."""
        self.problem = problems.load(ref)
        self.ref = ref
        self.device = device
        self._limits = limits
        self._executor = executor
        self._processes: dict[str, Verdicts] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._executor)
        self._evaluator = self._executor.evaluations(self.ref, self._limits)
        await self._stack.enter_async_context(self._evaluator)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def solve(
        self, solver: Solver, set_name: str, finished: Callable[[int, int], None] | None = None
    ) -> Evaluation:
        """Every instance of a set; `cpu` of the answer is wall-clock seconds for a teacher.

        `finished` receives (instances done, instances in all) as a program solves them. Raises
        UnknownName and UserError for the set, TeacherUnavailable.
        """
        if solver.rule is None:
            process = await self.consult(self.teacher_spec(solver.name, set_name))
            return _evaluation(await process.ask(SolveAlone(set_name)))
        if solver.rule.code is not None:
            return await self._evaluator.evaluate(solver.rule.code, set_name, finished)
        rule = solver.rule
        return await asyncio.to_thread(
            lambda: solve_trusted(self.problem, rule, self.problem.load(set_name))
        )

    async def diagnose(
        self,
        spec: TeacherSpec,
        settings: Settings,
        solver: Solver,
        solved: Evaluation,
        checks: int,
    ) -> DiagnosticsRow:
        """What a teacher says of a solver that has `solved` the set of its specification.

        Of a program so many disagreements are checked. Raises UnknownName, TeacherUnavailable.
        """
        process = await self.consult(spec)
        code = None if solver.rule is None else solver.rule.code
        if code is None:
            return await process.ask(Diagnose(solved.actions))
        asking = Consultation(process, self._evaluator, spec.design, settings, checks)
        return await asking.diagnose(code, solved)

    async def try_out(self, set_name: str, batch: TrialBatch) -> tuple[Trial, ...]:
        """The programs of a batch on some instances of a set. Raises what `solve` does."""
        found = await self._evaluator.try_out(
            batch.codes, set_name, batch.instances, batch.seconds
        )
        return as_trials(found)

    def teacher_spec(self, name: str, set_name: str) -> TeacherSpec:
        """How a teacher is asked to solve a set on its own."""
        return TeacherSpec(self.ref, name, set_name, plan_sampling(1, 1), self.device)

    async def consult(self, spec: TeacherSpec) -> Verdicts:
        """The processes of a teacher, started by the first spec that names the teacher.

        Raises UnknownName, TeacherUnavailable, and UserError where there are no decisions.
        """
        refuse_whole(self.problem)
        if spec.teacher not in self._processes:
            process = self._processes[spec.teacher] = self._executor.verdicts(spec)
            self._stack.push_async_callback(process.close)
            await process.open()
        return self._processes[spec.teacher]


def _evaluation(rollouts: Sequence[Rollout | None]) -> Evaluation:
    costs = tuple(None if rollout is None else rollout.cost for rollout in rollouts)
    actions = tuple(() if rollout is None else rollout.actions for rollout in rollouts)
    seconds = sum(rollout.seconds for rollout in rollouts if rollout is not None)
    return _evaluated(costs, actions, seconds, _lost(costs))


def _lost(costs: Sequence[float | None]) -> Failure | None:
    lost = [index for index, cost in enumerate(costs) if cost is None]
    if not lost:
        return None
    message = f"the teacher has no finite scores on {len(lost)} instances, {lost[0]} the first"
    return Failure("non-finite", message)


def solve_trusted(
    problem: Problem, rule: Rule, instances: Sequence[Any], limit: float = math.inf
) -> Evaluation:
    """A rule that solves whole instances, in this process: it is ours, not a candidate's.

    No instance is begun after `limit` CPU seconds.
    """
    assert rule.solve is not None
    costs = list[float | None]()
    actions = list[tuple[int, ...]]()
    failure = None
    seconds = 0.0
    for index, instance in enumerate(instances):
        if seconds > limit:
            failure = Failure("timeout", f"{index} of {len(instances)} instances in {limit:g} s")
            break
        started = time.thread_time()
        try:
            taken = tuple(rule.solve(instance))
            costs.append(problem.replay(instance, taken))
        except PreceptorError as error:
            failure = Failure("exception", f"{error} (instance {index})")
            break
        seconds += time.thread_time() - started
        actions.append(taken)
    rest = len(instances) - len(actions)
    return _evaluated((*costs, *[None] * rest), (*actions, *[()] * rest), seconds, failure)


def _evaluated(
    costs: tuple[float | None, ...],
    actions: tuple[tuple[int, ...], ...],
    seconds: float,
    failure: Failure | None,
) -> Evaluation:
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) / len(costs) if len(known) == len(costs) else None
    return Evaluation(cost, costs, actions, failure, seconds)
