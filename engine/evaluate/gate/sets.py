"""Where a program goes through a set.

Text, None and objects are hashed otherwise in every process, so that the order of a set that
holds them differs. A set may be asked `in` and `len`, added to, compared and sorted; it may be
gone through only if it evidently holds numbers.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

MAKERS = frozenset({"set", "frozenset"})
COMBINING = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
ASKING = COMBINING | {
    "append", "add", "update", "issubset", "issuperset", "isdisjoint", "intersection_update",
    "difference_update", "symmetric_difference_update",
}  # fmt: skip
"""Methods that may be given a set."""

ORDERLESS = MAKERS | {"len", "sorted", "any", "all", "min", "max", "isinstance", "bool", "print"}
"""Builtins whose answer does not depend on an order, unless they are given a key."""

NUMBERS = frozenset({"int", "float", "len", "abs", "round", "ord"})


def find_sets(tree: ast.Module) -> Sets:
    """The sets of a program outside functions, and which of its functions return one."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    sets = Sets([node for node in tree.body if node not in functions])
    for function in functions:
        names = Sets([function], sets).names
        sets.names |= {name for name in names if name.endswith("()")}
    return sets


class Sets:
    """The sets of a part of a program, by the names that stand for them anywhere in it."""

    def __init__(self, nodes: Iterable[ast.AST], outer: Sets | None = None) -> None:
        """Learn which names stand for sets; others mean what they do in `outer`."""
        self.outer = outer
        self.bound: defaultdict[str, list[ast.expr]] = defaultdict(list)
        for node in (part for one in nodes for part in ast.walk(one)):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    for target, value in zip(targets, values, strict=False):
                        self.bound[_name(target)].append(value)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.bound[_name(target)].append(value)
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.AugAssign(target=target, op=ast.BitOr(), value=value)
                    | ast.NamedExpr(target=target, value=value)
                ):
                    self.bound[_name(target)].append(value)
                case ast.FunctionDef(name=name):
                    returned = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
                    self.bound[f"{name}()"] += [part.value for part in returned if part.value]
        self.bound.pop("", None)
        self.numeric: dict[str, bool] = {}
        self.names: set[str] = outer.names - self.bound.keys() if outer else set()
        for _ in range(2):  # a second name for a set
            self.names |= {n for n, values in self.bound.items() if any(map(self.is_set, values))}

    def goes_through(self, node: ast.AST) -> bool:
        """Whether a node meets the items of a set in an order that may differ."""
        parts: list[ast.expr] = []
        match node:
            case ast.For(iter=row) | ast.comprehension(iter=row):
                parts = [row]
            case ast.Starred(value=row) | ast.YieldFrom(value=row):
                parts = [row]
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=row):
                parts = [row]
            case ast.Call(func=ast.Attribute(value=row, attr="pop")):
                parts = [row]
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in ORDERLESS:
                return False
            case ast.Call(func=ast.Attribute(attr=name)) if name in ASKING:
                return False
            case ast.Call(args=args, keywords=keywords):
                parts = [*args, *(keyword.value for keyword in keywords)]
        return any(self.is_set(part) and not self._has_numbers(part) for part in parts)

    def is_set(self, node: ast.expr) -> bool:
        """Whether an expression evidently makes or names a set."""
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in MAKERS or f"{name}()" in self.names
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                return name in COMBINING and self.is_set(value)
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
                return any(self.is_set(one) or _is_view(one) for one in (node.left, node.right))
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_set(body) or self.is_set(orelse)
            case ast.NamedExpr(value=value):
                return self.is_set(value)
        return _name(node) in self.names

    def _has_numbers(self, node: ast.expr) -> bool:
        """Whether all that a set or a row holds is evidently numbers."""
        match node:
            case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(map(_is_number, parts))
            case ast.SetComp(elt=part) | ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
                return _is_number(part)
            case ast.Call(func=ast.Name(id="range") | ast.Attribute(attr="tolist")):
                return True
            case ast.Call(func=ast.Name(), args=[row]):
                return self._has_numbers(row)
            case ast.Call(func=ast.Attribute(value=value, attr="difference" | "copy")):
                return self._has_numbers(value)
            case ast.BinOp(op=ast.Sub(), left=left):
                return self._has_numbers(left)
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd(), left=left, right=right):
                return self._has_numbers(left) and self._has_numbers(right)
        name = _name(node)
        if name not in self.numeric:
            if name not in self.bound:
                return self.outer is not None and self.outer._has_numbers(node)
            self.numeric[name] = True  # for a name that stands for itself, too
            self.numeric[name] = all(map(self._has_numbers, self.bound[name]))
        return self.numeric[name]


def _name(node: ast.expr) -> str:
    """A name, or an attribute after a dot; empty for other expressions."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return f".{name}"
    return ""


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("keys", "items")


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) or _is_number(right)
        case ast.Call(func=ast.Name(id=name)):
            return name in NUMBERS
    return False
