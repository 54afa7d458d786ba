"""Variables that are not always set, or None for a while: each gets a flag beside it.

What is read before it is set is an error in Python and garbage in machine code, and what is None
or a number is slow there. Such a variable is set at the start of its function, its flag says
whether the program has set it to a value by now, and to read it without is an error: Python solves
the instance then, and says so.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from engine.evaluate.compiled.source.words import Unlisted, our_name

if TYPE_CHECKING:
    from collections.abc import Callable

    Names = frozenset[str]
    Sample = Callable[[str], ast.expr | None]

EVERYTHING = None
"""The names set where a program never comes."""


def guard(function: ast.FunctionDef, optional: set[str], sample: Sample) -> None:
    """Guard the variables of a function, which is changed; `sample` gives a value like theirs.

    `optional` ones are set to None in this function. Raises Unlisted where nothing is given.
    """
    unset = find_unset(function)
    optional = {name for name in optional if sample(name) is not None and name not in unset}
    flags = _Flags(optional | unset, optional, sample)
    first: list[ast.stmt] = []
    for name in sorted(optional | unset):
        value = sample(name)
        if value is None:
            raise Unlisted(f"what {name} holds")
        first += [_set(name, value), _set(_flag(name), ast.Constant(False))]
    function.body = [*first, *flags.write(function.body)]


def find_unset(function: ast.FunctionDef) -> set[str]:
    """The variables of a function that some way through it reads before they are set."""
    search = _Search(function)
    search.block(function.body, frozenset(search.arguments))
    return search.unset


def _flag(name: str) -> str:
    return f"{name}.is_set"


def _set(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


class _Search:
    """Follows all ways through a function; on each it knows which names are set."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.arguments = {argument.arg for argument in function.args.args}
        self.own = self.arguments | {name for part in function.body for name in _stored(part)}
        self.unset: set[str] = set()
        self.breaks: list[Names | None] = []

    def block(self, statements: list[ast.stmt], known: Names | None) -> Names | None:
        """The names set after these statements, None where their end is never reached."""
        for statement in statements:
            known = self._statement(statement, known)
        return known

    def _statement(self, node: ast.stmt, known: Names | None) -> Names | None:
        match node:
            case ast.If(test=test, body=body, orelse=other):
                self._read(test, known)
                return _both(self.block(body, known), self.block(other, known))
            case ast.For(iter=items):
                self._read(items, known)
                return self._loop(node, _with(known, _stored(node.target)), known)
            case ast.While(test=test):
                self._read(test, known)
                is_endless = isinstance(test, ast.Constant) and bool(test.value)
                return self._loop(node, known, EVERYTHING if is_endless else known)
            case ast.Break():
                self.breaks[-1] = _both(self.breaks[-1], known)
                return EVERYTHING
            case ast.Continue():
                return EVERYTHING
            case ast.Return():
                self._read(node, known)
                return EVERYTHING
        self._read(node, known)
        return _with(known, _stored(node))

    def _loop(
        self, node: ast.For | ast.While, inside: Names | None, after: Names | None
    ) -> Names | None:
        """`after` is known when the loop ends by itself."""
        self.breaks.append(EVERYTHING)
        self.block(node.body, inside)
        return _both(self.block(node.orelse, after), self.breaks.pop())

    def _read(self, node: ast.AST, known: Names | None) -> None:
        if known is EVERYTHING:
            return
        for name in _loaded(node, frozenset()):
            if name in self.own and name not in known:
                self.unset.add(name)


def _both(one: Names | None, other: Names | None) -> Names | None:
    if one is None or other is None:
        return one if other is None else other
    return one & other


def _with(known: Names | None, names: set[str]) -> Names | None:
    return None if known is None else known | names


def _set_to_none(target: ast.expr, value: ast.expr) -> Names:
    """The names that an assignment sets to None."""
    match target, value:
        case ast.Name(id=name), ast.Constant(value=None):
            return frozenset({name})
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            return frozenset[str]().union(*map(_set_to_none, targets, values))
    return frozenset()


def find_optional(function: ast.FunctionDef) -> set[str]:
    """The variables that a function sets to None."""
    found: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[target], value=value):
                found |= _set_to_none(target, value)
    return found


def _stored(node: ast.AST) -> set[str]:
    """The names that a statement sets, those inside comprehensions left out."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.Lambda):
        return set()
    found = {name for child in ast.iter_child_nodes(node) for name in _stored(child)}
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            found.add(name)
    return found


def _loaded(node: ast.AST, hidden: Names) -> set[str]:
    """The names that are read in a statement, those of comprehensions left out."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return set() if name in hidden else {name}
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            return {name} | _loaded(value, hidden)
        case ast.ListComp() | ast.GeneratorExp() | ast.Lambda():
            hidden |= _own_names(node)
    return {name for child in ast.iter_child_nodes(node) for name in _loaded(child, hidden)}


def _own_names(node: ast.ListComp | ast.GeneratorExp | ast.Lambda) -> Names:
    """The names that an expression binds for itself."""
    if isinstance(node, ast.Lambda):
        return frozenset(argument.arg for argument in node.args.args)
    targets = [inner for one in node.generators for inner in ast.walk(one.target)]
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


class _Flags(ast.NodeTransformer):
    """Writes the flags of some names, which for `optional` ones are lowered by None."""

    def __init__(self, names: set[str], optional: set[str], sample: Sample) -> None:
        self.names = frozenset(names)
        self.optional = frozenset(optional)
        self.sample = sample

    def write(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements with flags set and asked for."""
        return [written for statement in statements for written in self._written(statement)]

    def _written(self, statement: ast.stmt) -> list[ast.stmt]:
        match statement:
            case ast.If() | ast.While():
                statement.test = self.visit(statement.test)
                statement.body = self.write(statement.body)
                statement.orelse = self.write(statement.orelse)
                return [statement]
            case ast.For():
                statement.iter = self.visit(statement.iter)
                statement.body = [*self._marks(statement.target), *self.write(statement.body)]
                statement.orelse = self.write(statement.orelse)
                return [statement]
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                asked = (
                    [ast.Expr(self.visit(ast.Name(name, ast.Load())))]
                    if name in self.names
                    else []
                )
                statement.value = self.visit(value)
                return [*asked, statement]
            case ast.Assign(targets=[target], value=value):
                none = _set_to_none(target, value) & self.optional
                marks = self._marks(target, none)
                statement.value = self.visit(self._without_none(target, value))
                statement.targets = [self.visit(target)]
                return [statement, *marks]
        return [self.visit(statement), *self._marks(statement)]

    def _marks(self, node: ast.AST, none: Names = frozenset()) -> list[ast.stmt]:
        names = sorted(_stored(node) & self.names)
        return [_set(_flag(name), ast.Constant(name not in none)) for name in names]

    def _without_none(self, target: ast.expr, value: ast.expr) -> ast.expr:
        match target, value:
            case ast.Name(id=name), ast.Constant(value=None) if name in self.optional:
                return self.sample(name) or value
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                parts = map(self._without_none, targets, values)
                return ast.Tuple([*parts], ast.Load())
        return value

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x is None` asks for the flag."""
        match node:
            case ast.Compare(ast.Name(id=name), [operator], [ast.Constant(value=None)]):
                if name in self.optional and isinstance(operator, ast.Is | ast.IsNot):
                    flag = ast.Name(_flag(name), ast.Load())
                    return ast.UnaryOp(ast.Not(), flag) if isinstance(operator, ast.Is) else flag
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names or not isinstance(node.ctx, ast.Load):
            return node
        known = ast.Name(our_name("known"), ast.Load())
        return ast.Call(known, [node, ast.Name(_flag(node.id), ast.Load())], [])

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.Lambda) -> ast.AST:
        """What an expression binds for itself hides the function's."""
        outer = self.names
        self.names = outer - _own_names(node)
        visited = self.generic_visit(node)
        self.names = outer
        return visited

    visit_GeneratorExp = visit_Lambda = visit_ListComp
