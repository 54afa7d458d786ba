"""Benchmarks: what solvers reach on named sets, beside the best that is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from engine.domain.records import BEST_KNOWN, Kind
from engine.domain.values import Evaluation, Failure
from engine.runtime.measure.solvers import Solver, SolverResources
from problems.base import Instance, InstanceSet, Problem, count_decisions
from problems.errors import PreceptorError
from problems.sets.references import of_problem


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One solver on one set; prints as a line.

    `costs` are objectives in the natural sense, None for instances not solved; `seconds` are per
    solved instance and `pace` per decision, CPU for rules and programs, wall clock for teachers,
    None for references; `ahead` is the number of instances on which it is better than what is best
    known.
    """

    solver: str
    kind: Kind
    costs: tuple[float | None, ...]
    seconds: float | None = None
    failure: Failure | None = None
    pace: float | None = None
    ahead: int = 0

    def __repr__(self) -> str:
        mean = self.partial_mean
        reached = "no mean" if mean is None else f"mean {mean:.6g}"
        took = "" if self.seconds is None else f", {self.seconds:.3g} s an instance"
        why = "" if self.failure is None else f"; {self.failure.kind}: {self.failure.message}"
        solved = f"{self.solved} of {len(self.costs)} solved"
        return f"<{self.kind} {self.solver}: {reached}, {solved}{took}{why}>"

    @property
    def mean(self) -> float | None:
        """Mean objective, None when an instance is missing."""
        return self.partial_mean if self.solved == len(self.costs) else None

    @property
    def partial_mean(self) -> float | None:
        """Mean objective of the instances that were solved, None without any."""
        known = [cost for cost in self.costs if cost is not None]
        return sum(known) / len(known) if known else None

    @property
    def solved(self) -> int:
        """Number of instances with an objective."""
        return sum(cost is not None for cost in self.costs)


@dataclass(frozen=True, slots=True)
class BenchTable:
    """All solvers on one set; `described` is None for a set that the problem does not list.

    `known_by` says how the best known objectives were found: the solver with its effort, or that
    they came with the set. It is empty where nothing is known.
    """

    problem: str
    set: str
    described: InstanceSet | None
    instances: int
    rows: tuple[BenchRow, ...]
    known_by: str = ""


PRECISION = 1e-9
"""How much better than the best known a solver is, relatively, before that is worth a remark."""


async def bench(
    resources: SolverResources,
    sets: Sequence[str],
    solvers: Sequence[Solver],
    tell: Callable[[str], None],
) -> AsyncIterator[BenchTable]:
    """One table a set, as they get ready; `tell` receives every solver that is done.

    Rules and programs run side by side, teachers after them one by one: their seconds are wall
    clock; one that cannot answer is a failed row. Raises UnknownName and UserError for a set.
    """
    problem = resources.problem
    loaded = {name: problem.load(name) for name in sets}
    for name, instances in loaded.items():
        references = _references(instances)
        rows = await _solve(resources, name, solvers, tell)
        for known in references:
            rows = [replace(row, ahead=count_ahead(problem, row, known)) for row in rows]
        described = next((one for one in problem.sets() if one.name == name), None)
        known_by = _source(problem.name, name) if references else ""
        rows += references
        yield BenchTable(problem.name, name, described, len(instances), tuple(rows), known_by)


async def _solve(
    resources: SolverResources, name: str, solvers: Sequence[Solver], tell: Callable[[str], None]
) -> list[BenchRow]:
    async def row(solver: Solver) -> BenchRow:
        try:
            evaluation = await resources.solve(solver, name, _tell_quarters(name, solver, tell))
        except PreceptorError as error:
            if solver.kind != "teacher":
                raise
            return BenchRow(solver.name, "teacher", (None,) * size, None, _fail(error))
        reached = row_of(resources.problem, solver, evaluation)
        told = "" if reached.partial_mean is None else f", mean {reached.partial_mean:.6g}"
        tell(
            f"{name}: {solver.name} solved {reached.solved} of {len(reached.costs)}{told}, "
            f"in {evaluation.cpu:.1f} s"
        )
        return reached

    size = len(resources.problem.load(name))
    teachers = [solver for solver in solvers if solver.kind == "teacher"]
    others = [solver for solver in solvers if solver.kind != "teacher"]
    return [*await asyncio.gather(*map(row, others)), *[await row(one) for one in teachers]]


def _fail(error: PreceptorError) -> Failure:
    """Of a teacher that could not answer: what others reached is shown all the same."""
    return Failure("crash", str(error))


def _tell_quarters(
    name: str, solver: Solver, tell: Callable[[str], None]
) -> Callable[[int, int], None]:
    """Tells of every quarter of a set that a program has solved, but the last."""

    def finished(done: int, size: int) -> None:
        if done < size and 4 * done // size > 4 * (done - 1) // size:
            tell(f"{name}: {solver.name} has solved {done} of {size}")

    return finished


def row_of(problem: Problem, solver: Solver, evaluation: Evaluation) -> BenchRow:
    """What a solver reached, in the natural sense of its problem."""
    costs = tuple(None if c is None else problem.objective(c) for c in evaluation.costs)
    solved = sum(cost is not None for cost in costs)
    seconds = evaluation.cpu / solved if solved else None
    decisions = count_decisions(problem.contract, evaluation.actions)
    pace = evaluation.cpu / decisions if decisions else None
    return BenchRow(solver.name, solver.kind, costs, seconds, evaluation.failure, pace)


def count_ahead(problem: Problem, row: BenchRow, known: BenchRow) -> int:
    """On how many instances a solver is better than what is best known."""
    pairs = [
        (problem.objective(found), problem.objective(best))  # the cost of an objective
        for found, best in zip(row.costs, known.costs, strict=True)
        if found is not None and best is not None
    ]
    return sum(found < best - PRECISION * max(1.0, abs(best)) for found, best in pairs)


def _source(problem: str, name: str) -> str:
    """How the best known objectives of a set were found."""
    computed = of_problem(problem).get(name)
    return "came with the set" if computed is None else computed.solver


def _references(instances: Sequence[Instance]) -> list[BenchRow]:
    """The best known objectives as a row of their own; none where nothing is known."""
    known = tuple(instance.reference for instance in instances)
    return [BenchRow(BEST_KNOWN, "reference", known)] if any(k is not None for k in known) else []
