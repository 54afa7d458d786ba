"""The folder of a problem that is made of an evaluator's file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from engine.api.export import copy_out
from engine.domain.program import parse_code
from problems.errors import UserError, WorldError
from problems.evaluator import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIRST = ("solve", "initial")
"""Functions of an evaluator that the first program is made of."""


def wrap_evaluator(
    package: str,
    names: Iterable[str],
    folder: Path,
    evaluator: Path,
    seed: Path | None,
    metric: str,
    maximize: bool,
) -> tuple[str, ...]:
    """Copy an evaluator and its first program to a new folder, with a `problem.py` for them.

    Returns the names of the files. Nothing of the evaluator is executed. Raises UserError for one
    without `evaluate`, WorldError for files that cannot be read or written.
    """
    text = _read(evaluator)
    tree = _parse(text, evaluator)
    if "evaluate" not in _functions(tree):
        raise UserError(f"{evaluator} defines no function evaluate(solution)")
    several = "instances" in _functions(tree) or "INSTANCES" in _assigned(tree)
    metric = metric or next((key for key in METRICS if key in _texts(tree)), "")
    signature = "solve(instance, seed)" if several else "solve(seed)"
    program = _read(seed) if seed else _first_program(tree, signature)
    if seed and "solve" not in _functions(_parse(program, seed)):
        raise UserError(f"{seed} defines no function {signature}")
    files = copy_out(package, names, folder)
    try:
        problem = (folder / "problem.py").read_text("utf-8")
        problem = problem.replace('METRIC = ""', f"METRIC = {metric!r}")
        problem = problem.replace("MAXIMIZE = None", f"MAXIMIZE = {maximize or None}")
        (folder / "problem.py").write_text(problem, "utf-8")
        (folder / "evaluator.py").write_text(text, "utf-8")
        (folder / "seed.py").write_text(program, "utf-8")
    except OSError as error:
        raise WorldError(f"{folder} cannot be written: {error.strerror}") from error
    return (*files, "evaluator.py", "seed.py")


def _first_program(tree: ast.Module, signature: str) -> str:
    """What the evaluator defines as `solve` or `initial`, else a function to be filled in.

    Of such a function, which may ask for `instance` and `seed`, its own text alone is taken.
    """
    head = parse_code(f"def {signature}: pass").body[0]
    for name in FIRST:
        function = _functions(tree).get(name)
        if function and isinstance(head, ast.FunctionDef):
            known = {one.arg for one in head.args.args}
            if known.issuperset(one.arg for one in function.args.args):
                function.name = head.name
                function.args = head.args
                return ast.unparse(function) + "\n"
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
