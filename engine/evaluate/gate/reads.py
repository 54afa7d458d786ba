"""Which names a program reads on its arguments, found in the text of its function."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.evaluate.gate.refusal import Refusal
from problems.base import Contract


def find_reads(function: ast.FunctionDef, contract: Contract) -> frozenset[str] | None:
    """The dotted names read, in the contract's words whatever the parameters are called.

    None when an argument with fields escapes: it is passed on, rebound or stored, so that
    anything of it may be read. Raises Refusal for a name that the contract does not have.
    """
    reader = _Reader(contract)
    bound = count_bindings(function.body)
    for parameter, argument in zip(parameter_names(function), contract.arguments, strict=False):
        if bound[parameter] == 0:
            reader.paths[parameter] = argument.name
        else:
            reader.found.add(argument.name)
            reader.escaped |= bool(argument.fields)
    reader.follow(function, bound)
    for statement in function.body:
        reader.visit(statement)
    return None if reader.escaped else frozenset(reader.found)


def parameter_names(function: ast.FunctionDef) -> list[str]:
    """The names of the positional parameters, in order."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def count_bindings(statements: Iterable[ast.stmt]) -> Counter[str]:
    """How often each name is bound in them, in nested functions and comprehensions too."""
    bound: Counter[str] = Counter()
    for statement in statements:
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    bound[name] += 1
                case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    bound[name] += 1
                case ast.alias(name=name, asname=other):
                    bound[other or name.partition(".")[0]] += 1
                case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                    bound[name] += 1
                case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                    bound[name] += 1
    return bound


@dataclass
class _Reader(ast.NodeVisitor):
    """Follows attribute chains from the parameters, and from names that stand for a part."""

    contract: Contract
    paths: dict[str, str] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    escaped: bool = False

    def __post_init__(self) -> None:
        arguments = self.contract.arguments
        self.valid = {a.name: [f"{a.name}.{f.name}" for f in a.fields] for a in arguments}
        self.leaves = {name for names in self.valid.values() for name in names}
        self.leaves |= {name for name, fields in self.valid.items() if not fields}

    def follow(self, function: ast.FunctionDef, bound: Counter[str]) -> None:
        """Learn names like `instance = state.instance`, where that is their only binding."""
        roots: dict[str, ast.expr] = {}
        users: defaultdict[str, list[str]] = defaultdict(list)
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1:
                    roots[name] = value
                    users[_root(value)].append(name)
        known = list(self.paths)
        while known:  # each name once: it is learnt when the name that it stands on is
            for name in users[known.pop()]:
                path = self.path(roots[name])
                if path is not None and path not in self.leaves and name not in self.paths:
                    self.paths[name] = path
                    known.append(name)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A name that `follow` has learnt is no escape."""
        match node.targets:
            case [ast.Name(id=name)] if name in self.paths:
                return
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A whole chain at once, from its end."""
        self._record(node)

    def visit_Name(self, node: ast.Name) -> None:
        """An argument by itself."""
        self._record(node)

    def _record(self, node: ast.expr) -> None:
        path = self.path(node)
        if path is None:
            self.generic_visit(node)
        elif path in self.leaves:
            self.found.add(path)
        else:
            self.escaped = True

    def path(self, node: ast.expr) -> str | None:
        """The dotted name of an expression, cut at the contract's field; None for others."""
        match node:
            case ast.Name(id=name):
                return self.paths.get(name)
            case ast.Attribute(value=value, attr=attribute):
                path = self.path(value)
                if path is None or path in self.leaves:
                    return path
                return self._extend(path, attribute, node)
        return None

    def _extend(self, path: str, attribute: str, node: ast.expr) -> str:
        longer = f"{path}.{attribute}"
        names = self.valid[path.partition(".")[0]]
        if not any(f"{name}.".startswith(f"{longer}.") for name in names):
            raise Refusal(
                "unknown name",
                f"`{longer}` does not exist; there are {', '.join(names)}",
                node.lineno,
            )
        return longer


def _root(node: ast.expr) -> str:
    """The name that an attribute chain starts at; empty for other expressions."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
