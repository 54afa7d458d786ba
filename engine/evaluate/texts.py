"""Programs that make text, changed so that two kinds of it are noticed when they are made.

Text that shows an address: no two processes have a function at the same one, and yet the letters
may add up to the same number in both. And words put together that name NumPy's clock, which stands
still for the second between two questions, or its arrays of raw objects.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from engine.evaluate.gate.vocabulary import names_raw_type

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITERS = frozenset({"str", "repr", "format"})
WRITING = frozenset({"format", "astype", "tobytes"})
"""Builtins, and methods, that make text."""

OPTIONS = frozenset({"all", "casting", "divide", "indexing", "invalid", "kind", "mode", "side"})
"""Arguments of NumPy's functions that are words."""

LARGEST = 16
"""Items of a list that is looked into for words."""

PLAIN = (int, float, bool, str, type(None))
ADDRESS = " at 0x"
SHOWN = "$shown"
WORD = "$word"
"""The functions that look at values; no program can name them."""


def makes_text(tree: ast.Module) -> bool:
    """Whether a program may make text of anything."""
    plain = {id(node) for node in _plain_words(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                return True
            case ast.Name(id=name, ctx=ast.Load()) if name in WRITERS or name == "chr":
                return True
            case ast.Attribute(attr=name) if name in WRITING:
                return True
            case ast.Constant(value=str() | bytes()) if id(node) not in plain:
                return True
    return False


def _plain_words(tree: ast.Module) -> Iterator[ast.expr]:
    """Words that nothing else can be made of: docstrings, indices, infinity, names."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as word) | ast.Subscript(slice=word):
                yield word
            case ast.Call(func=ast.Name(id="float" | "print"), args=words):
                yield from words
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, word, *_]):
                yield word
            case ast.Call(func=ast.Attribute(attr="einsum"), args=[word, *_]):
                yield word
            case ast.Compare(comparators=words):
                yield from words
            case ast.keyword(arg=str(name), value=word) if name in OPTIONS:
                yield word


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
        return {SHOWN: self.look, WORD: self.read, **writers, "$format": self._look_first(format)}

    def look(self, value: Any) -> Any:
        """The value itself; noticed when its text shows an address."""
        import numpy as np  # slow to import

        if type(value) in PLAIN or (isinstance(value, np.ndarray) and not value.dtype.hasobject):
            return value
        text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
        if ADDRESS in text:
            self.found.append(f"an address ({text.partition(ADDRESS)[0].rpartition('<')[2]})")
        return value

    def read(self, value: Any) -> Any:
        """The value itself; noticed when it is a word for the clock or for raw objects."""
        if isinstance(value, str | bytes):
            if names_raw_type(value):
                self.found.append(f"a name of raw values ({value!r})")
        elif isinstance(value, list | tuple | dict) and len(value) <= LARGEST:
            for part in (*value, *value.values()) if isinstance(value, dict) else value:
                self.read(part)
        return value

    def _look_first(self, writer: Any) -> object:
        def write(*arguments: object) -> object:
            for argument in arguments[:1]:
                self.look(argument)
            return writer(*arguments)

        return write


COMPUTED = (
    ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.JoinedStr, ast.IfExp, ast.BoolOp,
    ast.NamedExpr, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.Attribute,
)  # fmt: skip
"""Syntax of arguments that may be words put together."""


class _Watch(ast.NodeTransformer):
    """Wraps the values; what is handed on to `map` or as `key=` is one of ours."""

    def __init__(self, writers: frozenset[str]) -> None:
        self.writers = writers  # that are still what they were

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = _wrapped(SHOWN, node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not isinstance(node.right, ast.Constant):
            node.right = _wrapped(SHOWN, node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name() as writer, *rest]):
                node.args = [self._ours(writer), *rest]
            case ast.Call(func=ast.Name(id=name), args=[value, *rest]) if name in WRITERS:
                node.args = [_wrapped(SHOWN, value), *rest]
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="format")):
                node.args = [
                    one if isinstance(one, ast.Starred) else _wrapped(SHOWN, one)
                    for one in node.args
                ]
                for keyword in node.keywords:
                    keyword.value = _wrapped(SHOWN, keyword.value)
            case ast.Call(func=ast.Attribute(value=value, attr="astype" | "tobytes") as function):
                function.value = _wrapped(SHOWN, value)
        for keyword in node.keywords:
            if keyword.arg == "key" and isinstance(keyword.value, ast.Name):
                keyword.value = self._ours(keyword.value)
            else:
                keyword.value = _read(keyword.value)
        node.args = [_read(argument) for argument in node.args]
        return node

    def _ours(self, name: ast.Name) -> ast.Name:
        return ast.Name(f"${name.id}", ast.Load()) if name.id in self.writers else name


def _wrapped(function: str, value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), [value], [])


def _shown(value: ast.expr) -> ast.expr:
    return value if isinstance(value, ast.Starred) else _wrapped(SHOWN, value)


def _read(value: ast.expr) -> ast.expr:
    """An argument whose words are looked at, unless it plainly is no word or was seen before."""
    if isinstance(value, ast.Starred):
        return ast.Starred(_read(value.value), value.ctx)
    return _wrapped(WORD, value) if isinstance(value, COMPUTED) else value
