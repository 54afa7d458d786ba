"""What no program may do anywhere: the gate's rules, one method a kind of syntax."""

from __future__ import annotations

import ast
from string import Formatter
from typing import TYPE_CHECKING

from engine.evaluate.gate.definitions import check_class, check_defaults, decorator_call
from engine.evaluate.gate.names import split_member
from engine.evaluate.gate.refusal import Refusal, forbidden, join, nondeterministic
from engine.evaluate.gate.texts import check_text, check_type_names
from engine.evaluate.gate.vocabulary import (
    ANNOTATIONS,
    ATTRIBUTES,
    BUILTINS,
    CACHES,
    CHANCE,
    CHANGES,
    CLASS_DECORATORS,
    CLOSED_BUILTINS,
    COMPILERS,
    FRESH,
    HIDDEN,
    IMPURE,
    INSIDES,
    LABELS,
    METHOD_DECORATORS,
    METHODS_OF_VALUES,
    MODULES,
    NO_ATTRIBUTES,
    REDUCTIONS,
    SEEDED,
    SHORT_TYPES,
    UNUSED,
    names_raw_type,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.evaluate.gate.names import Names

    Node = ast.expr | ast.stmt | ast.pattern | ast.excepthandler | ast.arg | ast.keyword

CHECKED_WHERE_USED = CACHES | {"operator.attrgetter"}

ANNOTATION_NODES = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp,
    ast.BitOr, ast.Load,
)  # fmt: skip
"""The syntax of a type; nothing of it runs code of the program's."""


def check(tree: ast.Module, names: Names, fields: Iterable[str], whole: bool) -> None:
    """Raise Refusal where things are not allowed, one that tells of the first few of them.

    `fields` are the attributes that the contract offers on its arguments. A `whole` program may
    cache what its helpers return, as it is called once.
    """
    rules = _Rules(names, frozenset(fields), whole)
    rules.visit(tree)
    if rules.refusals:
        raise join(rules.refusals)


class _Rules(ast.NodeVisitor):
    """Visits a whole program; a statement that is refused ends no visit of the others."""

    def __init__(self, names: Names, fields: frozenset[str], whole: bool) -> None:
        self.names = names
        self.whole = whole
        self.attributes = ATTRIBUTES | fields | {n for n in names.own if not n.startswith("_")}
        self.methods = METHODS_OF_VALUES - fields - names.own
        self.depth = 0  # of functions
        self.in_class = False
        self.refusals: list[Refusal] = []

    def visit(self, node: ast.AST) -> None:
        """Check a node and all below it."""
        if not isinstance(node, ast.stmt):
            super().visit(node)
            return
        place = self.depth, self.in_class
        try:
            super().visit(node)
        except Refusal as refusal:
            self.refusals.append(refusal)
            self.depth, self.in_class = place

    # Imports and names.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._check_bound(node, alias.asname or alias.name.partition(".")[0])
            if alias.name == "numba" and self.whole:
                continue
            if alias.name not in IMPURE and not self._is_unused(alias.name, alias):
                self._check_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        if all(
            f"{module}.{alias.name}" in SEEDED or self._is_unused(module, alias)
            for alias in node.names
        ):
            return
        if self.whole and all(f"{module}.{alias.name}" in COMPILERS for alias in node.names):
            return
        self._check_module(node, module)
        for alias in node.names:
            if alias.name == "*":
                raise forbidden(node, f"import names from {module} one by one")
            self._check_bound(node, alias.asname or alias.name)
            full = f"{module}.{alias.name}"
            if full not in MODULES and full not in CHECKED_WHERE_USED:
                self._check_member(node, module, alias.name)

    def _is_unused(self, module: str, alias: ast.alias) -> bool:
        """Whether an import of a module does nothing."""
        bound = alias.asname or alias.name.partition(".")[0]
        return module in UNUSED and bound not in self.names.used and not bound.startswith("_")

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._check_bound(node, node.id)
            if node.id in self.names.imported:
                raise forbidden(node, f"`{node.id}` is imported; give this value another name")
        elif node.id in self.names.imported:
            self._check_path(node, self.names.imported[node.id])
        elif node.id in self.names.outside:
            self._check_builtin(node)
        elif node.id.startswith("__"):
            raise forbidden(node, f"`{node.id}` is not available to programs")

    def visit_Constant(self, node: ast.Constant) -> None:
        word = node.value
        if isinstance(word, str | bytes) and word not in SHORT_TYPES and names_raw_type(word):
            raise nondeterministic(
                node, f"the word {word!r} names a clock or raw objects to NumPy; drop it"
            )

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._check_set_attribute(node)
        elif (path := self.names.path(node)) is not None:
            self._check_path(node, path)
            return
        self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            self._check_attribute(node, node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._check_unshared(node, node)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """`type(x) is int` is the one use of `type`."""
        for op, side in zip((None, *node.ops), (node.left, *node.comparators), strict=True):
            match side:
                case ast.Call(func=ast.Name(id="type"), args=[value], keywords=[]):
                    self.visit(value)
                case ast.Set() if isinstance(op, ast.In | ast.NotIn):
                    self.generic_visit(side)
                case _:
                    self.visit(side)

    def visit_Set(self, node: ast.Set) -> None:
        """Text is hashed otherwise in every process; a set that is only looked in may hold it."""
        if any(
            isinstance(part, ast.Constant) and isinstance(part.value, str | bytes)
            for element in node.elts
            for part in ast.walk(element)
        ):
            raise nondeterministic(
                node, "the order of a set of text differs from process to process; use a tuple"
            )
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            if name in self.names.declared or name not in self.names.top:
                raise nondeterministic(
                    node,
                    f"`global {name}` carries values from one call to the next; "
                    "use local variables",
                )

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        check_text(node, self.names, self.methods)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        check_text(node, self.names, self.methods)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        check_text(node, self.names, self.methods)
        check_type_names(node, self.names)
        match node.func:
            case ast.Name(id="getattr" | "hasattr" as name) if name in self.names.outside:
                self._check_getattr(node)
                return
            case ast.Name(id="isinstance" | "issubclass") if len(node.args) == 2:
                self._visit_types(node)
                return
            case ast.Attribute(value=ast.Constant(value=str(text)), attr="format"):
                self._check_format(node, text)
                node = ast.copy_location(
                    ast.Call(ast.Name("str", ast.Load()), node.args, []), node
                )
                for argument in node.args:
                    self.visit(argument)
                return
            case function if self.names.path(function) == "operator.attrgetter":
                self._check_getters(node)
                return
            case function if self.depth and self.names.path(function) in SEEDED:
                self._check_seed(node)
            case ast.Attribute(attr=name) as function if name in CHANGES:
                if self.names.path(function) is None:  # `numpy.sort` gives a copy
                    self._check_unshared(node, function)
        self._check_keywords(node)
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(value, ast.Constant) and value.value in SHORT_TYPES:
                raise nondeterministic(
                    node, f"{value.value!r} names raw objects or times to NumPy"
                )
        if self.names.path(node.func) not in SEEDED or not self.depth:
            self.visit(node.func)
        for part in (*node.args, *node.keywords):
            self.visit(part)

    # Patterns.

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        name = node.cls.id if isinstance(node.cls, ast.Name) else ""
        if (
            not (name in BUILTINS and name in self.names.outside)
            and name not in self.names.defined
        ):
            raise forbidden(node, "match on numbers, strings and tuples, or use isinstance")
        if node.patterns and name in self.names.defined:
            raise forbidden(node, "name the fields of a class pattern")
        for attribute in node.kwd_attrs:
            self._check_attribute(node, attribute)
        for pattern in (*node.patterns, *node.kwd_patterns):
            self.visit(pattern)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._check_new(node, node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._check_new(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._check_new(node, node.rest)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._check_new(node, node.name)
        self.generic_visit(node)

    # Definitions.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_new(node, node.name)
        self._visit_function(node, CACHES | COMPILERS if self.whole else CACHES)

    def _visit_function(self, node: ast.FunctionDef, decorators: frozenset[str]) -> None:
        self._visit_decorators(node, decorators)
        check_defaults(node, self.names)
        self._check_held(node)
        if node.returns is not None:
            self._check_annotation(node.returns)
        self.depth += 1
        self.visit(node.args)
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def _visit_decorators(
        self, node: ast.FunctionDef | ast.ClassDef, allowed: frozenset[str]
    ) -> None:
        for decorator in node.decorator_list:
            if not self.whole and self._is_cache(decorator):
                raise nondeterministic(
                    decorator,
                    "a cache keeps values from one decision to the next; decide from the arguments"
                    " alone",
                )
            for value in decorator_call(decorator, self.names, allowed):
                self.visit(value)

    def _is_cache(self, decorator: ast.expr) -> bool:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.names.path(function) in CACHES

    def visit_Lambda(self, node: ast.Lambda) -> None:
        check_defaults(node, self.names)
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_arg(self, node: ast.arg) -> None:
        self._check_new(node, node.arg)
        if node.annotation is not None:
            self._check_annotation(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._check_annotation(node.annotation)
        self._visit_target(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                if name in self.names.imported:  # where the import failed
                    return
        for target in node.targets:
            self._visit_target(target)
        self.visit(node.value)

    def _visit_target(self, target: ast.expr) -> None:
        """A name like `__version__` may be set outside functions."""
        if self.depth or not isinstance(target, ast.Name) or target.id not in LABELS:
            self.visit(target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._check_new(node, node.name)
        check_class(node, self.names)
        self._visit_decorators(node, CLASS_DECORATORS)
        outer = self.depth, self.in_class
        self.in_class = True
        self.depth = 0  # names of a class body are looked up among the builtins, too
        for statement in node.body:
            match statement:
                case ast.FunctionDef():
                    self._visit_function(statement, METHOD_DECORATORS)
                case ast.Assign(targets=[ast.Name(id="__slots__")], value=value):
                    self.visit(value)
                case _:
                    self.visit(statement)
        self.depth, self.in_class = outer

    def visit_If(self, node: ast.If) -> None:
        match node.test:
            case ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant()]):
                for statement in (*node.body, *node.orelse):
                    self.visit(statement)
            case _:
                self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        raise forbidden(node, "a program may not be asynchronous")

    def visit_Await(self, node: ast.Await) -> None:
        raise forbidden(node, "a program may not be asynchronous")

    visit_AsyncFor = visit_AsyncWith = visit_AsyncFunctionDef  # type: ignore[assignment]

    # The checks behind them.

    def _check_module(self, node: ast.stmt, module: str) -> None:
        if module in IMPURE:
            raise nondeterministic(node, f"`{module}` {IMPURE[module]}")
        if module not in MODULES:
            allowed = ", ".join(sorted(MODULES))
            raise forbidden(node, f"`{module}` may not be imported, only {allowed}")

    def _check_member(self, node: Node, module: str, name: str) -> None:
        if found := verdict(module, name):
            kind, reason = found
            make = forbidden if kind == "forbidden" else nondeterministic
            raise make(node, f"`{module}.{name}` {reason}")

    def _check_path(
        self, node: ast.expr, path: str, allowed: frozenset[str] = frozenset()
    ) -> None:
        """A chain from an import on: one allowed member, and attributes of values below it."""
        module, member, rest = split_member(path)
        if not member:
            raise forbidden(node, f"use `{path}` only as `{path}.name`")
        if member not in allowed:
            self._check_member(node, module, member)
        for attribute in rest:
            if attribute not in ATTRIBUTES:
                raise forbidden(node, f"`{path}` is not available to programs")

    def _check_builtin(self, node: ast.Name) -> None:
        if node.id in IMPURE and node.id in CLOSED_BUILTINS:
            raise nondeterministic(node, f"`{node.id}` {IMPURE[node.id]}")
        if node.id in {"getattr", "hasattr"}:
            raise forbidden(node, f"call `{node.id}` with a name in quotes")
        if node.id == "type":
            raise forbidden(
                node, "use `isinstance(x, kind)` or `type(x) is kind`, no other `type`"
            )
        if node.id in CLOSED_BUILTINS or node.id.startswith("__"):
            raise forbidden(node, f"`{node.id}` is not available to programs")

    def _check_bound(self, node: Node, name: str) -> None:
        """What a name may be bound to it may hide: no builtin at the module level."""
        hides = name in HIDDEN and (self.depth == 0 or name in self.names.declared)
        if name.startswith("__") or hides:
            raise forbidden(node, f"`{name}` is not available to programs; use another name")

    def _check_new(self, node: Node, name: str | None) -> None:
        """A name bound by a definition, a parameter, a pattern or an except clause."""
        if name is not None:
            self._check_bound(node, name)
            if name in self.names.imported:
                raise forbidden(node, f"`{name}` is imported; use another name")

    def _check_attribute(self, node: Node, name: str) -> None:
        own = name in self.names.own and name.startswith("_") and not name.startswith("__")
        known = own or (name in self.attributes and not INSIDES.fullmatch(name))
        if not known or name in NO_ATTRIBUTES:
            raise forbidden(node, f"the attribute `{name}` is not available to programs")

    def _check_set_attribute(self, node: ast.Attribute) -> None:
        match node.value:
            case ast.Name(id="self") if self.in_class and "self" not in self.names.top:
                if not node.attr.startswith("__") and node.attr not in NO_ATTRIBUTES:
                    return
        raise nondeterministic(
            node,
            f"sets the attribute `{node.attr}`, which could carry a value from one call to "
            "the next or change an input; use local variables",
        )

    def _check_unshared(self, node: Node, chain: ast.expr) -> None:
        """A value of the module level may be filled there, and not changed in a function."""
        while isinstance(chain, ast.Subscript | ast.Attribute):
            chain = chain.value
        if self.depth and isinstance(chain, ast.Name) and chain.id in self.names.shared:
            raise nondeterministic(
                node,
                f"changes `{chain.id}`, which is kept over all calls; build it inside the "
                "function or change a copy",
            )

    def _check_getattr(self, node: ast.Call) -> None:
        match node.args:
            case [_, name, *_]:
                for part in (name.body, name.orelse) if isinstance(name, ast.IfExp) else (name,):
                    if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
                        raise forbidden(node, "getattr and hasattr need a name in quotes")
                    self._check_attribute(node, part.value)
            case _:
                raise forbidden(node, "getattr and hasattr need a name in quotes")
        for argument in node.args:
            self.visit(argument)

    def _check_getters(self, node: ast.Call) -> None:
        for argument in node.args:
            if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                raise forbidden(node, "attrgetter needs a name in quotes")
            for name in argument.value.split("."):
                self._check_attribute(node, name)

    def _check_seed(self, node: ast.Call) -> None:
        match (*node.args, *(keyword.value for keyword in node.keywords)):
            case () | (ast.Constant(value=None), *_):
                raise nondeterministic(node, f"a generator without a seed {CHANCE}")

    def _check_format(self, node: ast.Call, text: str) -> None:
        """The fields of a format may be names and numbers, nothing on them."""
        try:
            parts = list(Formatter().parse(text))
        except ValueError as error:
            raise forbidden(node, f"a format that cannot be read: {error}") from error
        for _, field, inner, _ in parts:
            if field is not None and ("." in field or "[" in field or "{" in (inner or "")):
                raise forbidden(node, "a format may not read attributes; use an f-string")
        for keyword in node.keywords:
            self.visit(keyword.value)

    def _visit_types(self, node: ast.Call) -> None:
        """The second argument of isinstance may name more types than a program may use."""
        self.visit(node.args[0])
        kinds = node.args[1]
        for kind in kinds.elts if isinstance(kinds, ast.Tuple) else (kinds,):
            path = self.names.path(kind)
            if path is None:
                self.visit(kind)
            else:
                self._check_path(kind, path, ANNOTATIONS.get(split_member(path)[0], frozenset()))

    def _check_keywords(self, node: ast.Call) -> None:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        own = isinstance(node.func, ast.Name) and node.func.id in self.names.defined | {"dict"}
        if None in given and not own:
            raise forbidden(node, "write the keywords of this call one by one")
        if "file" in given and not own:
            raise forbidden(node, "a program may not write files")
        if "where" in given and not own and not _reduces(node.func):
            out = given.get("out")
            fresh = isinstance(out, ast.Call) and self.names.path(out.func) in FRESH
            if not fresh:
                raise nondeterministic(
                    node,
                    "where= leaves whatever was in memory unless out= is made on the spot; use "
                    "numpy.where or out=np.zeros_like(...)",
                )

    def _check_held(self, node: ast.FunctionDef) -> None:
        """A generator that waits inside `with` would leave a setting on for everybody."""
        parts = list(ast.walk(node))
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts):
            for part in parts:
                if isinstance(part, ast.With):
                    raise nondeterministic(part, "a generator may not yield inside `with`")

    def _check_annotation(self, annotation: ast.expr) -> None:
        for node in ast.walk(annotation):
            if not isinstance(node, ANNOTATION_NODES):
                raise forbidden(annotation, "an annotation is to name a type and nothing else")
            path = self.names.path(node) if isinstance(node, ast.Name | ast.Attribute) else None
            if isinstance(node, ast.Name) and path is None:
                if node.id.startswith("__"):
                    raise forbidden(node, f"`{node.id}` is not available to programs")
            elif isinstance(node, ast.Attribute) and path is None:
                self._check_attribute(node, node.attr)
            elif path is not None and split_member(path)[1]:
                self._check_path(
                    annotation, path, ANNOTATIONS.get(split_member(path)[0], frozenset())
                )


def _reduces(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in REDUCTIONS
