"""Programs that a user names: a file, standard input, or a program of a recorded run.

A file may hold more than the program (an exported one checks itself, a script has its main
part); what is taken is the contract's function and everything at top level that it builds on.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.program import make_program, parse_code
from engine.domain.specs.settings import ExtraSeed
from engine.domain.text.plain_text import clean, clean_reply
from engine.domain.values import Candidate, Failure
from engine.evaluate.gate.inspect import inspect
from problems import refuse_gone
from problems.base import Contract, Problem
from problems.errors import BadProgram, UserError

if TYPE_CHECKING:
    from engine.store.reader import Reader

RECORDED = "run:"
ALWAYS = ("annotations", "*")
"""Names whose imports are kept though nothing mentions them: of `__future__`, and of anything."""


def read_program(place: str, contract: Contract, db: Path) -> str:
    """Code of the program at `place`: a file, `-` for standard input, `run:N` or `run:N/ID`.

    Runs are looked up in the store `db`. Raises BadProgram for text without the contract's
    function, UserError for a file that cannot be read, Gone for a program under a contract that
    was removed, UnknownName for no such run or program.
    """
    if place.startswith(RECORDED):
        return _recorded(place, db).program.code
    name = "standard input" if place == "-" else place
    try:
        text = sys.stdin.read() if place == "-" else Path(place).read_text("utf-8")
    except OSError as error:
        raise UserError(f"{name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadProgram(f"{name}: not a text in UTF-8") from error
    return extract(clean_reply(text), contract, name)


def read_extra_seeds(places: Iterable[str], problem: Problem, db: Path) -> tuple[ExtraSeed, ...]:
    """The programs at `places` that a search may start from.

    A place is one of `read_program`, or a run's number for all survivors of that run. What equals
    a seed of the problem, or an earlier one, is left out. Raises what `read_program` does, and
    BadProgram for a program that the gate refuses.
    """
    known = {make_program("", rule.code or "").hash for rule in problem.seeds()}
    found = list[ExtraSeed]()
    for place in places:
        for program in _seeds_at(place, problem.contract, db):
            _refuse_unfit(program, problem.contract)
            digest = make_program("", program.code).hash
            if digest not in known:
                known.add(digest)
                found.append(program)
    return tuple(found)


def extract(text: str, contract: Contract, name: str) -> str:
    """The program in the text of a file called `name`; its lines keep their numbers.

    Raises BadProgram.
    """
    try:
        tree = parse_code(text)
    except SyntaxError as error:
        raise BadProgram(f"{name}, line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadProgram(f"{name}: cannot be read as Python: {error}") from error
    _find_function(tree, contract, name)
    code = only_needed(tree, text, contract.function)
    refused = inspect(code, contract)
    if isinstance(refused, Failure) and refused.kind == "signature":
        raise BadProgram(f"{name}, line {refused.line}: {refused.message}")
    return code


def recorded(reader: Reader, run: int, program: str | None = None) -> Candidate:
    """A program of a run, its best by default.

    Raises UnknownName for no such run or program, UserError while the run has no best.
    """
    chosen = program or reader.run(run).best
    if chosen is None:
        raise UserError(f"run {run} has no program yet; see `preceptor show {run}`")
    return reader.candidate(run, chosen)


def _seeds_at(place: str, contract: Contract, db: Path) -> list[ExtraSeed]:
    if place.isdecimal():
        return _survivors(int(place), db)
    if place.startswith(RECORDED):
        program = _recorded(place, db).program
        return [ExtraSeed(place, program.idea, program.code)]
    code = read_program(place, contract, db)
    return [ExtraSeed(clean(place), _first_paragraph(code, contract.function), code)]


def _survivors(run: int, db: Path) -> list[ExtraSeed]:
    from engine.store.reader import Reader

    with Reader(db) as reader:
        refuse_gone(reader.run(run).spec.problem)
        survivors = reader.population(reader.run(run).number)
    if not survivors:
        raise UserError(f"run {run} has no survivors to start from")
    return [
        ExtraSeed(f"{RECORDED}{run}/{one.id}", one.program.idea, one.program.code)
        for one in survivors
    ]


def _first_paragraph(code: str, function: str) -> str:
    """The first paragraph of the function's docstring on one line; empty without one."""
    for node in parse_code(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            first = (ast.get_docstring(node) or "").partition("\n\n")[0]
            return clean(" ".join(first.split()))
    return ""


def _refuse_unfit(program: ExtraSeed, contract: Contract) -> None:
    refused = inspect(program.code, contract)
    if isinstance(refused, Failure):
        line = "" if refused.line is None else f", line {refused.line}"
        raise BadProgram(f"{program.name}{line}: {refused.kind}: {refused.message}")


def _recorded(place: str, db: Path) -> Candidate:
    from engine.store.reader import Reader

    run, _, program = place.removeprefix(RECORDED).partition("/")
    if not run.isdecimal():
        raise UserError(f"{place}: a recorded program is written run:N or run:N/PROGRAM")
    with Reader(db) as reader:
        refuse_gone(reader.run(int(run)).spec.problem)
        return recorded(reader, int(run), program or None)


def _find_function(tree: ast.Module, contract: Contract, name: str) -> None:
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if contract.function not in functions:
        found = ", ".join(f"{function}()" for function in functions) or "no function"
        raise BadProgram(f"{name}: defines {found}, not {contract.signature()}")


def only_needed(tree: ast.Module, text: str, function: str) -> str:
    """A file without what its function does not need; its lines keep their numbers."""
    return _only(text, _needed(tree, function))


def _needed(tree: ast.Module, function: str) -> list[ast.stmt]:
    """The statements that bind the function or, directly or not, a name that it mentions."""
    statements = [node for node in tree.body if not _is_idle(node)]
    bound = {id(node): set(_bound(node)) for node in statements}
    wanted = {function, *ALWAYS}
    needed = list[ast.stmt]()
    while found := [n for n in statements if n not in needed and bound[id(n)] & wanted]:
        needed += found
        wanted |= {n.id for s in found for n in ast.walk(s) if isinstance(n, ast.Name)}
    return needed


def _only(text: str, statements: Iterable[ast.stmt]) -> str:
    """The lines of some statements; all other lines are empty."""
    kept = {
        line
        for statement in statements
        for line in range(_first_line(statement), (statement.end_lineno or 0) + 1)
    }
    lines = text.split("\n")
    return "\n".join(ln if at in kept else "" for at, ln in enumerate(lines, 1)).rstrip() + "\n"


def _is_idle(statement: ast.stmt) -> bool:
    """Docstrings, bare calls and the main part of a script."""
    guard = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
    return guard or isinstance(statement, ast.Expr)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at top level binds, or whose value it changes in place."""
    match statement:
        case (
            ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name)
        ):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (a.asname or a.name.partition(".")[0] for a in names)
        case _:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
                    stored = isinstance(node.ctx, ast.Store)
                    yield from (n.id for n in ast.walk(node) if stored and isinstance(n, ast.Name))


def _first_line(statement: ast.stmt) -> int:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([statement.lineno, *(d.lineno for d in statement.decorator_list)])
    return statement.lineno
