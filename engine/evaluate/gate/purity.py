"""What no program may do anywhere: the gate's rules, one method a kind of syntax."""

from __future__ import annotations

import ast
import builtins
import symtable
from typing import TYPE_CHECKING

from engine.evaluate.gate.refusal import Refusal
from engine.evaluate.gate.vocabulary import (
    BUILTINS,
    CONSTANT_BUILTINS,
    CONSTANT_MEMBERS,
    GARBAGE,
    IMPURE,
    INSIDES,
    MODULES,
    REDUCTIONS,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CONSTANT_NODES = (
    ast.Constant, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple,
    ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop, ast.expr_context,
)  # fmt: skip
"""The syntax of values that cannot change."""


def check(tree: ast.Module, outside: frozenset[str]) -> None:
    """Raise Refusal at the first thing that is not allowed; `outside` is of `outside_names`."""
    rules = _Rules(tree, outside)
    rules.visit(tree)
    for statement in tree.body:
        rules.check_top(statement)


def outside_names(code: str) -> frozenset[str]:
    """The names that no scope of the program binds where it uses them: builtins, if anything.

    Raises SyntaxError.
    """
    top = symtable.symtable(code, "<program>", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if _is_bound(symbol)}
    found: set[str] = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return frozenset(found - bound)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


class _Rules(ast.NodeVisitor):
    """Visits a whole program."""

    def __init__(self, tree: ast.Module, outside: frozenset[str]) -> None:
        self.modules = dict(_module_names(tree))
        self.outside = outside

    # Imports and names.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in IMPURE:  # an unused `import random` does no harm
                self._check_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self._check_module(node, module)
        for alias in node.names:
            if alias.name == "*":
                raise _forbidden(node, f"import names from {module} one by one")
            self._check_member(node, module, alias.name)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id.startswith("__"):
            raise _forbidden(node, f"`{node.id}` is not available to programs")
        if node.id in self.modules:
            raise _forbidden(node, f"use `{node.id}` only as `{node.id}.name`")
        if node.id in self.outside:
            self._check_builtin(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            raise _nondeterministic(
                node,
                f"sets the attribute `{node.attr}`, which could carry a value from one call to "
                "the next or change an input; use local variables",
            )
        self._check_attribute(node, node.attr)
        if (found := self._member(node)) is None:
            self.visit(node.value)
        else:
            self._check_member(node, *found)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="getattr" | "hasattr" as name) if name in self.outside:
                self._check_getattr(node)
                return
            case ast.Attribute() as function:
                self._check_numpy_call(node, self._member(function))
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        raise _nondeterministic(
            node,
            f"`global {', '.join(node.names)}` carries values from one call to the next; "
            "use local variables",
        )

    # Definitions.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            raise _forbidden(decorator, "a function may not have a decorator")
        self._check_defaults(node)
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._check_defaults(node)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        raise _forbidden(node, "a program may define functions but no classes")

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        raise _forbidden(node, "a program may not be asynchronous")

    # The checks behind them.

    def _check_module(self, node: ast.stmt, module: str) -> None:
        if module in IMPURE:
            raise _nondeterministic(node, f"`{module}` {IMPURE[module]}")
        if module not in MODULES:
            allowed = ", ".join(sorted(MODULES))
            raise _forbidden(node, f"`{module}` may not be imported, only {allowed}")

    def _check_member(self, node: ast.expr | ast.stmt, module: str, name: str) -> None:
        if f"{module}.{name}" in MODULES:
            return
        if found := verdict(module, name):
            kind, reason = found
            raise Refusal(kind, f"`{module}.{name}` {reason}", node.lineno)

    def _check_builtin(self, node: ast.Name) -> None:
        if node.id in IMPURE:
            raise _nondeterministic(node, f"`{node.id}` {IMPURE[node.id]}")
        if node.id in {"getattr", "hasattr"}:
            raise _forbidden(node, f"call `{node.id}` with a name in quotes")
        if node.id in dir(builtins) and node.id not in BUILTINS:
            raise _forbidden(node, f"`{node.id}` is not available to programs")

    def _check_attribute(self, node: ast.expr | ast.stmt, name: str) -> None:
        if name.startswith("_") or name in INSIDES:
            raise _forbidden(node, f"the attribute `{name}` is not available to programs")

    def _check_getattr(self, node: ast.Call) -> None:
        match node.args:
            case [_, ast.Constant(value=str(name)), *_]:
                self._check_attribute(node, name)
            case _:
                raise _forbidden(node, "getattr and hasattr need a name in quotes")
        for argument in node.args:
            self.visit(argument)

    def _check_numpy_call(self, node: ast.Call, member: tuple[str, str] | None) -> None:
        module, name = member or ("", "")
        if module != "numpy":
            return
        if name == "ndarray":
            raise _nondeterministic(node, f"`numpy.ndarray` {GARBAGE}")
        given = {keyword.arg for keyword in node.keywords}
        if "where" in given and "out" not in given and name not in REDUCTIONS:
            raise _nondeterministic(
                node,
                f"`numpy.{name}` with where= and without out= leaves whatever was in memory; "
                "use numpy.where or give out=",
            )

    def _check_defaults(self, node: ast.FunctionDef | ast.Lambda) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None and not self._constant(default):
                raise _nondeterministic(
                    default,
                    "a default argument is made once and kept over all calls; "
                    "it must be a number, a string or a tuple of them",
                )

    def check_top(self, statement: ast.stmt) -> None:
        """What may stand outside functions: nothing that runs, nothing that can change."""
        match statement:
            case ast.FunctionDef() | ast.Import() | ast.ImportFrom() | ast.Pass():
                return
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                self._check_constant(statement, value)
            case _:
                raise _forbidden(
                    statement, "only imports, constants and functions may stand outside functions"
                )

    def _check_constant(self, statement: ast.stmt, value: ast.expr) -> None:
        if not isinstance(value, ast.Lambda) and not self._constant(value):
            raise _nondeterministic(
                statement,
                "a value outside functions is kept over all calls and must not change: a number, "
                "a string or a tuple of them; build lists, dicts and arrays inside the function",
            )

    def _constant(self, expression: ast.expr) -> bool:
        """True for what surely is an immutable value."""
        nodes = list(ast.walk(expression))
        calls = [node.func for node in nodes if isinstance(node, ast.Call)]
        return all(isinstance(node, CONSTANT_NODES) for node in nodes) and all(
            self._constant_call(function) for function in calls
        )

    def _constant_call(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name):
                return name in CONSTANT_BUILTINS and name in self.outside
            case ast.Attribute():
                return ".".join(self._member(function) or "").startswith(CONSTANT_MEMBERS)
        return False

    def _member(self, node: ast.Attribute) -> tuple[str, str] | None:
        """`np.linalg.norm` as (numpy.linalg, norm); None for what is no member of a module."""
        match node.value:
            case ast.Name(id=name) if name in self.modules:
                return self.modules[name], node.attr
            case ast.Attribute() as inner if (found := self._member(inner)) is not None:
                if (module := ".".join(found)) in MODULES:
                    return module, node.attr
        return None


def _module_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that stand for modules, and the modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or whole, whole
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (module := f"{node.module}.{alias.name}") in MODULES:
                    yield alias.asname or alias.name, module


def _forbidden(node: ast.expr | ast.stmt, message: str) -> Refusal:
    return Refusal("forbidden", message, node.lineno)


def _nondeterministic(node: ast.expr | ast.stmt, message: str) -> Refusal:
    return Refusal("nondeterministic", message, node.lineno)
