"""Writes into a program what its lists hold, where numba could not find out by itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from engine.evaluate.compiled.source.kinds import Flow, sample_of
from engine.evaluate.compiled.source.unset import guard
from engine.evaluate.compiled.source.words import Unlisted, ours

if TYPE_CHECKING:
    from engine.evaluate.compiled.source.kinds import Kind


def tell_kinds(tree: ast.Module, entry: str, arguments: tuple[Any, ...]) -> None:
    """Write the kinds of lists into a program; the tree is changed.

    `arguments` are those of a call of the function `entry`. Raises Unlisted for what cannot be
    told.
    """
    flow = Flow(tree, entry, arguments)
    for name, function in flow.functions.items():
        flow.scope = name
        telling = _Telling(flow)
        function.body = [telling.visit(statement) for statement in function.body]
        function.body = [*telling.nothings(), *function.body]
        guard(function, flow.optional(function), flow.sample)


class _Telling(ast.NodeTransformer):
    """Writes the kinds of lists into one function.

    None among lists becomes a list that is never used otherwise.
    """

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.none: dict[int, tuple[str, ast.expr]] = {}

    def nothings(self) -> list[ast.stmt]:
        """The lists that stand for None, to be made first."""
        return [
            ast.Assign([ast.Name(name, ast.Store())], ours("no_items", sample))
            for name, sample in self.none.values()
        ]

    def _nothing(self, kind: Kind) -> ast.expr:
        """What stands for None among lists of this kind. Raises Unlisted."""
        kind = kind.root()
        item = sample_of(kind.item)
        if item is None or kind.none_in != {self.flow.scope}:
            raise Unlisted("None")
        name, _ = self.none.setdefault(id(kind), (f"nothing.{len(self.none)}", item))
        return ast.Name(name, ast.Load())

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                kind = self.flow.of(node.left).root()
                if kind.tag == "list":
                    node.comparators = [self._nothing(kind)]
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        item = self.flow.of(node).item
        sample = None if node.elts else sample_of(item)
        if sample is not None:
            return ours("no_items", sample)
        elements = [self._fitting(element, item) for element in node.elts]
        return self.generic_visit(ast.List(elements, node.ctx))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        node.elt = self._fitting(node.elt, self.flow.of(node).item)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=index)], value=value):
                if self.flow.of(owner).tag == "list" and not isinstance(index, ast.Slice):
                    node.value = self._fitting(value, self.flow.of(owner).item)
            case ast.Assign(targets=[target], value=value):
                node.value = self._without_none(target, value)
        return self.generic_visit(node)

    def _without_none(self, target: ast.expr, value: ast.expr) -> ast.expr:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                return ast.Tuple([self._without_none(*pair) for pair in pairs], ast.Load())
            case ast.Name(), ast.Constant(value=None) if self.flow.of(target).tag == "list":
                return self._nothing(self.flow.of(target))
        return value

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=table, slice=ast.Tuple(elts=[rows, columns]), ctx=ast.Load()):
                tags = {self.flow.of(part).tag for part in (rows, columns)}
                if tags <= {"list", "array"}:
                    return self.generic_visit(ours("picked", table, rows, columns))
        if self.flow.of(node.value).tag == "array":
            node.slice = self._as_index(node.slice)
        is_copy = isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load)
        if is_copy:
            return self._copied(node, self.flow.of(node.value))
        return self.generic_visit(node)

    def _as_index(self, index: ast.expr) -> ast.expr:
        """An array takes lists as places, too."""
        match index:
            case ast.Tuple(elts=parts):
                return ast.Tuple([*map(self._as_index, parts)], ast.Load())
        if self.flow.of(index).depth > 1:
            raise Unlisted("the items of a table")
        if isinstance(index, ast.Slice | ast.Call) or self.flow.of(index).tag != "list":
            return index
        return ours("arrayed", index)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="append" | "insert"), args=args):
                if self.flow.of(owner).tag == "list":
                    args[-1] = self._fitting(args[-1], self.flow.of(owner).item)
            case ast.Call(func=ast.Name(id="list" | "sorted"), args=[items]):
                return self._copied(node, self.flow.of(items))
            case ast.Call(func=ast.Attribute(value=owner, attr="copy" | "tolist")):
                return self._copied(node, self.flow.of(owner))
        return self.generic_visit(node)

    def _copied(self, node: ast.expr, source: Kind) -> ast.AST:
        """A new list whose whole numbers are to be floats."""
        wanted = self.flow.of(node)
        is_wider = wanted.tag == "list" and wanted.item.tag == "float"
        copy: Any = self.generic_visit(node)
        return ours("as_floats", copy) if is_wider and source.item.tag in ("int", "bool") else copy

    def _fitting(self, value: ast.expr, wanted: Kind) -> ast.expr:
        """A value as an item among others of the kind that is wanted."""
        kind = self.flow.of(value).root()
        match value:
            case ast.Constant(value=None) if wanted.tag == "list":
                return self._nothing(wanted)
            case ast.IfExp(test=test, body=body, orelse=other):
                return ast.IfExp(test, self._fitting(body, wanted), self._fitting(other, wanted))
            case ast.Tuple(elts=parts) if wanted.tag == "tuple":
                if len(parts) == len(wanted.parts):
                    kinds = [part.root() for part in wanted.parts]
                    return ast.Tuple([*map(self._fitting, parts, kinds)], ast.Load())
        if wanted.tag == "float" and kind.tag in ("int", "bool"):
            return ast.Call(ast.Name("float", ast.Load()), [value], [])
        return value
