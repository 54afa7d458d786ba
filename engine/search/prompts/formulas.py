"""Short programs as one formula: what they return, with the names in between written out."""

from __future__ import annotations

import ast

from engine.domain.program import parse_code

LONGEST = 200
"""Characters of a formula that is shown."""

STEPS = 12
"""Statements of a program that may become one formula."""


def one_line(code: str) -> str:
    """What a program without loops and conditions returns; empty for any other."""
    try:
        return _write(parse_code(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _write(module: ast.Module) -> str:
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    body = [node for one in functions for node in one.body if not _is_text(node)]
    if len(functions) != 1 or not 0 < len(body) <= STEPS:
        return ""
    last = body.pop()
    known: dict[str, ast.expr] = {}
    for node in body:
        name = _assigned(node)
        if not name or not isinstance(node, ast.Assign):
            return ""
        known[name] = _WriteOut(known).visit(node.value)
        if len(ast.unparse(known[name])) > LONGEST:
            return ""
    if not isinstance(last, ast.Return) or last.value is None:
        return ""
    text = ast.unparse(_WriteOut(known).visit(last.value))
    return text if len(text) <= LONGEST else ""


class _WriteOut(ast.NodeTransformer):
    """Names that were assigned before give way to what they stand for."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)


def _assigned(node: ast.stmt) -> str:
    """The only name that a statement assigns, empty for any other statement."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return ""
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
