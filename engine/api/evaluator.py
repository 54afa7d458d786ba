"""The folder of a problem that is made of an evaluator: a file, or a function."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api.export import copy_out
from engine.api.measure.solvers import source_of
from engine.domain.program import parse_code, read_literal
from engine.evaluate.gate.names import find_names
from engine.runtime.measure.program_file import only_needed
from problems.errors import UserError, WorldError
from problems.evaluator import METRICS

FIRST = ("solve", "initial")
"""Functions of an evaluator that the first program is made of."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a problem is made of: texts of an evaluator and of its first programs, and settings.

    `settings` are the capital names of the template's `problem.py` that are set otherwise there.
    """

    evaluator: str
    programs: tuple[str, ...]
    settings: Mapping[str, object]


def read_evaluator(evaluator: Path, seed: Path | None, metric: str, maximize: bool) -> Evaluated:
    """What a file, and one of a first program, amount to; nothing of them is executed.

    Raises UserError for one without `evaluate` and for files that cannot be read.
    """
    text = _read(evaluator)
    tree = _parse(text, evaluator)
    if "evaluate" not in _functions(tree):
        raise UserError(f"{evaluator} defines no function evaluate(solution)")
    several = "instances" in _functions(tree) or "INSTANCES" in _assigned(tree)
    metric = metric or next((key for key in METRICS if key in _texts(tree)), "")
    signature = "solve(instance, seed)" if several else "solve(seed)"
    program = _read(seed) if seed else _first_program(tree, text, signature)
    if seed and "solve" not in _functions(_parse(program, seed)):
        raise UserError(f"{seed} defines no function {signature}")
    return Evaluated(text, (program,), {"METRIC": metric, "MAXIMIZE": maximize or None})


def read_function(
    evaluate: Callable[..., Any],
    seeds: Sequence[Callable[..., Any] | str],
    instances: Sequence[object] | None,
    settings: Mapping[str, object],
) -> Evaluated:
    """What functions amount to, with all that they read of the files or cells they stand in.

    Raises UserError where that is not all there is, and for instances that cannot be written down.
    """
    text = _with_needs(evaluate, "evaluate")
    if instances is not None:
        text += f"\n\nINSTANCES = {_literal(instances)}\n"
    programs = [one if isinstance(one, str) else _with_needs(one, "solve") for one in seeds]
    if not programs:
        raise UserError("give the search a first program: seeds=[solve]")
    return Evaluated(text, tuple(programs), settings)


def write_problem(
    package: str, names: Iterable[str], folder: Path, found: Evaluated
) -> tuple[str, ...]:
    """Write a new folder with `problem.py`, `evaluator.py` and `seed.py`; returns their names.

    `package` holds the files `names` to begin with. Raises UserError, WorldError for a folder that
    cannot be written.
    """
    files = copy_out(package, names, folder)
    seeds = {f"seed{k or ''}.py": program for k, program in enumerate(found.programs)}
    try:
        problem = (folder / "problem.py").read_text("utf-8")
        for name, value in found.settings.items():
            problem = re.sub(rf"(?m)^{name} = [^#\n]*?(?=  #|$)", f"{name} = {value!r}", problem)
        texts = {"problem.py": problem, "evaluator.py": found.evaluator, **seeds}
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        raise WorldError(f"{folder} cannot be written: {error.strerror}") from error
    return (*files, "evaluator.py", *seeds)


def _with_needs(function: Callable[..., Any], called: str) -> str:
    """The text of a function and of all that it reads. Raises UserError."""
    text = source_of(function, called)  # its refusals are those of a function that is measured
    name = function.__name__
    file = inspect.getsourcefile(function) or ""
    whole = "".join(linecache.getlines(file)) or text
    needed = only_needed(parse_code(whole), whole, name)
    read = find_names(parse_code(needed), needed).outside
    if missing := sorted(function.__globals__.keys() & read):
        told = "its file" if Path(file).is_file() else "its cell"
        raise UserError(
            f"{name}() reads {', '.join(missing)}, which {told} does not define; define it there, "
            "or give a file: preceptor new problem DIR --from FILE"
        )
    renamed = re.sub(rf"\b{re.escape(name)}\b", called, needed)
    return re.sub("\n{4,}", "\n\n\n", renamed).strip("\n") + "\n"


def _literal(value: object) -> str:
    """A value as Python writes it. Raises UserError for one that cannot be read back."""
    text = repr(value)
    try:
        same = read_literal(text) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise UserError("instances are numbers, texts, lists, tuples and dicts of these")
    return text


def _first_program(tree: ast.Module, text: str, signature: str) -> str:
    """What the evaluator defines as `solve` or `initial`, else a function to be filled in.

    Such a function, which may ask for `instance` and `seed`, takes along what it reads.
    """
    head = parse_code(f"def {signature}: pass").body[0]
    for name in FIRST:
        function = _functions(tree).get(name)
        if function and isinstance(head, ast.FunctionDef):
            known = {one.arg for one in head.args.args}
            if known.issuperset(one.arg for one in function.args.args):
                needed = parse_code(only_needed(tree, text, name))
                taken = _functions(needed)[name]
                taken.name, taken.args = head.name, head.args
                return ast.unparse(needed) + "\n"
    return f"def {signature}:\n    return []  # replace this by a first solution\n"


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _assigned(tree: ast.Module) -> set[str]:
    """Names that are given a value outside functions."""
    nodes = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    names = [name for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)]
    return {name.id for name in names}


def _texts(tree: ast.Module) -> set[object]:
    """Texts that stand in the code, the keys of a dict among them."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise UserError(f"{file} cannot be read: {reason}") from error


def _parse(text: str, file: Path) -> ast.Module:
    try:
        return parse_code(text)
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{file} is no Python: {error}") from error
