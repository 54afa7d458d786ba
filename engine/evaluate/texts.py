"""Programs that make text of values, changed so that text which shows an address is noticed.

No two processes have a function at the same address, and yet the letters of one may add up to the
same number in both.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

WRITERS = frozenset({"str", "repr", "format"})
WRITING = frozenset({"format", "astype"})
"""Builtins, and methods, that make text."""

PLAIN = (int, float, bool, str, type(None))
ADDRESS = " at 0x"
SHOWN = "$shown"
"""No program can name the function that looks at values."""


def makes_text(tree: ast.Module) -> bool:
    """Whether a program may make text of anything."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                return True
            case ast.Name(id=name, ctx=ast.Load()) if name in WRITERS:
                return True
            case ast.Attribute(attr=name) if name in WRITING:
                return True
            case ast.Constant(value=str(text)) if "%" in text:
                return True
    return False


class Texts:
    """What one program has been seen to make text of."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def watched(self, code: str) -> ast.Module:
        """The program, with every value that it makes text of shown to us first."""
        tree = ast.parse(code)
        writers = WRITERS - {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        _Watch(writers).visit(tree)
        return ast.fix_missing_locations(tree)

    @property
    def names(self) -> dict[str, object]:
        """What the program's module has to know."""
        writers = {f"${writer.__name__}": self._look_first(writer) for writer in (str, repr)}
        return {SHOWN: self.look, **writers, "$format": self._look_first(format)}

    def look(self, value: Any) -> Any:
        """The value itself; noticed when its text shows an address."""
        if type(value) in PLAIN or (isinstance(value, np.ndarray) and not value.dtype.hasobject):
            return value
        text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
        if ADDRESS in text:
            self.found.append(text.partition(ADDRESS)[0].rpartition("<")[2])
        return value

    def _look_first(self, writer: Any) -> object:
        def write(*arguments: object) -> object:
            for argument in arguments[:1]:
                self.look(argument)
            return writer(*arguments)

        return write


class _Watch(ast.NodeTransformer):
    """Wraps the values; what is handed on to `map` or as `key=` is one of ours."""

    def __init__(self, writers: frozenset[str]) -> None:
        self.writers = writers  # that are still what they were

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = _shown(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not isinstance(node.right, ast.Constant):
            node.right = _shown(node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name() as writer, *rest]):
                node.args = [self._ours(writer), *rest]
            case ast.Call(func=ast.Name(id=name), args=[value, *rest]) if name in WRITERS:
                node.args = [_shown(value), *rest]
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="format")):
                node.args = [
                    one if isinstance(one, ast.Starred) else _shown(one) for one in node.args
                ]
                for keyword in node.keywords:
                    keyword.value = _shown(keyword.value)
            case ast.Call(func=ast.Attribute(value=value, attr="astype") as function):
                function.value = _shown(value)
        for keyword in node.keywords:
            if keyword.arg == "key" and isinstance(keyword.value, ast.Name):
                keyword.value = self._ours(keyword.value)
        return node

    def _ours(self, name: ast.Name) -> ast.Name:
        return ast.Name(f"${name.id}", ast.Load()) if name.id in self.writers else name


def _shown(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(SHOWN, ast.Load()), [value], [])
