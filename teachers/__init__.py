"""The teachers, found by name: learned, exact, entry points, a file, or any program.

Learned teachers come in families, one folder here each; it is found by its files:

    __init__.py  TEACHERS: the names it trains and the problem of each; imports no torch
    network.py   what is learned
    teacher.py   FAMILY, how its networks are made and asked (`teachers.family`), and its `build`
    train.py     how it learns: settings, and what an iteration does, and
                 train(name, minutes=, seed=, out=, device=, report=, resume=, start=) -> Header,
                 defaults for all but the name: `teachers.training.training_loop` with a family
    official.py  where others publish networks: LAYOUT, a word for theirs, and read(found, stem),
                 see `teachers.training.official_layouts`

`field_policy` is a family for any problem: its teachers are called after their problem.

An exact teacher solves what is left of an instance (`EXACT`); it has no weights and no family.
Nothing here imports torch before a learned teacher is loaded or trained.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import problems
from problems import ProblemRef
from problems.base import Problem
from problems.errors import BadModule, TeacherUnavailable, UnknownName, UserError
from problems.identity import digest_rooms
from problems.own_code import call, run_module
from teachers.base import Teacher
from teachers.conformance import check_parts
from teachers.weights import Header, header_files, read, read_header

Factory = Callable[[Problem, str], Teacher]
Train = Callable[..., Header]

GROUP = "preceptor.teachers"
PROGRAM = "program:"
PAPER = ("offline-l2d", "lehd-tsp", "lehd-cvrp", "eco-dqn")
"""The teachers of the paper."""
STRONGEST = ("es-jssp", "lehd-tsp", "lehd-cvrp", "es-maxcut")
"""The teachers that ship and reach the lowest cost, one for each problem."""
POLICY = "field_policy"
"""The family that trains a teacher for any problem."""
EXACT = {"cp-sat": "jssp"}
"""The teachers that solve what is left of an instance, with the problem of each."""


def names() -> tuple[str, ...]:
    """Every known teacher, listed without loading one."""
    return tuple(sorted({*learned(), *EXACT}))


def learned() -> tuple[str, ...]:
    """The known teachers without the exact ones: what has, or might have, weights."""
    known = {*_families(), *header_files()}
    offered = {entry.name for entry in problems.offered(GROUP)}
    return tuple(sorted((known | offered) - EXACT.keys()))


def headers() -> tuple[Header, ...]:
    """What is known of every teacher with weights, by name; opens no weights.

    Raises TeacherUnavailable for a header file that does not read.
    """
    return tuple(read_header(file) for _, file in sorted(header_files().items()))


def trained() -> dict[str, str]:
    """The teachers that the families here train, weights or not, with the problem of each."""
    return {name: family.TEACHERS[name] for name, family in _families().items()}


def default(problem: str, paper: bool = False, place: str = "") -> str | None:
    """The strongest teacher of a problem that has weights, or the `paper`'s; None without one.

    Of a problem for which none ships it is one that was trained, for the folder or file `place`
    where that holds a problem of the user's own: names of folders are not unique.
    """
    known = header_files()
    shipped = PAPER if paper else (*STRONGEST, *PAPER)
    problem_of = trained()
    found = [one for one in shipped if problem_of[one] == problem and one in known]
    if not found and not paper:
        own = [header for header in headers() if header.problem == problem]
        found = [header.name for header in own if _is_for(header, place)]
    return found[0] if found else None


def problem_of(header: Header) -> ProblemRef:
    """The problem that a teacher with weights was made for: of the user's own its path."""
    recipe = header.origin.get("recipe", {}) if header.family == POLICY else {}
    return problems.ProblemRef(recipe.get("problem", header.problem))


def _is_for(header: Header, place: str) -> bool:
    """Whether a teacher was made for the problem at a place, or for one that has none."""
    made_for = problem_of(header).name
    return not place or not problems.is_path(made_for) or made_for == problems.home(place)


def recall_cost(name: str, instances: str) -> float | None:
    """The mean minimised cost on a set that a teacher's header records; None where it has none."""
    file = header_files().get(name)
    return None if file is None else read_header(file).measured.get(instances)


def trainer(name: str) -> Train:
    """What trains a teacher, or the policy for a problem's name or path; imports torch.

    Raises UnknownName for a name that has no training.
    """
    families = _families()
    if name not in families:
        policies = {h.name: problem_of(h).name for h in headers() if h.family == POLICY}
        own = policies.get(name, name)
        if not problems.is_path(own) and own not in problems.names():
            raise UnknownName("teacher with a training", name, (*families, *problems.names()))
        train_policy: Train = importlib.import_module(f"{__name__}.{POLICY}.train").train
        return partial(train_policy, problems.ProblemRef(own))
    train: Train = importlib.import_module(f"{families[name].__name__}.train").train
    return partial(train, name)


def load(spec: str, problem: ProblemRef, device: str = "auto") -> Teacher:
    """The teacher of a name, of `FILE.py:CLASS`, or of `program:FILE.py`.

    A class (or an entry point) is called with the problem and the device word. `device` is
    "auto" (CUDA when there, else CPU) or a word of torch's. Raises UnknownName or UserError for a
    request that cannot be, BadModule for a file that fails, TeacherUnavailable for weights that
    are missing or altered, for a class that cannot be built and for what is no teacher.
    """
    task = problems.load(problem)
    if spec.startswith(PROGRAM):
        from teachers.program import ProgramTeacher

        return ProgramTeacher.read(Path(spec.removeprefix(PROGRAM)), task)
    factory = _factory(spec)
    try:
        teacher: Teacher = call(factory, task, device)
    except BadModule as error:
        raise TeacherUnavailable(str(error)) from error
    check_parts(teacher)
    if teacher.problem != task.name:
        raise UserError(f"teacher {spec} is for {teacher.problem}, not for {task.name}")
    return teacher


def identify(spec: str, teacher: Teacher) -> str:
    """What a loaded teacher's verdicts are stored under: its fingerprint, where that tells all.

    Classes of the user's own often have fingerprints alike: theirs is told with the class and the
    content of its file, or the name of the entry point.
    """
    if own := _own_class(spec):
        file, word = own
        content = digest_rooms((str(file.resolve()),))
        return f"{teacher.fingerprint} {word} file-{content[:16]}"
    if spec.startswith(PROGRAM) or spec in EXACT or spec in header_files():
        return teacher.fingerprint
    return f"{teacher.fingerprint} {spec}"


def check_set(spec: str, problem: ProblemRef, instances: Sequence[Any]) -> None:
    """Refuse instances on which an exact teacher could not comment; others take all of them.

    Raises TeacherUnavailable, and UserError for an exact teacher of another problem.
    """
    if spec in EXACT:
        from teachers.cp_sat import refuse_large

        load(spec, problem)
        refuse_large(instances)


def _families() -> dict[str, ModuleType]:
    """Teacher -> the package of its family."""
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob("*/teacher.py"))
    families = [importlib.import_module(f"{__name__}.{folder}") for folder in folders]
    return {name: family for family in families for name in family.TEACHERS}


def _factory(spec: str) -> Factory:
    if own := _own_class(spec):
        return _from_file(*own)
    if spec in EXACT:
        from teachers.cp_sat import build

        return build
    if spec in header_files():
        return lambda task, device: _learned(spec, task, device)
    for entry in problems.offered(GROUP):
        if entry.name == spec:
            return cast("Factory", problems.load_entry(entry))
    if spec in names():
        raise TeacherUnavailable(f"{spec} has no weights yet; `preceptor teachers train {spec}`")
    raise UnknownName("teacher", spec, names())


def _own_class(spec: str) -> tuple[Path, str] | None:
    """The file and the class that `FILE.py:CLASS` names; None for any other word."""
    file, _, word = spec.rpartition(":")
    return (Path(file), word) if file.endswith(".py") else None


def _learned(name: str, task: Problem, device: str) -> Teacher:
    header, arrays = read(header_files()[name])
    from teachers.device import chosen_device

    family = importlib.import_module(f"{__name__}.{header.family}.teacher")
    build = family.build_for(task) if header.family == POLICY else family.build
    return cast("Teacher", build(header, arrays, chosen_device(device)))


def _from_file(file: Path, word: str) -> Factory:
    module = run_module(file, "teacher")
    if not hasattr(module, word):
        raise UnknownName(f"teacher in {file}", word, vars(module))
    return cast("Factory", getattr(module, word))
