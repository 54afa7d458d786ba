"""Rules written as functions of a module, told as the program texts that a search starts from."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from problems.base import Rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def as_rules(module: ModuleType, name: str) -> tuple[Rule, ...]:
    """All functions that a module defines, in its order, each as by `as_rule`."""
    functions = filter(inspect.isfunction, vars(module).values())
    return tuple(as_rule(one, name) for one in functions if one.__module__ == module.__name__)


def as_rule(
    function: Callable[..., Any],
    name: str,
    *helpers: Callable[..., Any],
    parameters: str = "",
) -> Rule:
    """A rule function as program text: named `name`, its docstring taken out as the idea.

    The rule is called like the function, with hyphens. The text of `helpers`, functions that it
    calls, stands before it as it is; `parameters` are written in the place of its own.
    """
    lines = inspect.getsource(function).splitlines()
    node = ast.parse("\n".join(lines)).body[0]
    assert isinstance(node, ast.FunctionDef)
    head = f"def {name}({parameters or ast.unparse(node.args)}):"
    code = "\n".join([head, *lines[node.body[1].lineno - 1 :]]) + "\n"
    title = function.__name__.replace("_", "-")
    idea = " ".join((inspect.getdoc(function) or "").split())
    return Rule(title, idea, code="\n\n".join([*map(inspect.getsource, helpers), code]))
