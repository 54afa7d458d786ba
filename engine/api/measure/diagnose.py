"""A teacher's comments on any solver: solve a set, sample the states visited, ask, show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import teachers
from engine.diagnosis.sampling import plan_sampling
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.specs.settings import Settings
from engine.domain.values import Case, Diagnostics
from engine.runtime.measure.solvers import Solver, SolverResources, refuse_whole
from problems.base import Problem, visited
from problems.errors import PreceptorError, TeacherUnavailable


@dataclass(frozen=True, slots=True)
class DiagnosisReport:
    """Diagnostics of a solver on a set; `pictures` draw the states of the cases, one each."""

    problem: str
    set: str
    solver: str
    teacher: str
    diagnostics: Diagnostics
    pictures: tuple[str, ...]

    def __repr__(self) -> str:
        found = self.diagnostics
        return (
            f"<{self.solver} on {self.set} of {self.problem}: agrees with {self.teacher} at "
            f"{found.agreement:.3f} ± {found.stderr:.3f} of {found.states} states, "
            f"chance {found.chance:.3f}>"
        )


async def diagnose(
    resources: SolverResources,
    solver: Solver,
    teacher: str,
    settings: Settings,
    tell: Callable[[str], None],
) -> DiagnosisReport:
    """What a teacher (by default the problem's own) says of a solver.

    Set and states are those of a run with these settings; `tell` receives each step. Raises
    PreceptorError for a solver that fails, UnknownName, and TeacherUnavailable, also where no
    teacher is known.
    """
    problem = resources.problem
    refuse_whole(problem)
    spec = _specify(resources, teacher, settings)
    await resources.consult(spec)
    tell(f"{solver.name} solves {spec.design}")
    solved = await resources.solve(solver, spec.design)
    if solved.failure is not None:
        kind = solved.failure.kind
        message = solved.failure.message
        raise PreceptorError(f"{solver.name} failed on {spec.design}: {kind}, {message}")
    tell(f"{spec.teacher} comments on {spec.sampling.states} states")
    checks = max(0, settings.advice)
    answer = await resources.diagnose(spec, settings, solver, solved, checks)
    found = answer.diagnostics
    if found is None:
        raise TeacherUnavailable(
            f"{spec.teacher} gives no diagnostics of {solver.name}: {answer.failure}; "
            "see `preceptor teachers verify`"
        )
    instances = problem.load(spec.design)
    pictures = tuple(_draw(problem, instances, solved.actions, case) for case in found.cases)
    return DiagnosisReport(problem.name, spec.design, solver.name, spec.teacher, found, pictures)


def _specify(resources: SolverResources, teacher: str, settings: Settings) -> TeacherSpec:
    """Who comments on which set at which states, defaults filled in. Raises TeacherUnavailable."""
    problem = resources.problem
    design = settings.design or problem.design
    chosen = teacher or _default(problem, resources.ref.name)
    instances = problem.load(design)
    teachers.check_set(chosen, resources.ref, instances)
    sampling = plan_sampling(
        len(instances),
        settings.states or problem.states,
        settings.phases,
        settings.sampling_seed,
        settings.cases,
    )
    return TeacherSpec(resources.ref, chosen, design, sampling, resources.device)


def _default(problem: Problem, place: str) -> str:
    teacher = teachers.default(problem.name, place=place)
    if teacher is None:
        raise TeacherUnavailable(
            f"no teacher is known for {problem.name}; name one with --teacher"
        )
    return teacher


def _draw(
    problem: Problem, instances: Sequence[Any], actions: Sequence[Sequence[int]], case: Case
) -> str:
    states = visited(problem, instances[case.instance], actions[case.instance])
    return problem.draw(next(islice(states, case.step, None)))
