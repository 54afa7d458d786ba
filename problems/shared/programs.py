"""Texts that a search starts from, texts that exported files carry, and answers of programs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import Any

from problems.base import Rule


def as_index(action: object) -> int:
    """An action as a plain int: NumPy's integers too, -1 for bool, float and all else."""
    if type(action) is int:
        return action
    if isinstance(action, bool) or not isinstance(action, Integral):
        return -1
    return int(action)


def score_each(head: str, tail: str) -> Callable[..., Rule]:
    """What makes rules of names, ideas and the lines that score one item of a loop.

    `head` and `tail` are the program before and after these lines.
    """

    def write(name: str, idea: str, *lines: str) -> Rule:
        return Rule(name, idea, code=head + "".join(f"        {one}\n" for one in lines) + tail)

    return write


def as_rule(
    function: Callable[..., Any],
    name: str,
    *helpers: Callable[..., Any],
    imports: str = "",
) -> Rule:
    """A rule function as program text: named `name`, its docstring taken out as the idea.

    The rule is called like the function, with hyphens. The text of `helpers`, functions that it
    calls, comes before it as it is, and `imports` before all.
    """
    lines = inspect.getsource(function).splitlines()
    node = ast.parse("\n".join(lines)).body[0]
    assert isinstance(node, ast.FunctionDef)
    head = f"def {name}({ast.unparse(node.args)}):"
    code = "\n".join([head, *lines[node.body[1].lineno - 1 :]]) + "\n"
    title = function.__name__.replace("_", "-")
    idea = " ".join((inspect.getdoc(function) or "").split())
    text = "\n\n".join([*map(inspect.getsource, helpers), code])
    return Rule(title, idea, code=f"{imports}\n\n\n{text}" if imports else text)


def simulator(folder: Path, name: str = "solve") -> str:
    """The parts of `standalone.py` that one of its functions needs, which is then `solve`.

    The module imports nothing of ours, and our own walks are those of its functions.
    """
    text = (folder / "standalone.py").read_text("utf-8")
    docstring, *body = ast.parse(text).body
    needed = {name}
    before = set[str]()
    while needed != before:
        before = set(needed)
        for node in body:
            if not isinstance(node, ast.Import | ast.ImportFrom) and _defines(node) & needed:
                needed |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    kept = [_show(node, text, needed) for node in (docstring, *body)]
    return "\n".join(filter(None, kept)).replace(f"def {name}(", "def solve(") + "\n"


def _defines(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, ast.Assign):
        return {one.id for one in node.targets if isinstance(one, ast.Name)}
    return {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()


def _show(node: ast.stmt, text: str, needed: set[str]) -> str:
    """The text of a statement, of an import what is needed, empty where nothing is."""
    source = ast.get_source_segment(text, node) or ""
    if isinstance(node, ast.Import | ast.ImportFrom):
        node.names = [one for one in node.names if (one.asname or one.name) in needed]
        return ast.unparse(node) if node.names else ""
    if isinstance(node, ast.Assign):
        return f"\n{source}" if _defines(node) & needed else ""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return f"\n\n{source}" if _defines(node) & needed else ""
    return f"{source}\n"
