"""Functions inside functions become functions of the module that are handed what they look up.

Such a function sees the variables around it as they are when it is called, and so it is handed
them with the call: the same, as long as it is only ever called.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.evaluate.compiled.source.words import Unlisted

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class _Inner:
    """A function inside another: its name in the module, and the variables that it looks up."""

    name: str
    free: tuple[str, ...]


def lift(tree: ast.Module) -> None:
    """Lift all functions inside functions; the tree is changed. Raises Unlisted."""
    tree.body = [lifted for statement in tree.body for lifted in _lift_statement(statement)]


def _lift_statement(statement: ast.stmt) -> list[ast.stmt]:
    if not isinstance(statement, ast.FunctionDef):
        return [statement]
    _name_lambdas(statement)
    inner = [node for node in ast.walk(statement) if isinstance(node, ast.FunctionDef)][1:]
    if not inner:
        return [statement]
    found = _describe(statement, inner)
    _Removal().visit(statement)
    for function in inner:
        names = found[function.name].free
        function.args.args = [*map(ast.arg, names), *function.args.args]
        function.body = [_Calls(found).visit(part) for part in function.body]
    statement.body = [_Calls(found).visit(part) for part in statement.body]
    for function in inner:
        function.name = found[function.name].name
    return [statement, *inner]


def _name_lambdas(function: ast.FunctionDef) -> None:
    """`name = lambda ...` is another way to write `def name`."""
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            part = getattr(node, name, None)
            if isinstance(part, list):
                setattr(node, name, [_as_definition(statement) for statement in part])


def _as_definition(statement: ast.stmt) -> ast.stmt:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args, body=body)):
            made = ast.FunctionDef(name, args, [ast.Return(body)], [], None, None)
            return ast.copy_location(made, statement)
    return statement


def _describe(outer: ast.FunctionDef, inner: list[ast.FunctionDef]) -> dict[str, _Inner]:
    names = [function.name for function in inner]
    if len({*names}) < len(names) or {*names} & _bound(outer, skip=inner):
        raise Unlisted("two functions of one name", inner[0].lineno)
    for function in inner:
        _check(function)
    around = _bound(outer, skip=inner)
    looked_up = {function.name: (_loaded(function) - _bound(function)) for function in inner}
    for _ in inner:  # what a function calls looks things up, too
        for function in inner:
            for called in looked_up[function.name] & {*names}:
                looked_up[function.name] = looked_up[function.name] | looked_up[called]
    free = {name: tuple(sorted(looked_up[name] & around)) for name in names}
    for function in inner:
        if _bound(function) & {*free[function.name]}:  # hidden from what it calls
            what = "a function that hides what another looks up"
            raise Unlisted(what, function.lineno)
    if _bound_in_comprehensions(outer) & {name for one in free.values() for name in one}:
        what = "a function that looks up what a comprehension binds"
        raise Unlisted(what, inner[0].lineno)
    return {name: _Inner(f"{outer.name}.{name}", free[name]) for name in names}


def _check(function: ast.FunctionDef) -> None:
    """Raise Unlisted for a function that is more than its parameters and its body."""
    args = function.args
    plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs)
    constant = all(isinstance(default, ast.Constant) for default in args.defaults)
    inside = [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef)]
    if not plain or not constant or function.decorator_list or len(inside) > 1:
        raise Unlisted("a function inside with a decorator or *", function.lineno)


def _bound(function: ast.FunctionDef, skip: list[ast.FunctionDef] | None = None) -> set[str]:
    """The names that a function binds itself; `skip` are functions inside it."""
    arguments = {
        argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)
    }
    hidden = {id(node) for one in skip or () for node in ast.walk(one)}
    stored = {
        node.id
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store | ast.Del)
        and id(node) not in hidden
    }
    return arguments | stored


def _loaded(function: ast.FunctionDef) -> set[str]:
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def _bound_in_comprehensions(function: ast.FunctionDef) -> set[str]:
    return {
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }


class _Removal(ast.NodeTransformer):
    """Takes the functions out of a function."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self.depth:
            return ast.copy_location(ast.Pass(), node)
        self.depth += 1
        return self.generic_visit(node)


@dataclass
class _Calls(ast.NodeTransformer):
    """Hands functions what they look up; raises Unlisted for one that is not called."""

    inner: Mapping[str, _Inner]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=name) if name in self.inner:
                handed = [ast.Name(free, ast.Load()) for free in self.inner[name].free]
                node.args = [*handed, *map(self.visit, node.args)]
                node.keywords = [self.visit(keyword) for keyword in node.keywords]
                node.func = ast.Name(self.inner[name].name, ast.Load())
                return node
        return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """`key=length` is a call of `length` for every item."""
        match node:
            case ast.keyword(arg="key", value=ast.Name(id=name)) if name in self.inner:
                item = ast.Name("item", ast.Load())
                call = ast.Call(ast.Name(name, ast.Load()), [item], [])
                arguments = ast.arguments([], [ast.arg("item")], None, [], [], None, [])
                node.value = ast.Lambda(arguments, call)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.inner:
            raise Unlisted("a function as a value", getattr(node, "lineno", None))
        return node
