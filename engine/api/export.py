"""Files to take away: programs that need nothing of ours and check themselves, our prompts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from textwrap import fill, indent

import problems
import teachers
from engine.api.resolve import absolute_problem
from engine.domain.concurrency import run_apart
from engine.domain.names import strip_folders
from engine.domain.program import parse_code
from engine.domain.records import Finalist, RunRow
from engine.domain.text.plain_text import one_line
from engine.domain.values import Candidate, Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import Evaluator, Limits
from engine.monitor.pace import best_under, read_pace
from engine.runtime.measure.program_file import recorded
from engine.search import prompts
from engine.search.methods.methods import PRECEPTOR, find
from engine.search.prompts import custom
from engine.store.reader import Reader
from problems.base import Contract, Problem
from problems.errors import UnknownName, UserError, WorldError
from teachers.weights import header_files, read_header

WIDTH = 90
ROUNDING = 1e-9
"""Share of a cost by which sums in another order may differ."""

TOLD = "The task, as its author was told it:\n\n"


@dataclass(frozen=True, slots=True)
class Example:
    """An instance, and the actions and minimised cost of a program on it.

    It stands there as a `literal`, or is the first of the set of that name.
    """

    literal: str
    set: str
    actions: tuple[int, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Export:
    """The file of a program; `unchecked` says why it cannot check itself, None where it can.

    `objective` is the candidate's cost on the design set in the natural sense.
    """

    text: str
    candidate: Candidate
    objective: float | None
    unchecked: str | None


def write_program(
    db: Path,
    run: int,
    file: Path,
    program: str = "",
    force: bool = False,
    under: str = "",
    problem: str = "",
) -> Export:
    """Write a program of a run, by default its best, to a file.

    `under` asks for the best of those that decide as quickly, as in `1ms`; `force` replaces a file
    and takes a program that the gate refuses; `problem` is where the folder of a problem of the
    user's own lies now. Raises what `export` and `quick_program` raise,
    UserError for a file that is there unless `force`, WorldError for one that cannot be written.
    """
    refuse_existing(file, force)
    if under and program:
        raise UserError("name a program or a time a decision, not both")
    if under:
        program = quick_program(db, run, under)
    made = run_apart(_export_from(db, run, program or None, force, problem))
    _write(file, made.text)
    return made


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise WorldError(f"{file} cannot be written: {error.strerror}") from error


def write_teacher(name: str, file: Path, force: bool = False) -> str:
    """Write a teacher that is a linear policy to a file, as a rule; returns its text.

    Raises UserError for a file that is there unless `force`, for a teacher that is no such policy
    and for a problem whose programs could not repeat it, UnknownName, TeacherUnavailable and
    WorldError.
    """
    from teachers.field_policy.rule import write_rule  # imports torch

    refuse_existing(file, force)
    known = header_files()
    if name not in known:
        raise UnknownName("teacher with weights", name, known)
    ref = teachers.problem_of(read_header(known[name]))
    problem = problems.load(ref)
    text = write_rule(teachers.load(name, ref, "cpu"), problem)
    if refusal := _find_refusal(text, problem):
        raise UserError(f"the rule of {name} may not run: {refusal}")
    _write(file, text)
    return text


def quick_program(db: Path, run: int, under: str) -> str:
    """The id of a run's best program that takes at most so long a decision, as in `1ms`.

    Raises UnknownName for no such run, UserError for a time that is none and where no program is
    as quick.
    """
    limit = read_pace(under)
    with Reader(db) as reader:
        row = reader.run(run)
        programs = reader.paces(run)
    best = best_under(programs, limit, row.best)
    if best is not None:
        return best.id
    if not programs:
        raise UserError(f"run {run} has no program whose decisions were counted")
    quickest = min(programs, key=lambda one: one.pace)
    took = f"{1000 * quickest.pace:.3g} ms"
    raise UserError(
        f"no program of run {run} decides in {under}; the quickest, {quickest.id}, in {took}"
    )


async def _export_from(
    db: Path, run: int, program: str | None, force: bool, problem: str
) -> Export:
    with Reader(db) as reader:
        return await export(reader, run, program, force, problem)


def refuse_existing(file: Path, force: bool) -> None:
    """Raise UserError for a file that is there and is not to be replaced."""
    if file.exists() and not force:
        raise UserError(f"{file} is there already; --force replaces it")


def export_prompts(folder: Path, method: str = PRECEPTOR.name) -> tuple[str, ...]:
    """Copy the prompts of a method that may be replaced to a folder; returns the files' names.

    Raises UnknownName for no such method, and what `copy_out` raises.
    """
    return copy_out(prompts.__name__, custom.list_files(find(method)).values(), folder)


def copy_out(package: str, names: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Copy files of a package to a new or empty folder, without their own; returns their names.

    Raises UserError for a folder that holds something, WorldError when it cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError(f"{folder} is there already and not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        copied = {name.rpartition("/")[2]: files(package).joinpath(name) for name in names}
        for name, file in copied.items():
            (folder / name).write_text(file.read_text("utf-8"), "utf-8")
    except OSError as error:
        raise WorldError(f"{folder} cannot be written: {error.strerror}") from error
    return tuple(copied)


async def export(
    reader: Reader, run: int, program: str | None = None, force: bool = False, folder: str = ""
) -> Export:
    """The file of a program of a run, by default its best, solved once more in the sandbox.

    Raises UnknownName for no such run or program, UserError for a program that failed and, unless
    `force`, for one that the gate refuses: an imported run brings programs that it never saw.
    """
    row = reader.run(run)
    if folder:
        moved = replace(row.spec.problem, name=absolute_problem(folder))
        row = replace(row, spec=replace(row.spec, problem=moved))
    name = row.spec.problem.name
    if problems.is_missing(name):
        told = f"run {run}'s problem is no longer there; say where it lies now"
        raise UserError(f"{name}: {told}: --problem FOLDER")
    candidate = recorded(reader, run, program)
    if candidate.failure is not None:
        kind = candidate.failure.kind
        message = candidate.failure.message
        raise UserError(f"program {candidate.id} of run {run} failed: {kind}, {message}")
    gone = problems.explain_gone(row.spec.problem)
    problem = problems.load(row.spec.problem.name if gone else row.spec.problem)
    refused = f"since {gone}" if gone else _find_refusal(candidate.program.code, problem)
    if refused and not force:
        raise UserError(
            f"program {candidate.id} of run {run} is refused by the gate ({refused}) and could do "
            "anything where it is run; if you have read it, --force exports it"
        )
    example = gone or await _solve_example(row, problem, candidate.program.code)
    unchecked = example if isinstance(example, str) else None
    selection = _selection(problem, reader.finalists(run), candidate)
    about = _about(row, problem, candidate, refused, unchecked, selection)
    text = f'"""{_quotable(about)}\n"""\n\n'
    text += _below_docstring(candidate.program.code).rstrip() + "\n"
    if isinstance(example, Example):
        text += _self_check(problem, problem.contract, example)
    cost = candidate.cost
    objective = None if cost is None else problem.objective(cost)
    return Export(text, candidate, objective, unchecked)


def _below_docstring(code: str) -> str:
    """The program, which below our docstring may not have its own before a `__future__` import."""
    match parse_code(code).body:
        case [ast.Expr(value=ast.Constant()) as own, ast.ImportFrom(module="__future__"), *_]:
            return "\n".join(code.splitlines()[own.end_lineno :])
    return code


def _find_refusal(code: str, problem: Problem) -> str:
    """Why the gate refuses a program; empty where it does not."""
    found = inspect(code, problem.contract)
    if not isinstance(found, Failure):
        return ""
    line = "" if found.line is None else f"line {found.line}, "
    return one_line(f"{line}{found.kind}: {found.message}")


async def _solve_example(row: RunRow, problem: Problem, code: str) -> Example | str:
    """The program on the problem's example, or why there is none."""
    alone = problem.simulator() != ""
    name = problem.example if alone else problem.design
    settings = row.spec.settings
    limits = Limits(settings.eval_seconds, settings.memory_mb)
    async with Evaluator.start(row.spec.problem, limits, workers=1) as evaluator:
        (solved,) = await evaluator.try_out((code,), name, (0,), limits.cpu_seconds)
    cost = solved.costs[0]
    if cost is None:
        assert solved.failure is not None
        return f"it fails on {name}: {solved.failure.kind}, {solved.failure.message}"
    literal = problem.literal(problem.load(name)[0]) if alone else ""
    return Example(literal, name, solved.actions[0], cost)


def _self_check(problem: Problem, contract: Contract, example: Example) -> str:
    name = "self_check.txt" if example.literal else "own_check.txt"
    template = Template(files(__package__).joinpath(name).read_text("utf-8"))
    return template.substitute(
        set=repr(example.set),
        problem=problem.name,
        simulator=indent(problem.simulator().strip(), "    "),
        instance=indent(example.literal, " " * 8),
        actions=indent(fill(", ".join(map(str, example.actions)), WIDTH), " " * 8),
        cost=example.cost,
        tolerance=ROUNDING * max(1, abs(example.cost)),
        function=contract.function,
        parts="numbers" if contract.whole else "actions",
    )


def _about(
    row: RunRow,
    problem: Problem,
    candidate: Candidate,
    refused: str,
    unchecked: str | None,
    selection: str,
) -> str:
    """The file's docstring: the idea, where the program comes from, how it is called."""
    check = "Run as a script, it checks itself against a recorded solution."
    if not problem.simulator():
        check = "Run with the problem's folder as its argument, it checks itself by Preceptor."
    if unchecked is not None:
        check = f"It cannot check itself: {unchecked}."
    origin = "Written by Preceptor; nothing of it is needed to use the function.\n"
    warning = f"Read this before you run it: the gate of Preceptor refuses it, {refused}."
    facts = _facts(row, problem, candidate, selection)
    return "\n\n".join(
        [
            *([fill(warning, WIDTH)] if refused else []),
            fill(candidate.program.idea or f"A heuristic for {problem.name}.", WIDTH),
            f"{'' if refused else origin}{check}",
            "\n".join(f"    {name:<11}{one_line(fact)}" for name, fact in facts.items() if fact),
            *([] if problems.explain_gone(row.spec.problem) else [TOLD + problem.contract.text()]),
        ]
    )


def _facts(row: RunRow, problem: Problem, candidate: Candidate, selection: str) -> dict[str, str]:
    """Where the program comes from, as the store has it; no clock, no path of this machine."""
    spec = row.spec
    provenance = row.provenance
    parents = f" from {', '.join(candidate.parents)}" if candidate.parents else ""
    options = " ".join(f"{name}={value}" for name, value in spec.problem.options)
    analyzer = f", analyzer {strip_folders(spec.analyzer)}" if spec.analyzer else ""
    several = len(spec.writers) > 1
    writer = strip_folders(candidate.writer if several and candidate.writer else spec.writer)
    return {
        "run": f"{row.number}, method {spec.method}, seed {spec.seed}",
        "program": f"{candidate.id}, {candidate.operator}{parents}",
        "problem": " ".join([problem.name, options]).strip(),
        "writer": f"{writer}{analyzer}",
        "cost": _cost(problem, candidate, spec.settings.design or problem.design),
        "selection": selection,
        "time": _pace(candidate),
        "agreement": _agreement(candidate, spec.teacher),
        "settings": row.settings_sha,
        "preceptor": version("preceptor"),
        "code": provenance.code,
        "design set": provenance.design,
        "teacher": provenance.fingerprint,
        "date": f"{datetime.fromtimestamp(row.created, UTC):%Y-%m-%d}",
    }


def _cost(problem: Problem, candidate: Candidate, design: str) -> str:
    if candidate.cost is None:
        return ""
    return _mean(problem, candidate.cost, len(candidate.costs), design)


def _pace(candidate: Candidate) -> str:
    if candidate.pace is None:
        return ""
    return f"{1000 * candidate.pace:.3g} ms of CPU time a decision, on the machine of the run"


def _selection(problem: Problem, finalists: Sequence[Finalist], candidate: Candidate) -> str:
    """What the program reached on the selection set; empty unless it was measured there."""
    for one in finalists:
        if one.program == candidate.id and one.cost is not None:
            return _mean(problem, one.cost, len(one.costs), one.set)
    return ""


def _mean(problem: Problem, cost: float, size: int, name: str) -> str:
    objective = problem.objective(cost)
    natural = "" if objective == cost else f", objective {objective}"
    return f"{cost}{natural}, mean of {size} instances of {name}"


def _agreement(candidate: Candidate, teacher: str) -> str:
    """Agreement with the teacher; empty where none was asked."""
    found = candidate.diagnostics
    if found is None:
        return ""
    whose = strip_folders(teacher) or "the problem's own teacher"
    share = f"{found.agreement:.3f} +- {found.stderr:.3f}, chance {found.chance:.3f}"
    return f"{share}, with {whose} at {found.states} states"


def _quotable(text: str) -> str:
    """Text that can stand in a docstring as it is."""
    shown = "".join(sign for sign in text if sign.isprintable() or sign == "\n")
    return shown.replace("\\", "\\\\").replace('"""', r"\"\"\"")
