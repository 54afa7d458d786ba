"""What a program's names stand for: modules, members of modules, builtins, its own."""

from __future__ import annotations

import ast
import symtable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.evaluate.gate.reads import count_bindings
from engine.evaluate.gate.vocabulary import MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one program.

    `imported` maps a name to the module or member that it stands for; `outside` are names that no
    scope binds, builtins if anything; `shared` those that only the module level binds; `declared`
    those that a function declares global and sets; `used` those that stand anywhere but in
    imports; `defined` its functions and classes; `own` the attributes that its classes bring.
    """

    imported: dict[str, str]
    outside: frozenset[str]
    shared: frozenset[str]
    declared: frozenset[str]
    used: frozenset[str]
    top: frozenset[str]
    defined: frozenset[str]
    functions: frozenset[str]
    own: frozenset[str]

    def path(self, node: ast.expr) -> str | None:
        """`np.linalg.norm` as numpy.linalg.norm; None for what does not begin at an import."""
        match node:
            case ast.Name(id=name) if name in self.imported:
                return self.imported[name]
            case ast.Attribute(value=value, attr=name):
                inner = self.path(value)
                return None if inner is None else f"{inner}.{name}"
        return None


def find_names(tree: ast.Module, code: str) -> Names:
    """The names of a program. Raises SyntaxError."""
    table = symtable.symtable(code, "<program>", "exec")
    top = {symbol.get_name() for symbol in table.get_symbols() if _is_bound(symbol)}
    asked: set[str] = set()
    declared: set[str] = set()
    for inner in _tables(table):
        for symbol in inner.get_symbols():
            if symbol.is_global():
                asked.add(symbol.get_name())
            if inner is not table and symbol.is_declared_global() and _is_bound(symbol):
                declared.add(symbol.get_name())
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.Lambda)]
    return Names(
        imported=dict(_imports(nodes)),
        outside=frozenset(asked - top),
        shared=frozenset(top - _bound_inside(functions)),
        declared=frozenset(declared),
        used=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
        top=frozenset(top),
        defined=frozenset(_definitions(nodes)),
        functions=frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef)),
        own=frozenset(_own_attributes(nodes)),
    )


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    tables = [table]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        yield table


def _bound_inside(functions: list[ast.FunctionDef | ast.Lambda]) -> set[str]:
    """Names bound in any function; nested ones are gone through with the outermost."""
    inside: set[ast.AST] = set()
    bound: set[str] = set()
    for function in functions:
        if function in inside:
            continue
        inside.update(ast.walk(function))
        body = function.body if isinstance(function, ast.FunctionDef) else [ast.Expr(function)]
        bound |= count_bindings(body).keys()
        bound |= {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return bound


def _imports(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or whole, whole
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _definitions(nodes: list[ast.AST]) -> Iterator[str]:
    """The program's functions, classes and what it makes with namedtuple."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _own_attributes(nodes: list[ast.AST]) -> Iterator[str]:
    """What the program's classes define: their names, `self.x`, the fields of a namedtuple."""
    for node in nodes:
        match node:
            case ast.ClassDef(body=body):
                yield from count_bindings(body)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Name(id="namedtuple") | ast.Attribute(attr="namedtuple")):
                yield from _fields(node)


def _fields(call: ast.Call) -> Iterator[str]:
    for part in ast.walk(call):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from part.value.replace(",", " ").split()


def split_member(path: str) -> tuple[str, str, tuple[str, ...]]:
    """A path as module, member and the attributes below it; the member may be empty."""
    parts = path.split(".")
    count = len(parts)
    while count > 1 and ".".join(parts[:count]) not in MODULES:
        count -= 1
    member = parts[count] if count < len(parts) else ""
    return ".".join(parts[:count]), member, tuple(parts[count + 1 :])
