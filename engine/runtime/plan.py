"""A run's specification with every default filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import problems
import teachers
from engine.diagnosis.sampling import Sampling, plan_sampling
from engine.domain.names import AUTO, ROLLOUT
from engine.domain.specs.settings import NO_SELECTION, RunSpec, Settings
from engine.search.methods.method_file import method_of
from engine.search.methods.methods import count_checks, must_help, refuse_misfit
from engine.search.methods.types import Method
from problems.base import Instance, Problem
from problems.errors import TeacherUnavailable, UserError


@dataclass(frozen=True, slots=True)
class Plan:
    """A run's specification with every default filled in, before any process starts.

    `selection_set` is empty, and has no instances, where the winner is the best on the design set.
    """

    spec: RunSpec
    problem: Problem
    method: Method
    design_set: str
    instances: tuple[Instance, ...]
    sampling: Sampling
    selection_set: str = ""
    selection_instances: tuple[Instance, ...] = ()

    @property
    def checks(self) -> int:
        """Disagreements of every program with its teacher that are checked."""
        return count_checks(self.method, self.spec.settings)

    @property
    def reference(self) -> float | None:
        """Mean best known cost of the design set; None unless all its instances have one."""
        return mean_reference(self.problem, self.instances)


def plan(spec: RunSpec, method: Method | None = None) -> Plan:
    """Resolve names and defaults. Raises UnknownName and UserError before anything is spent.

    `method` is that of the specification where it is known already.
    """
    problem = problems.load(spec.problem)
    method = method or method_of(spec)
    settings = spec.settings
    refuse_misfit(method, settings)
    design = settings.design or problem.design
    instances = problem.load(design)
    sampling = plan_sampling(
        len(instances),
        settings.states or problem.states,
        settings.phases,
        settings.sampling_seed,
        settings.cases,
    )
    teacher = choose_teacher(spec, problem, method) if method.teacher else ""
    spec = replace(spec, teacher=teacher)
    selection = choose_selection(settings, problem, design)
    others = problem.load(selection) if selection else ()
    return Plan(spec, problem, method, design, instances, sampling, selection, others)


def mean_reference(problem: Problem, instances: Sequence[Instance]) -> float | None:
    """Mean best known cost of some instances; None unless all of them have one."""
    known = [instance.reference for instance in instances]
    objectives = [objective for objective in known if objective is not None]
    if not objectives or len(objectives) < len(known):
        return None
    return problem.objective(sum(objectives) / len(objectives))  # its own inverse


def choose_selection(settings: Settings, problem: Problem, design: str) -> str:
    """The set on which the winner is chosen: asked for, like the design set, or the problem's.

    Empty for none. Raises UserError for the design set itself.
    """
    if settings.selection == NO_SELECTION:
        return ""
    if settings.selection == design:
        raise UserError(
            f"option selection: {design} is the design set, on which every program was chosen; "
            f"name another set, or {NO_SELECTION}"
        )
    own = problem.selection
    if not settings.selection and design != problem.design:
        own = problem.selection_like(design) or own
    return settings.selection or ("" if own == design else own)


def choose_teacher(spec: RunSpec, problem: Problem, method: Method) -> str:
    """The teacher asked for, or the method's default for the problem.

    Where none is known, the strongest is `rollout`, and so is `auto`. Raises TeacherUnavailable
    without one, UserError for several, where there are no decisions to comment on, and for `auto`
    where prompts tell the teacher's word whether it helps or not.
    """
    if problem.contract.whole:
        raise UserError(
            f"programs of {problem.name} return whole solutions, and a teacher comments on "
            "decisions; search without one: --method performance-only, eoh or reevo"
        )
    if "," in spec.teacher:
        raise UserError(f"a run has one teacher, not {spec.teacher}: give --teacher once")
    paper = method.default_teacher == "paper"
    own = teachers.default(problem.name, paper, spec.problem.name)
    if spec.teacher == AUTO:
        if not must_help(method, spec.settings):
            raise UserError(
                "--teacher auto: the teacher's word is used only where its checked advice helps, "
                "as method preceptor has it; other methods need --option prompt_teacher=helpful "
                "--option advice=20"
            )
        return own or ROLLOUT
    chosen = spec.teacher or own or ("" if paper else ROLLOUT)
    if not chosen:
        raise TeacherUnavailable(
            f"no teacher is known for {problem.name}; name one (--teacher rollout does for any "
            "problem), or search without one: --method performance-only"
        )
    return chosen
