"""Where a program makes text that none needs: of functions, or of the parts of a type's name.

What is not seen here, the proof sees (`engine.evaluate.texts`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from engine.evaluate.gate.refusal import nondeterministic
from engine.evaluate.gate.vocabulary import ITERATORS, MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.evaluate.gate.names import Names

WRITERS = frozenset({"str", "repr", "format"})


def check_text(
    node: ast.Call | ast.BinOp | ast.FormattedValue, names: Names, methods: frozenset[str]
) -> None:
    """Raise Refusal where text is made of a function or an iterator.

    `methods` are the attributes that are called. What a variable holds is for the proof to see.
    """
    for value in _written(node, names):
        if _has_no_text(value, names, methods):
            raise nondeterministic(
                value, f"text of `{ast.unparse(value)}` {MEMORY}; write numbers and strings only"
            )


def check_type_names(node: ast.Call, names: Names) -> None:
    """Raise Refusal where NumPy is given a word that is put together."""
    path = names.path(node.func) or ""
    if path.startswith("numpy.") or getattr(node.func, "attr", "") == "astype":
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            if _is_composed(value):
                raise nondeterministic(
                    value,
                    "give NumPy a type by its name; a word put together could mean the clock",
                )


def _is_composed(value: ast.expr) -> bool:
    """Whether an expression makes a word of others."""
    match value:
        case ast.BinOp(left=left, right=right):
            return any(
                (
                    isinstance(part, ast.Constant | ast.JoinedStr)
                    and isinstance(getattr(part, "value", ""), str | bytes)
                )
                or _is_composed(part)
                for part in (left, right)
            )
        case ast.JoinedStr():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() | bytes()))):
            return True
        case ast.Subscript(value=ast.Constant(value=str() | bytes())):
            return True
    return False


def _written(node: ast.Call | ast.BinOp | ast.FormattedValue, names: Names) -> Iterator[ast.expr]:
    """The expressions of which `node` makes text."""
    match node:
        case ast.FormattedValue(value=value):
            yield value
        case ast.Call(func=ast.Name(id=name), args=[value, *_]):
            if name in WRITERS and name in names.outside:
                yield value
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
            yield from node.args
            yield from (keyword.value for keyword in node.keywords)
        case ast.BinOp(
            op=ast.Mod(), left=ast.Constant(value=str()) | ast.JoinedStr(), right=right
        ):
            yield from right.elts if isinstance(right, ast.Tuple) else [right]


def _has_no_text(value: ast.expr, names: Names, methods: frozenset[str]) -> bool:
    match value:
        case ast.Lambda() | ast.GeneratorExp():
            return True
        case ast.Name(id=name):
            return name in names.functions and name in names.shared
        case ast.Attribute(attr=name) if names.path(value) is None:
            return name in methods
        case ast.Call(func=ast.Name(id=name)) if name in names.outside:
            return name in ITERATORS
        case ast.Call(func=function):
            return names.path(function) in ITERATORS
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return any(_has_no_text(part, names, methods) for part in parts)
    return False
