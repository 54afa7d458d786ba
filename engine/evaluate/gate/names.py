"""What a program's names stand for: modules, members of modules, builtins, its own."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

from engine.evaluate.gate.reads import count_bindings


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one program.

    `imported` maps a name to the module or member that it stands for; `outside` are names that no
    scope binds, builtins if anything; `top` those that the module level binds, `shared` those
    that only it does; `used` those that stand anywhere but in imports; `defined` its functions
    and classes; `own` the attributes that its classes bring.
    """

    imported: dict[str, str]
    outside: frozenset[str]
    top: frozenset[str]
    shared: frozenset[str]
    used: frozenset[str]
    defined: frozenset[str]
    own: frozenset[str]

    def path(self, node: ast.expr) -> str:
        """`np.linalg.norm` as numpy.linalg.norm; empty for what does not begin at an import."""
        match node:
            case ast.Name(id=name):
                return self.imported.get(name, "")
            case ast.Attribute(value=value, attr=name):
                inner = self.path(value)
                return inner and f"{inner}.{name}"
        return ""

    def known(self, node: ast.expr) -> str:
        """The path of what is imported, or a name that stands for a builtin or the program's."""
        return self.path(node) or (node.id if isinstance(node, ast.Name) else "")


def find_names(tree: ast.Module, code: str) -> Names:
    """The names of a program. Raises SyntaxError."""
    table = symtable.symtable(code, "<program>", "exec")
    top = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }
    tables = list(_tables(table))
    asked = {s.get_name() for one in tables for s in one.get_symbols() if s.is_global()}
    functions = [one for one in tables if one.get_type() == "function"]
    inside = {s.get_name() for one in functions for s in one.get_symbols() if s.is_local()}
    changed = {
        s.get_name()
        for one in functions
        for s in one.get_symbols()
        if s.is_declared_global() and s.is_assigned()
    }
    nodes = list(ast.walk(tree))
    return Names(
        imported=dict(_imports(nodes)),
        outside=frozenset(asked - top),
        top=frozenset(top),
        shared=frozenset(top - inside - changed),
        used=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
        defined=frozenset(n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)),
        own=frozenset(_own_attributes(nodes)),
    )


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    tables = [table]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        yield table


def _imports(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield alias.asname or whole, whole
            case ast.ImportFrom(module=module, names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"


def _own_attributes(nodes: list[ast.AST]) -> Iterator[str]:
    """What the program's classes define: their names, `self.x`, the fields of a namedtuple."""
    for node in nodes:
        match node:
            case ast.ClassDef(body=body):
                yield from count_bindings(body)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Name(id="namedtuple") | ast.Attribute(attr="namedtuple")):
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from part.value.replace(",", " ").split()
