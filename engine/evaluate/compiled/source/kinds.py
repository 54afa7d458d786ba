"""What the values of a program are, so that numba can be told where it could not find out.

Kinds flow through a program as its values do: `x = 1` and `x = 0.5` make `x` a float, and what is
appended to a list under one name is held under all its names. In the end every list that begins
empty is given the kind of its items, and whole numbers among floats become floats: a compiled list
holds numbers of one kind.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from engine.evaluate.compiled.source.unset import find_optional
from engine.evaluate.compiled.source.words import MODULES, ours

PASSES = 12
"""Times that the kinds may flow through a program; most are settled after three."""

NUMBERS = ("bool", "int", "float")
"""From narrow to wide: one that is both becomes the wider one."""

WHOLE = frozenset({"len", "int", "round"})
SAME = frozenset({"abs", "min", "max", "sum", "next"})
COPIES = frozenset({"list", "sorted", "reversed", "set"})
COPYING_METHODS = frozenset({"copy", "tolist"})


@dataclass(eq=False, slots=True)
class Kind:
    """What a value is; names of one list share it.

    `tag` is empty while nothing is known, else a number's, `none`, `list`, `tuple`, `record`, or
    `array`, whose dimensions `depth` counts. `parts` are the kinds inside, one for all items of a
    list or an array, `names` those of a record's fields. `none_in` are the functions that put None
    in its place.
    """

    tag: str = ""
    parts: list[Kind] = field(default_factory=list)
    depth: int = 0
    names: tuple[str, ...] = ()
    same: Kind | None = None
    none_in: set[str] = field(default_factory=set)

    def root(self) -> Kind:
        """Itself, or what it was found to be the same as."""
        kind = self
        while kind.same is not None:
            kind = kind.same
        return kind

    @property
    def item(self) -> Kind:
        """What is found at one index; unknown for what has none."""
        kind = self.root()
        match kind.tag:
            case "list":
                return kind.parts[0].root()
            case "array" if kind.depth > 1:
                return Kind("array", kind.parts, kind.depth - 1)
            case "array":
                return kind.parts[0].root()
        return Kind()


def kind_of_value(value: Any) -> Kind:
    """The kind of an argument; a tuple counts as the array that stands for it."""
    import numpy as np  # in a child alone: what reads programs imports nothing heavy

    match value:
        case None:
            return Kind("none")
        case bool():
            return Kind("bool")
        case int() | np.integer():
            return Kind("int")
        case float():
            return Kind("float")
        case np.ndarray():
            item = {"f": "float", "b": "bool"}.get(value.dtype.kind, "int")
            return Kind("array", [Kind(item)], value.ndim)
        case tuple() if hasattr(value, "_fields"):
            return Kind("record", [*map(kind_of_value, value)], names=value._fields)
        case tuple():
            array = np.asarray(value)
            item = "float" if array.dtype.kind == "f" and array.size else "int"
            return Kind("array", [Kind(item)], max(1, array.ndim))
    return Kind()


def sample_of(kind: Kind) -> ast.expr | None:
    """An expression of this kind; None where it is not known."""
    match kind.root():
        case Kind(tag="int"):
            return ast.Constant(0)
        case Kind(tag="bool"):
            return ast.Constant(False)
        case Kind(tag="float"):
            return ast.Constant(0.0)
        case Kind(tag="list", parts=[item]):
            inner = sample_of(item)
            return None if inner is None else ours("no_items", inner)
        case Kind(tag="tuple", parts=parts):
            inners = [inner for inner in map(sample_of, parts) if inner is not None]
            return ast.Tuple([*inners], ast.Load()) if len(inners) == len(parts) else None
    return None


class Flow:
    """The kinds of all names and lists of a program, called with `arguments`."""

    def __init__(self, tree: ast.Module, entry: str, arguments: tuple[Any, ...]) -> None:
        self.functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
        self.variables: dict[tuple[str, str], Kind] = {}
        self.results: dict[str, Kind] = {}
        self.made: dict[int, tuple[ast.AST, Kind]] = {}  # with its node, whose id stays its own
        self.scope = ""
        self.is_settled = False
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                self._assign(statement)
        for argument, value in zip(self.functions[entry].args.args, arguments, strict=True):
            self.variables[entry, argument.arg] = kind_of_value(value)
        for _ in range(PASSES):
            if not self.is_settled:
                self.is_settled = True
                self._pass()

    def _pass(self) -> None:
        for name, function in self.functions.items():
            self.scope = name
            for node in ast.walk(function):
                match node:
                    case ast.Assign():
                        self._assign(node)
                    case ast.AugAssign(target=target, op=op, value=value):
                        self._add(target, op, self.of(value).root())
                    case ast.For(target=target, iter=items) | ast.comprehension(target, items):
                        self._bind(target, self._each(items))
                    case ast.Return(value=ast.expr() as value):
                        self._flow(self.of(value), self.results.setdefault(self.scope, Kind()))
                    case ast.Call():
                        self.of(node)

    def _assign(self, node: ast.Assign) -> None:
        kind = self.of(node.value)
        for target in node.targets:
            self._bind(target, kind)

    def _add(self, target: ast.expr, op: ast.operator, kind: Kind) -> None:
        """A value of this kind is added to `target`, or the like."""
        if kind.tag == "list":
            self._flow(kind.item, self.of(target).item)
        else:
            self._bind(target, Kind("float") if isinstance(op, ast.Div) else kind)

    def _bind(self, target: ast.expr, kind: Kind) -> None:
        """A value of this kind is assigned to `target`."""
        kind = kind.root()
        match target:
            case ast.Name(id=name):
                self._flow(kind, self._variable(name))
            case ast.Tuple(elts=parts) if kind.tag == "tuple" and len(parts) == len(kind.parts):
                for part, inner in zip(parts, kind.parts, strict=True):
                    self._bind(part, inner)
            case ast.Tuple(elts=parts):
                for part in parts:
                    self._bind(part, kind.item)
            case ast.Subscript(value=owner, slice=ast.Slice()):
                self._flow(kind.item, self.of(owner).item)
            case ast.Subscript(value=owner):
                owner_kind = self.of(owner).root()
                if owner_kind.tag == "list":
                    self._flow(kind, owner_kind.item)

    def _variable(self, name: str) -> Kind:
        if (self.scope, name) not in self.variables and ("", name) in self.variables:
            return self.variables["", name]
        return self.variables.setdefault((self.scope, name), Kind())

    def _flow(self, source: Kind, target: Kind) -> None:
        """A value of kind `source` is one of kind `target`, too."""
        source = source.root()
        target = target.root()
        if source is target or not source.tag:
            return
        if source.tag == "none":
            self._note_none({self.scope}, target)
            return
        if not target.tag:
            self.is_settled = False
            if source.tag == "list":
                target.same = source
                self._note_none(target.none_in, source)
                return
            target.tag = source.tag
            target.depth = source.depth
            target.names = source.names
            target.parts = (
                source.parts if source.tag != "tuple" else [Kind() for _ in source.parts]
            )
        if source.tag in NUMBERS and target.tag in NUMBERS:
            if NUMBERS.index(source.tag) > NUMBERS.index(target.tag):
                self.is_settled = False
                target.tag = source.tag
        elif source.tag == target.tag == "list":
            self.is_settled = False
            target.same = source
            self._note_none(target.none_in, source)
            self._flow(target.parts[0], source.parts[0])
        elif source.tag == target.tag == "tuple" and len(source.parts) == len(target.parts):
            for part, inner in zip(source.parts, target.parts, strict=True):
                self._flow(part, inner)

    def _note_none(self, functions: set[str], kind: Kind) -> None:
        if not functions <= kind.none_in:
            self.is_settled = False
            kind.none_in |= functions

    def _each(self, items: ast.expr) -> Kind:
        """What a loop over `items` goes through."""
        match items:
            case ast.Tuple(elts=[first, *rest]):
                kind = Kind()
                for one in (first, *rest):
                    self._flow(self.of(one), kind)
                return kind
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                return Kind("tuple", [Kind("int"), self._each(inner)])
            case ast.Call(func=ast.Name(id="zip"), args=inner):
                return Kind("tuple", [*map(self._each, inner)])
            case ast.Call(func=ast.Name(id="range")):
                return Kind("int")
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
                return self._each(inner)
        return self.of(items).item

    def _made(self, node: ast.AST, item: Kind) -> Kind:
        """The list that is made at `node`, which holds items of this kind."""
        made = self.made.setdefault(id(node), (node, Kind("list", [Kind()])))[1].root()
        self._flow(item, made.parts[0])
        return made

    def of(self, node: ast.expr) -> Kind:
        """The kind of an expression, as far as it is known by now."""
        match node:
            case ast.Constant(value=value):
                return kind_of_value(value)
            case ast.Name(id=name):
                return self._variable(name).root()
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(value=owner, slice=index):
                return self._subscript(node, self.of(owner).root(), index)
            case ast.UnaryOp(op=ast.Not()):
                return Kind("bool")
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self._comparison(operator, self.of(left).root(), self.of(right).root())
            case ast.Compare():
                return Kind("bool")
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.BoolOp(values=[*values]):
                return self._either(node, values)
            case ast.IfExp(body=body, orelse=other):
                return self._either(node, [body, other])
            case ast.List(elts=elements) | ast.Set(elts=elements):
                return self._made(node, self._either(node, elements))
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
                return self._made(node, self.of(element))
            case ast.Tuple(elts=elements):
                return Kind("tuple", [*map(self.of, elements)])
            case ast.Call():
                return self._call(node)
        return Kind()

    def optional(self, function: ast.FunctionDef) -> set[str]:
        """The variables that are None for a while, and no lists: for those `nothing` stands."""
        names = find_optional(function)
        return {name for name in names if self._variable(name).root().tag != "list"}

    def sample(self, name: str) -> ast.expr | None:
        """An expression of the kind of a variable; None where that is not known."""
        return sample_of(self._variable(name))

    def _either(self, node: ast.expr, values: list[ast.expr]) -> Kind:
        kind = Kind()
        for value in values:
            self._flow(self.of(value), kind)
        return kind.root()

    def _attribute(self, node: ast.Attribute) -> Kind:
        match node:
            case ast.Attribute(value=ast.Name(id=module)) if module in MODULES:
                return Kind("float")
            case ast.Attribute(attr="size"):
                return Kind("int")
            case ast.Attribute(attr="shape"):
                return Kind("array", [Kind("int")], 1)
            case ast.Attribute(value=owner, attr="T" | "flat" as name):
                kind = self.of(owner).root()
                return Kind("array", kind.parts, 1) if name == "flat" and kind.parts else kind
        record = self.of(node.value).root()
        if node.attr in record.names:
            return record.parts[record.names.index(node.attr)].root()
        return Kind()

    def _subscript(self, node: ast.expr, owner: Kind, index: ast.expr) -> Kind:
        match index:
            case ast.Slice() if owner.tag == "list":
                return self._made(node, owner.item)
            case ast.Slice():
                return owner
            case ast.Constant(value=int(place)) if owner.tag == "tuple":
                return owner.parts[place].root() if place < len(owner.parts) else Kind()
            case ast.Tuple(elts=parts) if owner.tag == "array":
                new = sum(_is_none(part) for part in parts)
                together = sum(self.of(part).tag in ("list", "array") for part in parts)
                depth = owner.depth + new - sum(self._is_place(part) for part in parts)
                depth -= max(0, together - 1)
                return Kind("array", owner.parts, depth) if depth else owner.parts[0].root()
        if owner.tag == "array" and not self._is_place(index):
            return owner
        return owner.item

    def _is_place(self, index: ast.expr) -> bool:
        return not isinstance(index, ast.Slice) and self.of(index).root().tag in ("int", "")

    def _arithmetic(self, node: ast.BinOp) -> Kind:
        left = self.of(node.left).root()
        right = self.of(node.right).root()
        tags = (left.tag, right.tag)
        if "list" in tags:
            for side in (left, right):
                made = self._made(node, side.item)
            for fresh, side in ((node.left, left), (node.right, right)):
                if isinstance(fresh, ast.List | ast.ListComp):
                    self._flow(made.item, side.item)
            return made
        if "array" in tags:
            deeper = max(left, right, key=lambda kind: kind.depth)
            items = {kind.parts[0].root().tag for kind in (left, right) if kind.tag == "array"}
            if {*items, *tags} <= {"bool", "array"} and isinstance(
                node.op, ast.BitAnd | ast.BitOr
            ):
                return Kind("array", [Kind("bool")], deeper.depth)
            is_float = "float" in items or "float" in tags or isinstance(node.op, ast.Div)
            return Kind("array", [Kind("float" if is_float else "int")], deeper.depth)
        if "float" in tags or isinstance(node.op, ast.Div):
            return Kind("float")
        return Kind("int") if all(tag in NUMBERS for tag in tags) else Kind()

    def _comparison(self, operator: ast.cmpop, left: Kind, right: Kind) -> Kind:
        depth = max(left.depth, right.depth)
        if not depth or isinstance(operator, ast.In | ast.NotIn | ast.Is | ast.IsNot):
            return Kind("bool")
        return Kind("array", [Kind("bool")], depth)

    def _call(self, node: ast.Call) -> Kind:
        match node.func:
            case ast.Name(id=name) if name in self.functions:
                return self._own(self.functions[name], node)
            case ast.Name(id=name):
                return self._builtin(name, node)
            case ast.Attribute(value=ast.Name(id="math"), attr=name):
                return Kind("int" if name in ("floor", "ceil") else "float")
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                return self._numpy(name, node)
            case ast.Attribute(value=owner, attr=name):
                return self._method(self.of(owner).root(), name, node)
        return Kind()

    def _own(self, function: ast.FunctionDef, node: ast.Call) -> Kind:
        """A call of one of the program's functions: its arguments flow in."""
        names = [argument.arg for argument in function.args.args]
        given = dict(zip(names, node.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        for name, value in given.items():
            parameter = self.variables.setdefault((function.name, name), Kind())
            self._flow(self.of(value), parameter)
        return self.results.setdefault(function.name, Kind()).root()

    def _builtin(self, name: str, node: ast.Call) -> Kind:
        if name in WHOLE:
            return Kind("int")
        if name == "float":
            return Kind("float")
        if name in SAME:
            if len(node.args) > 1 and name in ("min", "max"):
                return self._either(node, node.args)
            return self._each(node.args[0]) if node.args else Kind()
        if name in COPIES:
            return self._made(node, self._each(node.args[0]) if node.args else Kind())
        if name == "tuple":
            return _as_tuple(self._each(node.args[0])) if node.args else Kind()
        if name == "divmod":
            kind = self._either(node, node.args)
            return Kind("tuple", [kind, kind])
        return Kind("bool") if name in ("bool", "any", "all") else Kind()

    def _numpy(self, name: str, node: ast.Call) -> Kind:
        whole = Kind("array", [Kind("int")], 1)
        match name, node.args:
            case (("zeros" | "ones" | "full"), [shape, *_]):
                depth = len(shape.elts) if isinstance(shape, ast.Tuple) else 1
                return Kind("array", [Kind(_item_tag(node))], depth)
            case (("arange" | "argsort" | "flatnonzero"), _):
                return whole
            case (("nonzero" | "triu_indices"), _):
                return Kind("tuple", [whole, whole])
            case (("argmin" | "argmax" | "count_nonzero"), _):
                return Kind("int")
            case (("sum" | "mean" | "dot"), _):
                return Kind("float")
            case (("array" | "asarray"), [items, *_]):
                return _as_array(self.of(items))
            case (("where" | "maximum" | "minimum"), [*_, first, second]):
                return self._arithmetic(ast.BinOp(first, ast.Add(), second))
            case "concatenate", [ast.Tuple(elts=[first, *_])]:
                return _as_array(self.of(first))
            case _, [first, *_]:
                return self.of(first)
        return Kind()

    def _method(self, owner: Kind, name: str, node: ast.Call) -> Kind:
        if owner.tag == "list" and name in ("append", "insert", "add"):
            self._flow(self.of(node.args[-1]), owner.item)
        if owner.tag == "list" and name == "extend":
            self._flow(self._each(node.args[0]), owner.item)
        if name in COPYING_METHODS and (owner.tag == "list" or name == "tolist"):
            inner = owner.item
            if inner.root().tag == "array":
                inner = Kind("list", [inner.item])
            return self._made(node, inner)
        if name in ("index", "count", "argmin", "argmax"):
            return Kind("int")
        if owner.tag == "array" and name in ("min", "max", "sum", "mean"):
            return owner.parts[0].root()
        if name == "argsort":
            return Kind("array", [Kind("int")], 1)
        if name == "astype" and owner.tag == "array":
            return Kind("array", [Kind(_item_tag(node))], owner.depth)
        return owner.item if name in ("pop", "min", "max") else owner


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _as_tuple(item: Kind) -> Kind:
    """The array that stands for a tuple of such items; unknown for others."""
    item = item.root()
    if item.tag in NUMBERS:
        return Kind("array", [item], 1)
    return Kind("array", item.parts, item.depth + 1) if item.tag == "array" else Kind()


def _as_array(kind: Kind) -> Kind:
    """The array of a list, or of lists."""
    depth = 0
    kind = kind.root()
    while kind.tag == "list":
        depth += 1
        kind = kind.item.root()
    return Kind("array", [kind], depth) if depth else kind


def _item_tag(node: ast.Call) -> str:
    """The kind of items that a call of NumPy asks for."""
    words = {*map(ast.unparse, (*node.args, *(keyword.value for keyword in node.keywords)))}
    if words & {"int", "np.int64", "numpy.int64"}:
        return "int"
    return "bool" if words & {"bool", "np.bool_", "numpy.bool_"} else "float"
