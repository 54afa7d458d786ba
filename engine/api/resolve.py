"""From what was typed to a complete specification, checked before it costs.

The first of these that says something counts: what was asked for, preset, environment,
preceptor.toml, default. `preceptor run`, the launch form and scripts all come this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import problems
import teachers
from engine.api.study_file import read_study
from engine.diagnosis.teacher_process import TeacherSpec, try_teacher
from engine.domain.names import AUTO, FILES, IMPORTED, ROLLOUT, split_names
from engine.domain.records import BEST_KNOWN
from engine.domain.specs.settings import Caps, RunSpec, Settings, resolve
from engine.domain.specs.study import Arm, StudySpec, Task
from engine.evaluate.speed import limit_decisions
from engine.llm.folder import PREFIX
from engine.llm.openai.local_servers import find_servers
from engine.runtime.measure.held_out import benchmark_sets
from engine.runtime.measure.program_file import read_extra_seeds
from engine.runtime.measure.solvers import find_solver
from engine.runtime.plan import Plan, plan
from engine.runtime.writers.estimate import sample_request, seed_candidates
from engine.runtime.writers.open_writer import open_writer
from engine.runtime.writers.writer_config import names as _configured
from engine.runtime.writers.writer_config import resolve_endpoints
from engine.search.methods.method_file import load_method, method_of
from engine.search.methods.methods import METHODS
from engine.search.methods.operators import OPERATORS
from engine.search.prompts.custom import load_prompts
from problems import ProblemRef
from problems.errors import TeacherUnavailable, UnknownName, UserError
from problems.examine import SECONDS, refuse_broken
from problems.identity import digest_rooms
from teachers.weights import header_files, read

if TYPE_CHECKING:
    from engine.store.reader import Reader

STANDARD = "preceptor"
"""The method of a run that names none."""

PAPER = "ours"
"""The same with the settings of the paper's experiments, preset `paper`."""

ALONE = "performance-only"
"""The method that needs no teacher, of programs that return whole solutions."""

Options = Mapping[str, object] | tuple[str, ...]
"""Settings by name, or in the words of the command line: `KEY=VALUE`."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run as somebody asks for it; None is not said, so that a default counts.

    `problem` and `method` are names or files, `writer` and `analyzer` specifications such as
    `builtin` or `openai:MODEL`, `design` is the instance set that is searched on. `start` are
    files, `run:N/ID` or numbers of runs whose programs join the seeds. Example:
    `RunRequest("jssp", seed=3, options={"generations": 2, "children": 4})`
    """

    problem: str
    method: str | None = None
    seed: int | None = None
    writer: str | None = None
    analyzer: str | None = None
    teacher: str | None = None
    design: str | None = None
    preset: str | None = None
    options: Options = ()
    caps: Caps = field(default_factory=Caps)
    start: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers a run that continues as another; "" leaves a name as it was."""

    writer: str = ""
    analyzer: str = ""
    teacher: str = ""

    def within(self, spec: RunSpec, reader: Reader) -> RunSpec:
        """The specification with these names, checked as a new run's are.

        Where only a writer is named, an imported analyzer gives way to it.
        """
        if self == THE_SAME:
            return spec
        imported = IMPORTED in spec.analyzer
        analyzer = self.analyzer or ("" if imported and self.writer else spec.analyzer)
        named = replace(
            spec,
            writer=self.writer or spec.writer,
            analyzer=analyzer,
            teacher=self.teacher or spec.teacher,
        )
        names = (named.writer, named.analyzer, named.teacher)
        return named if any(IMPORTED in name for name in names) else complete(named, reader).spec


THE_SAME = Answering()


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """A checked study: for every problem and method the first of its runs, as planned.

    `sets` are the held-out sets of each problem, `missing` those that are not imported.
    """

    spec: StudySpec
    firsts: tuple[Plan, ...]
    sets: tuple[tuple[str, ...], ...]
    missing: tuple[tuple[str, ...], ...]


def resolve_run(request: RunRequest, reader: Reader) -> Plan:
    """The run that was asked for, with everything filled in and its files read.

    Raises UnknownName and UserError for what does not exist, TeacherUnavailable for a teacher
    that cannot answer, BadProgram for a program to start from that may not run. No key is needed.
    """
    ref, settings = resolve_settings(
        request.problem, request.options, request.design, request.preset
    )
    if request.seed is not None and request.seed < 0:
        raise UserError(f"a seed is a whole number from 0 on, not {request.seed}")
    named = ("method", "seed", "writer", "analyzer", "teacher")
    said = {name: value for name in named if (value := getattr(request, name)) is not None}
    said.setdefault("method", _choose_method(ref, request.preset))
    planned = complete(RunSpec(ref, settings=settings, caps=request.caps, **said), reader)
    if request.start and settings.start != "seeds":
        raise UserError("programs to start from join the seeds: leave out option start=contract")
    extra = read_extra_seeds(request.start, planned.problem, reader.path)
    return replace(planned, spec=replace(planned.spec, extra_seeds=extra))


def _choose_method(ref: ProblemRef, preset: str | None) -> str:
    """The method of a run that names none."""
    if problems.load(ref).contract.whole:
        return ALONE
    return STANDARD if preset is None else PAPER


def resolve_study(file: Path, reader: Reader) -> StudyPlan:
    """The study of a file, every problem and method of it checked as a run is.

    Raises what `resolve_run` does, UnknownName and UserError for sets and solvers too.
    """
    spec = read_study(file)
    spec = replace(spec, tasks=tuple(map(_absolute_task, spec.tasks)))
    firsts = tuple(complete(run, reader) for run in spec.runs() if run.seed == spec.seeds[0])
    _refuse_ambiguous(spec, firsts)
    spec = _name_all(spec, firsts)
    sets, missing = zip(*map(_choose_sets, spec.tasks), strict=True)
    return StudyPlan(spec, firsts, sets, missing)


def resolve_settings(
    problem: str,
    options: Options = (),
    design: str | None = None,
    preset: str | None = None,
) -> tuple[ProblemRef, Settings]:
    """The problem with its own options, and the settings.

    A problem of the user's own is tried in a process that can be stopped before it is loaded in
    this one. Raises UnknownName and UserError, BadModule for one that no run could work on.
    """
    words = (*option_words(options), *([f"design={design}"] if design else []))
    ref, settings = resolve(absolute_problem(problem), words, preset or None)
    try_problem(problems.without_kind(ref), check_seconds(settings))
    return problems.settle_kind(ref), settings


def check_seconds(settings: Settings) -> float:
    """CPU seconds that a check of a problem may use: `SECONDS`, unless a limit was asked for."""
    asked = settings.eval_seconds
    return SECONDS if asked == Settings().eval_seconds else asked


def try_problem(ref: ProblemRef, seconds: float) -> None:
    """Refuse a problem of the user's own that is broken, once for each state of its files.

    Raises BadModule; a problem that cannot be found is refused by whoever loads it.
    """
    with suppress(UnknownName):
        if not problems.is_shipped(ref.name) and (room := problems.source(ref.name)).exists():
            _try_problem(ref, seconds, digest_rooms.__wrapped__((str(room),)))


@cache
def _try_problem(ref: ProblemRef, seconds: float, _files: str) -> None:
    refuse_broken(ref, seconds)


def option_words(options: Options) -> tuple[str, ...]:
    """Settings in the words of the command line."""
    if isinstance(options, Mapping):
        return tuple(f"{key}={value}" for key, value in options.items())
    return options


def complete(spec: RunSpec, reader: Reader) -> Plan:
    """A specification with teacher and language models named and its paths made absolute.

    Files of the user's are read here, once. Raises what `resolve_run` does.
    """
    spec = load_prompts(load_method(spec))
    method = method_of(spec)
    if spec.teacher and not method.teacher:
        raise UserError(f"method {method.name} does not use a teacher; leave --teacher out")
    for name in filter(None, spec.settings.operators.split(",")):
        method.operator(name)
    spec = replace(
        spec,
        writer=absolute_paths(spec.writer),
        analyzer=absolute_paths(spec.analyzer),
        teacher=absolute_paths(spec.teacher),
    )
    planned = plan(resolve_endpoints(spec), method)
    spec = planned.spec
    for operator in (own for own in method.operators if own.name not in OPERATORS):
        sample_request(planned.problem, operator, seed_candidates(planned.problem))
    models = {endpoint.name for endpoint in spec.endpoints}
    for writer in {*spec.writers, spec.reflector} - models:
        open_writer(writer, planned.problem, reader, {})
    if spec.teacher:
        _check_teacher(planned)
    return replace(planned, spec=replace(spec, settings=_limit_time(planned)))


def _limit_time(planned: Plan) -> Settings:
    """The settings with one limit of a program's time, the smaller one of both."""
    settings = planned.spec.settings
    most = settings.eval_seconds
    seconds = limit_decisions(planned.problem, planned.instances, settings.decision_ms, most)
    if seconds < most:
        return replace(settings, eval_seconds=seconds)
    return replace(settings, decision_ms=0.0)


def _check_teacher(planned: Plan) -> None:
    """Refuse a teacher that could not answer, without loading torch to find out.

    A third party's class is built in a process of its own. Raises TeacherUnavailable for weights
    that are missing or altered and for a class that cannot be built, UnknownName, and UserError
    for a teacher of another problem.
    """
    name = planned.spec.teacher
    if ":" in name or name in {entry.name for entry in problems.offered(teachers.GROUP)}:
        try_teacher(TeacherSpec(planned.spec.problem, name, planned.design_set, planned.sampling))
        return
    if name == ROLLOUT:
        return
    if name in teachers.EXACT:
        teachers.check_set(name, planned.spec.problem, planned.instances)
        return
    files = header_files()
    if name not in teachers.names():
        raise UnknownName("teacher", name, (*teachers.names(), ROLLOUT, AUTO))
    if name not in files:
        train = f"preceptor teachers train {name}"
        raise TeacherUnavailable(f"teacher {name} has no weights yet; make some with: {train}")
    header, _ = read(files[name])
    if header.problem != planned.problem.name:
        wanted = planned.problem.name
        raise UserError(f"teacher {name} comments on {header.problem}, not on {wanted}")


def _absolute_task(task: Task) -> Task:
    """The task with the path of its problem made absolute: a study is resumed from any folder."""
    return replace(task, problem=replace(task.problem, name=absolute_problem(task.problem.name)))


def _refuse_ambiguous(spec: StudySpec, firsts: Sequence[Plan]) -> None:
    """Raise UserError for a method or an arm that tables could not tell from another solver."""
    for planned in firsts:
        rules = {rule.name for rule in planned.problem.rules()}
        taken = {*rules, planned.spec.teacher, *teachers.names(), BEST_KNOWN}
        for name in spec.methods:
            if name in taken:
                kind = "a rule" if name in rules else "a solver"
                raise UserError(
                    f"{spec.name}: {name} is {kind} of {planned.problem.name} and stands in the "
                    "same tables; give the arm another name"
                )


def _name_all(spec: StudySpec, firsts: Sequence[Plan]) -> StudySpec:
    """The study with the names and limits that its first runs were completed with."""
    own = [one for one in firsts if not spec.arm(one.spec.label).teacher]
    completed = {one.spec.label: one.spec for one in firsts}
    endpoints = {model.name: model for one in firsts for model in one.spec.endpoints}
    return replace(
        spec,
        tasks=tuple(_limit_task(_name_teachers(task, own), firsts) for task in spec.tasks),
        arms=tuple(_name_arm(arm, completed[arm.name]) for arm in spec.arms),
        writer=absolute_paths(spec.writer),
        analyzer=absolute_paths(spec.analyzer),
        endpoints=tuple(endpoints.values()),
    )


def _name_teachers(task: Task, firsts: Sequence[Plan]) -> Task:
    """The task with the teacher of its first arm, and those of methods with another default."""
    of_method = {
        one.spec.method: one.spec.teacher
        for one in firsts
        if one.method.teacher and one.spec.problem == task.problem
    }
    teacher = next(iter(of_method.values()), "")
    others = tuple((method, name) for method, name in of_method.items() if name != teacher)
    return replace(task, teacher=teacher, defaults=others)


def _limit_task(task: Task, firsts: Sequence[Plan]) -> Task:
    """The task with the limit of a program's time that its first run was completed with."""
    limited = next(one.spec.settings for one in firsts if one.spec.problem == task.problem)
    settings = replace(
        task.settings, eval_seconds=limited.eval_seconds, decision_ms=limited.decision_ms
    )
    return replace(task, settings=settings)


def _name_arm(arm: Arm, first: RunSpec) -> Arm:
    """The arm with what it names itself as its first run was completed with."""
    return replace(
        arm,
        teacher=first.teacher if arm.teacher else "",
        writer=first.writer if arm.writer else "",
        analyzer=first.analyzer if arm.analyzer else "",
    )


def _choose_sets(task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Held-out sets of a task, here and missing; raises for what the task names wrongly."""
    problem = problems.load(task.problem)
    for solver in task.solvers:
        find_solver(problem, solver)
    for name in task.sets:
        problem.load(name)
    return (task.sets, ()) if task.sets else benchmark_sets(problem)


def absolute_paths(name: str) -> str:
    """A name with the files in it made absolute: a run is resumed from any folder."""
    if "," in name:
        return ",".join(map(absolute_paths, split_names(name)))
    if name.startswith(PREFIX) and name != PREFIX:
        return f"{PREFIX}{Path(name.removeprefix(PREFIX)).absolute()}"
    parts = (str(Path(p).absolute()) if p.endswith(FILES) else p for p in name.split(":"))
    return ":".join(parts)


def absolute_problem(name: str) -> str:
    """The same for a problem, which may also be a folder: by a path, or by a name that is free."""
    here = name not in problems.names() and (Path(name) / "problem.py").is_file()
    return str(Path(name).absolute()) if here or "/" in name or name.endswith(".py") else name


def method_names() -> tuple[str, ...]:
    """The methods that come with Preceptor."""
    return tuple(METHODS)


def local_writers() -> tuple[str, ...]:
    """What `--llm` calls the models of the servers on this machine; takes a second at most."""
    return tuple(writer for server in find_servers() for writer in server.writers)


def writer_names() -> tuple[str, ...]:
    """The built-in writer, and the language models of a preceptor.toml that can be read."""
    try:
        return ("builtin", *_configured())
    except UserError:
        return ("builtin",)
