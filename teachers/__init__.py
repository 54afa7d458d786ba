"""The teachers, found by name: shipped or the user's own, entry points, a file, or any program.

Nothing here imports torch before a learned teacher is loaded.
"""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, cast

import problems
from problems.errors import TeacherUnavailable, UnknownName, UserError
from teachers.weights import Header, header_files, read, read_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems import ProblemRef
    from problems.base import Problem
    from teachers.base import Teacher

    Factory = Callable[[Problem, str], Teacher]

GROUP = "preceptor.teachers"
PROGRAM = "program:"


def names() -> tuple[str, ...]:
    """Every known teacher, listed without importing one."""
    families = (path.parent.name for path in Path(__file__).parent.glob("*/teacher.py"))
    known = {family.replace("_", "-") for family in families} | set(header_files())
    return tuple(sorted(known | {entry.name for entry in entry_points(group=GROUP)}))


def headers() -> tuple[Header, ...]:
    """What is known of every teacher with weights, by name; opens no weights.

    Raises TeacherUnavailable for a header file that does not read.
    """
    return tuple(read_header(file) for _, file in sorted(header_files().items()))


def default(problem: str) -> str | None:
    """The teacher that comments on a problem unless another is named; None where there is none."""
    return next((name for name, of in DEFAULTS.items() if of == problem), None)


DEFAULTS = {"offline-l2d": "jssp"}
"""The shipped teachers that the paper names for its tasks."""


def load(spec: str, problem: ProblemRef, device: str = "auto") -> Teacher:
    """The teacher of a name, of `FILE.py:CLASS`, or of `program:FILE.py`.

    A class (or an entry point) is called with the problem and the device word. `device` is
    "auto" (CUDA when there, else CPU) or a word of torch's. Raises UnknownName or UserError for a
    request that cannot be, TeacherUnavailable for weights that are missing or altered.
    """
    task = problems.load(problem)
    if spec.startswith(PROGRAM):
        from teachers.program import ProgramTeacher

        return ProgramTeacher.read(Path(spec.removeprefix(PROGRAM)), task)
    teacher = _factory(spec)(task, device)
    if teacher.problem != task.name:
        raise UserError(f"teacher {spec} comments on {teacher.problem}, not on {task.name}")
    return teacher


def _factory(spec: str) -> Factory:
    file, colon, word = spec.rpartition(":")
    if colon and file.endswith(".py"):
        return _from_file(Path(file), word)
    if spec in header_files():
        return lambda _, device: _learned(spec, device)
    for entry in entry_points(group=GROUP):
        if entry.name == spec:
            return cast("Factory", entry.load())
    if spec in names():
        raise TeacherUnavailable(f"{spec} has no weights yet; `preceptor teachers train {spec}`")
    raise UnknownName("teacher", spec, names())


def _learned(name: str, device: str) -> Teacher:
    header, arrays = read(header_files()[name])
    from teachers.device import chosen_device

    family = importlib.import_module(f"teachers.{header.family}.teacher")
    return cast("Teacher", family.build(header, arrays, chosen_device(device)))


def _from_file(file: Path, word: str) -> Factory:
    spec = importlib.util.spec_from_file_location(f"preceptor_teacher_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise UserError(f"{file}: no such file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, word):
        raise UnknownName(f"teacher in {file}", word, vars(module))
    return cast("Factory", getattr(module, word))
