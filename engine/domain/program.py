"""Program text: normalised, hashed."""

from __future__ import annotations

import ast
import hashlib
import threading
import warnings

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


def _drop_docstring(node: ast.FunctionDef | ast.ClassDef | ast.Module) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]
