"""Tuples that a program goes through become lists: a compiled tuple cannot be gone through.

A tuple whose length is known stays one where it is taken apart: `a, b = [list(x) for x in (c, d)]`
is written out.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from copy import deepcopy

from engine.evaluate.compiled.source.words import ours


def unroll(function: ast.FunctionDef) -> None:
    """Rewrite the tuples of a function; it is changed."""
    tuples = _bound_once(function)
    _WriteOut(tuples).visit(function)
    tables = _find_tables(function)
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in tables:
                node.value = _as_list(value)
            case ast.For(iter=ast.Tuple() as items) | ast.comprehension(iter=ast.Tuple() as items):
                node.iter = _as_list(items)
            case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed" | "list"), args=args):
                node.args = [_as_list(one) if isinstance(one, ast.Tuple) else one for one in args]


def _bound_once(function: ast.FunctionDef) -> dict[str, int]:
    """The length of the tuple that a name stands for, for names that never stand for another."""
    bound: Counter[str] = Counter()
    found = {}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                bound[name] += 1
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=parts)):
                found[name] = len(parts)
    return {name: length for name, length in found.items() if bound[name] == 1}


class _WriteOut(ast.NodeTransformer):
    """Writes out lists that are made of a tuple's parts and taken apart at once."""

    def __init__(self, tuples: dict[str, int]) -> None:
        self.tuples = tuples

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)],
                value=ast.ListComp(
                    elt=element,
                    generators=[ast.comprehension(target=ast.Name(id=name), iter=items, ifs=[])],
                )
                | ast.GeneratorExp(
                    elt=element,
                    generators=[ast.comprehension(target=ast.Name(id=name), iter=items, ifs=[])],
                ),
            ):
                parts = self._parts(items)
                if len(parts) == len(targets):
                    written = [_Put(name, part).visit(deepcopy(element)) for part in parts]
                    node.value = ast.Tuple(written, ast.Load())
        return node

    def _parts(self, items: ast.expr) -> list[ast.expr]:
        match items:
            case ast.Tuple(elts=parts):
                return parts
            case ast.Name(id=name):
                places = map(ast.Constant, range(self.tuples.get(name, 0)))
                return [ast.Subscript(items, place, ast.Load()) for place in places]
        return []


class _Put(ast.NodeTransformer):
    """Puts an expression in a name's place."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name = name
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return deepcopy(self.value) if node.id == self.name else node


def _find_tables(function: ast.FunctionDef) -> set[str]:
    """The names that stand for tuples only, and are gone through, looked up in or cut."""
    values: defaultdict[str, list[ast.expr]] = defaultdict(list)
    bound: Counter[str] = Counter()
    looked_up: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                bound[name] += 1
            case ast.Name(id=name):
                used[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name].append(value)
            case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
                looked_up[name] += 1
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                looked_up[name] += not isinstance(index, ast.Constant)
            case ast.Call(
                func=ast.Name(id="len" | "enumerate" | "reversed"), args=[ast.Name(id=name)]
            ):
                looked_up[name] += 1
    return {
        name
        for name, all_values in values.items()
        if all(map(_is_table, all_values))
        and bound[name] == len(all_values)
        and used[name] == looked_up[name]
    }


def _is_table(value: ast.expr) -> bool:
    match value:
        case ast.Tuple():
            return True
        case ast.IfExp(body=body, orelse=other):
            return _is_table(body) and _is_table(other)
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _is_table(inner)
    return False


def _as_list(value: ast.expr) -> ast.expr:
    match value:
        case ast.Tuple(elts=[]):
            return ours("no_items", ast.Constant(0.0))
        case ast.Tuple(elts=parts):
            return ast.List(parts, ast.Load())
        case ast.IfExp(test=test, body=body, orelse=other):
            return ast.IfExp(test, _as_list(body), _as_list(other))
        case ast.Subscript(value=inner, slice=index):
            return ast.Subscript(_as_list(inner), index, ast.Load())
    return value
