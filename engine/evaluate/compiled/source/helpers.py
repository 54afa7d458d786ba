"""Helpers that keep what they returned (`functools.cache`): a part of a program compiled alone.

Such a helper is handed numbers and tuples and returns them, so that Python can call it compiled
from a program that is not. The cache stays Python's: what is found there is not computed anew.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from engine.evaluate.compiled.source.words import Unlisted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Functions = dict[str, ast.FunctionDef]

CACHES = frozenset({"cache", "lru_cache"})
"""What functools keeps results with."""


def find_helpers(tree: ast.Module) -> list[str]:
    """The functions with a cache that are part of no other one, in their order."""
    functions = _functions(tree)
    cached = [name for name, function in functions.items() if _is_cached(function)]
    parts = {other for name in cached for other in _reached(functions, name) if other != name}
    return [name for name in cached if name not in parts]


def extract(tree: ast.Module, helper: str) -> ast.Module:
    """The part of a program that a helper is made of, without caches; the tree is changed.

    Raises Unlisted where the part would call a helper with a cache again and again.
    """
    functions = _functions(tree)
    reached = _reached(functions, helper)
    cached = {name for name in reached if _is_cached(functions[name])}
    costly = {name for name in reached if not cached.isdisjoint(_reached(functions, name))}
    for name in sorted(reached):
        _check_once(functions[name], costly)
    used = {
        node.id
        for name in reached
        for node in ast.walk(functions[name])
        if isinstance(node, ast.Name)
    }
    tree.body = [part for part in tree.body if _is_part(part, reached, used)]
    for name in cached:
        functions[name].decorator_list = []
    return tree


def _functions(tree: ast.Module) -> Functions:
    return {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}


def _is_cached(function: ast.FunctionDef) -> bool:
    """Whether a cache is all that decorates a function."""
    match function.decorator_list:
        case [ast.Call(func=decorator)] | [decorator]:
            name = decorator.attr if isinstance(decorator, ast.Attribute) else ""
            return (decorator.id if isinstance(decorator, ast.Name) else name) in CACHES
    return False


def _reached(functions: Functions, entry: str) -> set[str]:
    """The functions that a call may come to."""
    reached = {entry}
    left = [entry]
    while left:
        for node in ast.walk(functions[left.pop()]):
            if isinstance(node, ast.Name) and node.id in functions and node.id not in reached:
                reached.add(node.id)
                left.append(node.id)
    return reached


def _check_once(function: ast.FunctionDef, costly: Iterable[str]) -> None:
    for node in _repeated(function):
        if isinstance(node, ast.Name) and node.id in costly:
            raise Unlisted(f"`{node.id}`, which is or asks a cache, in a loop", node.lineno)


def _repeated(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What stands inside loops; what the first one goes through is found out once."""
    for node in ast.walk(function):
        match node:
            case ast.For(body=body, orelse=other):
                parts: list[ast.AST] = [*body, *other]
            case ast.While() | ast.Lambda():
                parts = [node]
            case (
                ast.ListComp(generators=[first, *_])
                | ast.GeneratorExp(generators=[first, *_])
                | ast.SetComp(generators=[first, *_])
                | ast.DictComp(generators=[first, *_])
            ):
                parts = [one for one in ast.iter_child_nodes(node) if one is not first]
                parts += first.ifs
            case _:
                continue
        for part in parts:
            yield from ast.walk(part)


def _is_part(part: ast.stmt, reached: set[str], used: set[str]) -> bool:
    """Whether a statement outside functions belongs to a helper."""
    match part:
        case ast.FunctionDef(name=name):
            return name in reached
        case ast.Assign(targets=targets):
            names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
            return not used.isdisjoint(names)
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name):
            return name in used
    return True
