"""From what was typed to a booked run: everything that can be checked is, before it costs."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import problems
import teachers
from engine.diagnosis.teacher_process import TeacherSpec, try_teacher
from engine.domain.names import FILES
from engine.runtime.plan import plan
from engine.runtime.writers.estimate import sample_request, seed_candidates
from engine.runtime.writers.open_writer import open_writer
from engine.runtime.writers.writer_config import collect_keys, resolve_endpoints
from engine.search.methods.method_file import load_method, method_of
from engine.search.methods.operators import OPERATORS
from engine.search.prompts.custom import load_prompts
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import TeacherUnavailable, UnknownName, UserError
from teachers.weights import header_files, read

if TYPE_CHECKING:
    from engine.domain.specs.settings import RunSpec
    from engine.runtime.plan import Plan


def book_run(db: Path, spec: RunSpec) -> int:
    """Check a specification and book its run; returns the run's number.

    Raises what `check_run` raises, and StoreError; nothing is written unless all is well.
    """
    with Reader(db) as reader:
        checked = check_run(spec, reader)
    with Store(db) as store:
        return store.jobs.create_run(checked)


def check_run(spec: RunSpec, reader: Reader) -> RunSpec:
    """The specification with teacher and language models named and its paths made absolute.

    Raises UnknownName and UserError for what does not exist, TeacherUnavailable for a teacher
    that cannot answer, WriterUnavailable for a writer without its key.
    """
    spec = load_prompts(load_method(spec))
    method = method_of(spec)
    if spec.teacher and not method.teacher:
        raise UserError(f"method {method.name} asks no teacher; leave --teacher out")
    for name in filter(None, spec.settings.operators.split(",")):
        method.operator(name)
    spec = replace(
        spec,
        writer=absolute_paths(spec.writer),
        analyzer=absolute_paths(spec.analyzer),
        teacher=absolute_paths(spec.teacher),
    )
    spec = resolve_endpoints(spec)
    collect_keys(spec.endpoints)
    planned = plan(spec)
    for operator in (own for own in method.operators if own.name not in OPERATORS):
        sample_request(planned.problem, operator, seed_candidates(planned.problem))
    models = {endpoint.name for endpoint in spec.endpoints}
    for writer in {spec.writer, spec.analyzer or spec.writer} - models:
        open_writer(writer, planned.problem, reader, {})
    if planned.teacher is not None:
        check_teacher(planned, planned.teacher)
    return replace(spec, teacher=planned.teacher or "")


def check_teacher(planned: Plan, name: str) -> None:
    """Refuse a teacher that could not answer, without loading torch to find out.

    A third party's class is built in a process of its own. Raises TeacherUnavailable for weights
    that are missing or altered and for a class that cannot be built, UnknownName, and UserError
    for a teacher of another problem.
    """
    if ":" in name or name in {entry.name for entry in entry_points(group=teachers.GROUP)}:
        try_teacher(TeacherSpec(planned.spec.problem, name, planned.design_set, planned.sampling))
        return
    files = header_files()
    if name not in teachers.names():
        raise UnknownName("teacher", name, teachers.names())
    if name not in files:
        train = f"preceptor teachers train {name}"
        raise TeacherUnavailable(f"teacher {name} has no weights yet; make some with: {train}")
    header, _ = read(files[name])
    if header.problem != planned.problem.name:
        wanted = planned.problem.name
        raise UserError(f"teacher {name} comments on {header.problem}, not on {wanted}")


def absolute_paths(name: str) -> str:
    """A name with the files in it made absolute: a run is resumed from any folder."""
    parts = (str(Path(p).absolute()) if p.endswith(FILES) else p for p in name.split(":"))
    return ":".join(parts)


def absolute_problem(name: str) -> str:
    """The same for a problem, which may also be a folder: by a path, or by a name that is free."""
    here = name not in problems.names() and (Path(name) / "problem.py").is_file()
    return str(Path(name).absolute()) if here or "/" in name or name.endswith(".py") else name
