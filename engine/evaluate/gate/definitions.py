"""What may stand outside functions, and how functions and classes may be defined."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from engine.evaluate.gate.refusal import forbidden, nondeterministic
from engine.evaluate.gate.vocabulary import BASES, INSIDES, ITERATORS, METHODS, SEEDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.evaluate.gate.names import Names

ADVICE = "only imports, constants, functions and classes may stand outside functions"


def check_module(tree: ast.Module, names: Names) -> None:
    """Raise Refusal for a statement outside functions that is more than a definition."""
    for statement in tree.body:
        _check_top(statement, names)


def _check_top(statement: ast.stmt, names: Names) -> None:
    match statement:
        case ast.FunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom() | ast.Pass():
            return
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.AugAssign():
            return
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            if name in names.shared and name not in names.imported:
                return
            raise forbidden(statement, ADVICE)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            _check_value(value, names)
        case ast.AnnAssign():
            return
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            for inner in (*body, *orelse):
                _check_top(inner, names)
        case ast.Try() if _only_imports(statement):
            return
        case ast.AsyncFunctionDef():
            raise forbidden(statement, "a program may not be asynchronous")
        case _:
            raise forbidden(statement, ADVICE)


def _only_imports(statement: ast.Try) -> bool:
    """`try: import numpy as np` with whatever is done where that fails."""
    imports = all(isinstance(part, ast.Import | ast.ImportFrom) for part in statement.body)
    rest = [part for handler in statement.handlers for part in handler.body]
    return imports and all(
        isinstance(part, ast.Import | ast.ImportFrom | ast.Pass | ast.Assign)
        for part in (*rest, *statement.orelse, *statement.finalbody)
    )


def _check_value(value: ast.expr, names: Names) -> None:
    """A constant that moves on when it is read is none."""
    match value:
        case ast.Call(func=function):
            path = names.path(function) or (function.id if isinstance(function, ast.Name) else "")
            moves = path in ITERATORS
        case ast.GeneratorExp():
            moves = True
        case _:
            moves = False
    if moves:
        raise nondeterministic(
            value, "an iterator outside functions is used up over the calls; make it a tuple"
        )


def decorator_call(
    decorator: ast.expr, names: Names, allowed: frozenset[str]
) -> Iterator[ast.expr]:
    """The arguments of an allowed decorator, `@lru_cache(maxsize=None)`; none of a bare one."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    path = names.path(function)
    if path is None and isinstance(function, ast.Name) and function.id in names.outside:
        path = function.id
    if path not in allowed:
        raise forbidden(decorator, f"a decorator may here be {' or '.join(sorted(allowed))}")
    if isinstance(decorator, ast.Call):
        for value in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
            if not isinstance(value, ast.Constant):
                raise forbidden(decorator, "the arguments of a decorator must be constants")
            yield value


def check_defaults(node: ast.FunctionDef | ast.Lambda, names: Names) -> None:
    """A default is made once: an empty list or dict could only remember calls."""
    for default in (*node.args.defaults, *node.args.kw_defaults):
        match default:
            case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[], keywords=[]):
                raise nondeterministic(
                    default,
                    "a default argument is made once and kept over all calls; use None and make "
                    "the list or dict inside the function",
                )
            case ast.expr():
                _check_value(default, names)
                _check_generator(default, names)


def _check_generator(default: ast.expr, names: Names) -> None:
    for node in ast.walk(default):
        if isinstance(node, ast.Call) and names.path(node.func) in SEEDED:
            raise nondeterministic(
                default,
                "a generator in a default argument moves on from call to call; make it inside the "
                "function",
            )


def check_class(node: ast.ClassDef, names: Names) -> None:
    """A class of plain methods and fields, with nothing that Python calls behind the scenes."""
    if node.keywords:
        raise forbidden(node, "a class may have no metaclass and no keywords")
    for base in node.bases:
        path = names.path(base) or (base.id if isinstance(base, ast.Name) else "")
        if path not in BASES and path not in names.defined:
            allowed = ", ".join(sorted(BASES))
            raise forbidden(node, f"a class may derive from your own or one of {allowed}")
    _check_body(node.body)


def _check_body(body: Iterable[ast.stmt]) -> None:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name):
                if name.startswith("__") and name not in METHODS:
                    raise forbidden(statement, f"a class may not define `{name}`")
                _check_field(statement, name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                _check_field(statement, name)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                continue
            case _:
                raise forbidden(statement, "a class may hold fields and methods only")


def _check_field(statement: ast.stmt, name: str) -> None:
    if not name.startswith("_") and INSIDES.fullmatch(name):
        raise forbidden(statement, f"call the field `{name}` otherwise")
