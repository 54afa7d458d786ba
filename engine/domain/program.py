"""Program text: normalised, hashed, compared by its syntax."""

from __future__ import annotations

import ast
import hashlib
import threading
import warnings
from functools import lru_cache

from engine.domain.values import Program

_ONE_AT_A_TIME = threading.Lock()
"""Filters of warnings are those of all threads; so is the depth that CPython 3.11 counts while it
makes a syntax tree: where two threads do, one fails with SystemError."""


def normalise(code: str) -> str:
    """The code without comments, docstrings and layout: equal programs become equal text.

    Raises SyntaxError when it does not compile.
    """
    tree = parse_code(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            _drop_docstring(node)
    return ast.unparse(tree)


def make_program(idea: str, code: str) -> Program:
    """A program from known-good code. Raises SyntaxError when it does not compile."""
    digest = hashlib.sha256(normalise(code).encode()).hexdigest()
    return Program(idea.strip(), code.strip() + "\n", digest)


def parse_code(code: str) -> ast.Module:
    """The syntax tree, without warnings. Raises SyntaxError, ValueError, RecursionError."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in a reply are the reply's business
        return ast.parse(code)


def read_literal(text: str) -> object:
    """The value of a literal. Raises as `parse_code`, ValueError for any other expression."""
    match parse_code(text).body:
        case [ast.Expr(value=value)]:
            return ast.literal_eval(value)
    raise ValueError(f"{text!r} is no literal")


def syntax_match(code: str, other: str) -> float:
    """The share of a program's syntax that occurs in another, from 0 to 1; names do not count.

    The syntax match of CodeBLEU: over all nodes with others under them. Raises as `parse_code`.
    """
    shapes = _list_shapes(code)
    known = frozenset(_list_shapes(other))
    return sum(shape in known for shape in shapes) / len(shapes) if shapes else 1.0


@lru_cache(maxsize=1024)
def _list_shapes(code: str) -> tuple[str, ...]:
    """The kinds of nodes under each node that has any, nested, without names and numbers."""
    shapes: dict[ast.AST, str] = {}
    found = []
    for node in reversed([*ast.walk(parse_code(code))]):
        under = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr_context)]
        shapes[node] = f"{type(node).__name__}({' '.join(shapes[child] for child in under)})"
        if under:
            found.append(shapes[node])
    return tuple(found)


def _drop_docstring(node: ast.FunctionDef | ast.ClassDef | ast.Module) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]
