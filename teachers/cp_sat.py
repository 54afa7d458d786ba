"""The job shop as a model of CP-SAT, and the exact teacher that it makes: `cp-sat`.

The teacher scores a job by minus the least makespan that can still be reached once the job's next
operation is placed now. What is placed keeps its start and the operation goes where
`problems.jssp.state.dispatch` puts it; the rest is solved to proved optimality. Every completion
that CP-SAT finds can be dispatched: in order of start each operation finds its time free, so that
it is placed there or earlier. Every completion by dispatching is a solution of the model, too.
So the scores are exact.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from problems.base import Decision, Problem
from problems.errors import TeacherUnavailable
from problems.identity import digest_rooms
from problems.jssp.instances import Instance
from problems.jssp.state import State, dispatch
from teachers.base import Verdict, verdict

INSTALL = "pip install 'preceptor[reference]'"
"""What brings CP-SAT."""

LARGEST = 100
"""Operations of a shop on which the teacher comments; above, proofs take too long."""

LIMIT = 5.0
"""CP-SAT's deterministic limit for one proof; a unit is about three seconds of one core."""

ROOMS = ("teachers/base.py", "teachers/cp_sat.py", "problems/jssp/state.py")
"""The code that a verdict depends on."""


@dataclass(frozen=True, slots=True)
class ShopModel:
    """A shop for CP-SAT, to be minimised.

    `starts[job, operation]` is a variable, or the start of an operation that is placed.
    """

    model: Any
    makespan: Any
    starts: Mapping[tuple[int, int], Any]


@dataclass(frozen=True, slots=True)
class Completion:
    """The least makespan from a state, and the jobs of one way there in order of dispatch."""

    makespan: int
    jobs: tuple[int, ...]


def is_installed() -> bool:
    """Whether CP-SAT can be imported; it takes the extra `reference`."""
    return importlib.util.find_spec("ortools") is not None


def build_model(
    shop: Instance, least: int, most: int, placed: Mapping[tuple[int, int], int]
) -> ShopModel:
    """The shop with a makespan from `least` to `most`; `placed` operations keep their starts."""
    from ortools.sat.python import cp_model

    model: Any = cp_model.CpModel()
    makespan = model.new_int_var(least, most, "makespan")
    starts: dict[tuple[int, int], Any] = {}
    lines: list[list[Any]] = [[] for _ in range(shop.machine_count)]
    for job, durations in enumerate(shop.durations):
        for index, duration in enumerate(durations):
            known = placed.get((job, index))
            start = starts[job, index] = model.new_int_var(0, most, "") if known is None else known
            interval = model.new_fixed_size_interval_var(start, duration, "")
            lines[shop.machines[job][index]].append(interval)
            model.add(makespan >= start + duration)
            if index and known is None:
                model.add(start >= starts[job, index - 1] + durations[index - 1])
    for line in lines:
        model.add_no_overlap(line)
    model.minimize(makespan)
    return ShopModel(model, makespan, starts)


def new_solver(limit: float) -> Any:
    """CP-SAT with one worker and a fixed seed; the limit is deterministic work, not seconds."""
    from ortools.sat.python import cp_model

    solver: Any = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = limit
    return solver


def refuse_large(instances: Iterable[Instance]) -> None:
    """Raise TeacherUnavailable for the first shop of more than `LARGEST` operations."""
    for shop in instances:
        if shop.size > LARGEST:
            raise TeacherUnavailable(
                f"teacher {CpSat.name} solves shops of at most {LARGEST} operations and "
                f"{shop.name} has {shop.size}; choose a set of smaller ones, as random-6x6"
            )


class CpSat:
    """The exact teacher of the job shop; see `teachers.base.Teacher`."""

    name = "cp-sat"
    problem = "jssp"

    def __init__(self, limit: float = LIMIT) -> None:
        """`limit` is for each proof. Raises TeacherUnavailable where CP-SAT is not installed."""
        if not is_installed():
            raise TeacherUnavailable(f"teacher {self.name} needs CP-SAT: {INSTALL}")
        code = digest_rooms(ROOMS)[:16]
        self.fingerprint = f"{self.name} code-{code} ortools-{version('ortools')} limit-{limit:g}"
        self._limit = limit

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """One verdict per decision: minus the least makespan after each job, in units of time.

        No preference where a proof takes more than the limit. Raises TeacherUnavailable for a
        shop of more than `LARGEST` operations.
        """
        refuse_large(decision.state.instance for decision in decisions)
        return [self._verdict(decision) for decision in decisions]

    def _verdict(self, decision: Decision) -> Verdict:
        found = least_makespans(decision.state, decision.actions, self._limit)
        if found is None:
            return Verdict(None, None)
        return verdict(decision.actions, [-float(makespan) for makespan in found])


def build(problem: Problem, device: str) -> CpSat:
    """The teacher, whatever the device. Raises TeacherUnavailable where CP-SAT is missing."""
    return CpSat()


def least_makespans(
    state: State, jobs: Sequence[int], limit: float = LIMIT
) -> tuple[int, ...] | None:
    """The least makespan that can be reached after placing each of the unfinished `jobs` now.

    None where one of them is not proved within the limit.
    """
    rows = zip(state.instance.durations, state.next_op, strict=True)
    one_by_one = state.makespan + sum(sum(row[placed:]) for row, placed in rows)
    best = complete(state, state.makespan, one_by_one, limit)
    if best is None:
        return None
    found = []
    for job in jobs:
        least = _least_after(dispatch(state, job), job, best, limit)
        if least is None:
            return None
        found.append(least)
    return tuple(found)


def complete(state: State, least: int, most: int, limit: float) -> Completion | None:
    """The best completion of a schedule, known to be from `least` to `most`.

    None where it is not proved within the limit.
    """
    from ortools.sat.python import cp_model

    placed = {(p.job, p.operation): p.start for line in state.machines for p in line}
    shop = build_model(state.instance, least, most, placed)
    solver = new_solver(limit)
    solver.parameters.linearization_level = 0  # 10x10 is proved in a fifth of the time
    if solver.solve(shop.model) != cp_model.OPTIMAL:
        return None
    starts = {at: solver.value(start) for at, start in shop.starts.items() if at not in placed}
    return Completion(solver.value(shop.makespan), _dispatch_order(state.instance, starts))


def _least_after(state: State, job: int, best: Completion, limit: float) -> int | None:
    """The least makespan from a state just after `job` was placed.

    `best` is the best from the state before: no job leads below it, and its order with `job`
    drawn to the front can be dispatched.
    """
    rest = list(best.jobs)
    rest.remove(job)
    reached = state
    for one in rest:
        reached = dispatch(reached, one)
    if reached.makespan == best.makespan:
        return best.makespan
    found = complete(state, best.makespan, reached.makespan, limit)
    return None if found is None else found.makespan


def _dispatch_order(shop: Instance, starts: Mapping[tuple[int, int], int]) -> tuple[int, ...]:
    """The jobs in order of start; of equal starts what takes no time goes first."""

    def moment(at: tuple[int, int]) -> tuple[int, int, int]:
        job, operation = at
        return starts[at], starts[at] + shop.durations[job][operation], operation

    return tuple(job for job, _ in sorted(starts, key=moment))
