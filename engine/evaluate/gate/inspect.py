"""The gate: one visitor over what a program's text may contain, before any of it runs.

It is there for meaning, not for safety: that is the sandbox's. A program has to be a function of
its arguments that keeps nothing between calls and means the same in every process. What a text
does not show, the proof asks for (`engine.evaluate.proof`).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.domain.program import parse_code
from engine.domain.values import Failure
from engine.evaluate.compiled.text import find_obstacle
from engine.evaluate.gate import vocabulary as words
from engine.evaluate.gate.names import Names, find_names
from engine.evaluate.gate.reads import count_bindings, find_reads, parameter_names
from engine.evaluate.gate.refusal import Refusal, forbidden, impure, join
from engine.evaluate.gate.sets import Sets, find_sets
from problems.base import Contract

LARGEST = 65_536
"""Characters of the longest program."""

MOST_NODES = 30_000
"""Nodes of the largest syntax tree; a program of `LARGEST` characters has about 20,000."""

DEEPEST = 120
"""Levels of the deepest syntax tree, so that every check takes time in proportion to the text."""

LONGEST_NUMBER = 10_000
"""Bits of the largest whole number that may be written down."""

TOP_SYNTAX = (
    ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.AnnAssign, ast.AugAssign,
    ast.Expr, ast.Assert, ast.If, ast.For, ast.Try, ast.Pass,
)  # fmt: skip
"""Statements that may stand outside functions, besides assignments."""

TYPE_SYNTAX = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp,
)  # fmt: skip
"""The syntax of a type; nothing of it runs code of the program's."""

ASYNCHRONOUS = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)

BINDING: dict[type[ast.AST], str] = {
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
    ast.arg: "arg",
}
"""Where a node that is no name says what it binds."""

UNAVAILABLE = "is not available to programs"
TOP = "only imports, constants, functions and classes may stand outside functions"
UNORDERED = "goes through a set, whose order may differ from process to process; use sorted(...)"


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the gate found out about a program that it lets pass.

    `reads` are the dotted names that it reads on its arguments, `state.makespan`, in the
    contract's words; None when that is unclear, and then nothing may be assumed. `obstacle` is
    what keeps a rule from being compiled, empty where nothing in its text does.
    """

    reads: frozenset[str] | None
    obstacle: str = ""


def inspect(code: str, contract: Contract) -> Inspection | Failure:
    """Let a program pass or say what is wrong with it, and in which line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the program's text: `"\\d"`
            return _inspect(code, contract)
    except Refusal as refusal:
        return refusal.failure
    except RecursionError:
        return Failure("parse", "the program is nested too deeply")


def _inspect(code: str, contract: Contract) -> Inspection:
    tree, names = _parse(code)
    function = _find_function(tree, contract)
    reads = find_reads(function, contract)
    gate = _Gate(tree, names, function, contract)
    gate.visit(tree)
    if gate.refusals:
        raise join(gate.refusals)
    return Inspection(reads, find_obstacle(code, contract))


def _parse(code: str) -> tuple[ast.Module, Names]:
    """The syntax tree, and what its names stand for."""
    if len(code) > LARGEST:
        raise Refusal("parse", f"the program has over {LARGEST} characters")
    try:
        tree = parse_code(code)
        _check_size(tree)
        return tree, find_names(tree, code)
    except SyntaxError as error:
        raise Refusal("parse", error.msg, error.lineno) from error
    except (ValueError, MemoryError) as error:  # null characters; too deep for the parser's stack
        raise Refusal("parse", str(error) or "the program is nested too deeply") from error


def _check_size(tree: ast.Module) -> None:
    """Refuse a tree that later checks could not go through quickly."""
    level: list[ast.AST] = [tree]
    nodes = 0
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        nodes += len(level)
        if nodes > MOST_NODES:
            raise Refusal("parse", f"the program has over {MOST_NODES} parts; write a shorter one")
        if not level:
            return
    raise Refusal("parse", f"the program is nested over {DEEPEST} levels deep")


def _find_function(tree: ast.Module, contract: Contract) -> ast.FunctionDef:
    """The contract's function; the last definition counts, as in Python."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    named = [node for node in functions if node.name == contract.function]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    if not named or count_bindings(others)[contract.function]:
        raise Refusal("signature", f"define `{contract.signature()}` with def, once")
    function = named[-1]
    most = len(parameter_names(function))
    least = most - len(function.args.defaults)
    closed = function.args.vararg is None and None not in function.args.kw_defaults
    if not (closed and least <= len(contract.arguments) <= most):
        message = f"the parameters must be those of `{contract.signature()}`"
        raise Refusal("signature", message, function.lineno)
    return function


class _Gate(ast.NodeVisitor):
    """Visits a whole program; a statement that is refused ends no visit of the others."""

    def __init__(
        self, tree: ast.Module, names: Names, function: ast.FunctionDef, contract: Contract
    ) -> None:
        fields = [field.name for argument in contract.arguments for field in argument.fields]
        self.names = names
        self.sets = find_sets(tree)
        self.whole = contract.whole
        self.function = function
        self.attributes = words.ATTRIBUTES.union(names.own, *(name.split(".") for name in fields))
        if self.whole:
            self.attributes |= {"tobytes"}
        self.modules = words.MODULES
        if contract.scipy:
            self.modules = words.MODULES | words.SCIPY
            self.attributes |= words.FOUND
        self.depth = 0  # of functions
        self.in_class = False
        self.in_main = False  # under `if __name__ == ...`, which never runs
        self.in_message = False  # of an error, or what is printed
        self.in_type = False  # an annotation, or what `isinstance` asks for
        self.kept = names.shared  # names of values that are there before and after a call
        self.refusals: list[Refusal] = []

    def visit(self, node: ast.AST) -> None:
        """Check a node and all below it."""
        if not isinstance(node, ast.stmt):
            self._visit(node)
            return
        before = {**vars(self)}
        try:
            if self.depth == 0 and not self.in_main:
                self._check_top(node)
            self._visit(node)
        except Refusal as refusal:
            self.refusals.append(refusal)
            vars(self).update(before)

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ASYNCHRONOUS):
            raise forbidden(node, "a program may not be asynchronous")
        if self.in_type and isinstance(node, ast.expr) and not isinstance(node, TYPE_SYNTAX):
            raise forbidden(node, "name a type here, and nothing else")
        if self.sets.goes_through(node):
            raise impure(getattr(node, "iter", node), UNORDERED)
        if (binds := BINDING.get(type(node))) and (name := getattr(node, binds)):
            self._check_bound(node, name)
        super().visit(node)

    @contextmanager
    def _within(self, **place: object) -> Iterator[None]:
        """Another place for the nodes that are visited meanwhile."""
        before = {name: getattr(self, name) for name in place}
        vars(self).update(place)
        yield
        vars(self).update(before)

    def _visit_all(self, nodes: Iterable[ast.AST | None], **place: object) -> None:
        with self._within(**place):
            for node in nodes:
                if node is not None:
                    self.visit(node)

    # What may stand outside functions, in classes, too.

    def _check_top(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                self._check_constant(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                if name not in self.names.shared or name in self.names.imported:
                    raise forbidden(node, TOP)
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                raise forbidden(node, TOP)
            case _ if not isinstance(node, TOP_SYNTAX):
                raise forbidden(node, TOP)

    def _check_constant(self, value: ast.expr) -> None:
        """A constant that moves on when it is read is none."""
        called = self.names.known(value.func) if isinstance(value, ast.Call) else ""
        if isinstance(value, ast.GeneratorExp) or called in words.ITERATORS | words.SEEDED:
            raise impure(value, "an iterator made once is used up over the calls; make it a tuple")

    def visit_If(self, node: ast.If) -> None:
        match node.test:
            case ast.Compare(left=ast.Name(id="__name__")):
                self._visit_all((*node.body, *node.orelse), in_main=True)
            case _:
                self.generic_visit(node)

    # Imports and names.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._check_bound(node, alias.asname or alias.name.partition(".")[0])
            known = self.modules.keys() | words.IMPURE.keys()
            known |= {"numba"} if self.whole else set()
            if alias.name not in known and not self._is_unused(alias.name, alias):
                raise self._unknown(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        known = words.SEEDED | words.CACHES | self.modules.keys() | {"operator.attrgetter"}
        known |= words.COMPILERS if self.whole else set()
        for alias in node.names:
            path = f"{module}.{alias.name}"
            self._check_bound(node, alias.asname or alias.name)
            if alias.name == "*":
                raise forbidden(node, f"import names from {module} one by one")
            if path not in known and not self._is_unused(module, alias):
                self._check_path(node, path)

    def _is_unused(self, module: str, alias: ast.alias) -> bool:
        """Whether an import of a module does nothing."""
        bound = alias.asname or alias.name.partition(".")[0]
        is_used = bound in self.names.used or bound.startswith("_")
        return module in words.UNUSED and not is_used

    def _unknown(self, node: ast.AST, module: str) -> Refusal:
        return forbidden(node, f"`{module}` {words.ONLY} {', '.join(sorted(self.modules))}")

    def _check_path(self, node: ast.expr | ast.stmt, path: str) -> None:
        """A chain from an import on: one allowed member, and attributes of values below it."""
        module, member, rest = words.split_member(path)
        full = f"{module}.{member}"
        if not member:
            raise forbidden(node, f"use `{path}` only as `{path}.name`")
        if self.in_type and full in words.TYPES:
            return
        if reason := words.IMPURE.get(full) or words.IMPURE.get(module):
            raise impure(node, f"`{full}` {reason}")
        if module not in self.modules:
            raise self._unknown(node, module)
        if member not in self.modules[module] or not words.ATTRIBUTES.issuperset(rest):
            raise forbidden(node, f"`{path}` {UNAVAILABLE}")

    def _check_bound(self, node: ast.AST, name: str) -> None:
        """What a name may be bound to it may hide: no builtin at the module level."""
        special = name.startswith("__") and not (name in words.SPECIAL and self.depth == 0)
        if special or name in words.UNBOUND or (name in words.CLOSED and self.depth == 0):
            raise forbidden(node, f"`{name}` {UNAVAILABLE}; use another name")
        if name in self.names.imported and not isinstance(node, ast.Import | ast.ImportFrom):
            raise forbidden(node, f"`{name}` is imported; use another name")

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            self._check_bound(node, name)
        elif name in self.names.imported:
            self._check_path(node, self.names.imported[name])
        elif name.startswith("__") and name not in words.BUILTINS:
            raise forbidden(node, f"`{name}` {UNAVAILABLE}")
        elif name in self.names.outside and name in words.CLOSED and not self.in_type:
            if name in words.WRITERS and self.in_message:
                return
            if name in words.IMPURE:
                raise impure(node, f"`{name}` {words.IMPURE[name]}")
            raise forbidden(node, f"`{name}` {words.USES.get(name, UNAVAILABLE)}")

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            if name not in self.names.shared:
                raise impure(node, f"`global {name}` {words.KEEPS}; use local variables")

    # Attributes and items.

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._check_set_attribute(node)
            self.visit(node.value)
        elif path := self.names.path(node):
            if not (self.in_type and path in self.modules):
                self._check_path(node, path)
        else:
            self.visit(node.value)
            self._check_attribute(node, node.attr)

    def _check_attribute(self, node: ast.expr, name: str) -> None:
        if name not in self.attributes or words.INSIDES.fullmatch(name):
            raise forbidden(node, f"the attribute `{name}` {UNAVAILABLE}")

    def _check_set_attribute(self, node: ast.Attribute) -> None:
        match node.value:
            case ast.Name(id="self") if self.in_class and "self" not in self.names.top:
                if not words.INSIDES.fullmatch(node.attr):
                    return
        raise impure(
            node,
            f"sets the attribute `{node.attr}`, which could carry a value from one call to "
            "the next or change an input; use local variables",
        )

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._check_change(node, node)
        self.generic_visit(node)

    def _check_change(self, node: ast.expr, chain: ast.expr) -> None:
        """What is kept may be filled outside functions; of what is given, copies may change."""
        while isinstance(chain, ast.Subscript | ast.Attribute):
            chain = chain.value
        if self.depth and isinstance(chain, ast.Name) and chain.id in self.kept:
            which = (
                "what is kept over all calls," if chain.id in self.names.shared else "its input"
            )
            raise impure(node, f"changes {which} `{chain.id}`; work on a copy")

    # Text and constants.

    def visit_Constant(self, node: ast.Constant) -> None:
        word = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        if isinstance(word, int) and word.bit_length() > LONGEST_NUMBER:
            raise forbidden(node, "write a shorter number")
        is_free = self.in_message or self.in_type
        if isinstance(word, str) and not is_free and words.RAW_WORD.search(word):
            raise impure(
                node, f"the word {word!r} names a clock or raw objects to NumPy; use another"
            )

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if not self.in_message:
            raise impure(node, f"an f-string {words.TEXT}")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        is_text = any(
            isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", 0), str | bytes)
            for side in (node.left, node.right)
        )
        is_format = isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple)
        if (is_text or is_format) and not (self.in_message or self.in_type):
            raise impure(node, f"`{ast.unparse(node)[:40]}` {words.TEXT}")
        self.generic_visit(node)

    def _visit_message(self, node: ast.Raise | ast.Assert) -> None:
        self._visit_all(ast.iter_child_nodes(node), in_message=True)

    visit_Raise = visit_Assert = _visit_message

    # Calls.

    def visit_Compare(self, node: ast.Compare) -> None:
        """`type(x) is int` is the one use of `type`."""
        sides = [node.left, *node.comparators]
        types = [
            side
            for side in sides
            if isinstance(side, ast.Call) and self.names.known(side.func) == "type"
        ]
        for one in types:
            self._visit_all(one.args[:1])
            sides.remove(one)
        self._visit_all(sides, in_type=self.in_type or bool(types))

    def visit_Call(self, node: ast.Call) -> None:
        path = self.names.known(node.func)
        if path in ("getattr", "hasattr") and path in self.names.outside:
            self._check_quoted(node, node.args[1:2])
            self._visit_all(node.args)
        elif path == "operator.attrgetter":
            self._check_quoted(node, node.args)
        elif path == "isinstance" and len(node.args) == 2:
            self.visit(node.args[0])
            self._visit_all(node.args[1:], in_type=True)
        else:
            self._check_call(node, path)
            arguments = (*node.args, *node.keywords)
            self._visit_all(arguments, in_message=self.in_message or path == "print")

    def _check_quoted(self, node: ast.Call, quoted: list[ast.expr]) -> None:
        """Names of attributes: `getattr(x, "y")`."""
        names: list[ast.expr] = []
        for one in quoted:
            names += [one.body, one.orelse] if isinstance(one, ast.IfExp) else [one]
        for one in names or [node]:
            if not isinstance(one, ast.Constant) or not isinstance(one.value, str):
                raise forbidden(node, f"`{ast.unparse(node.func)}` {words.QUOTED}")
            for name in one.value.split("."):
                self._check_attribute(node, name)

    def _check_call(self, node: ast.Call, path: str) -> None:
        match node.func:
            case ast.Attribute(value=ast.Constant(value=str()), attr="format"):
                if not self.in_message:
                    raise impure(node, f"`.format` {words.TEXT}")
            case _ if path in words.SEEDED and self.depth:
                match (*node.args, *(keyword.value for keyword in node.keywords)):
                    case () | (ast.Constant(value=None), *_):
                        raise impure(node, f"a generator without a seed {words.CHANCE}")
            case _ if path in words.BY_CHANCE and not _is_seeded(node):
                raise impure(node, f"`{path}` without rng= or seed= {words.CHANCE}")
            case function:
                if getattr(function, "attr", "") in words.CHANGES and "." not in path:
                    self._check_change(node, function)
                self.visit(function)
        if path not in self.names.defined | {"dict"}:
            self._check_arguments(node)

    def _check_arguments(self, node: ast.Call) -> None:
        """Arguments by which what Python and NumPy define would write or read elsewhere."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        name = getattr(node.func, "attr", "")
        if None in given:
            raise forbidden(node, "write the keywords of this call one by one")
        if "file" in given:
            raise forbidden(node, "a program may not write files")
        out = given.get("out", ast.Constant(None))
        self._check_change(node, out)
        if "where" in given and isinstance(out, ast.Constant) and name not in words.REDUCTIONS:
            raise impure(
                node,
                "where= leaves whatever was in memory unless out= is given; use numpy.where or "
                "out=np.zeros_like(...)",
            )
        types = [given["dtype"]] if "dtype" in given else node.args[: name == "astype"]
        for one in types:
            if not isinstance(one, ast.Name | ast.Attribute | ast.Constant):
                raise impure(node, "give NumPy a type by its name, as `float`")

    # Definitions.

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        raise forbidden(node, "match on numbers, strings and tuples, or use isinstance")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        allowed = words.CACHES | words.COMPILERS if self.whole else frozenset[str]()
        if self.in_class and self.depth == 0:
            allowed |= words.METHOD_DECORATORS
        self._check_decorators(node, allowed)
        self._visit_all([node.returns], in_type=True)
        given = set(parameter_names(node)) if node is self.function else set[str]()
        given -= count_bindings(node.body).keys()
        sets = Sets([node], self.sets) if self.depth == 0 else self.sets
        with self._within(sets=sets):
            self._visit_function(node.args, node.body, self.kept | given)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node.args, [node.body], self.kept)

    def _visit_function(
        self, arguments: ast.arguments, body: Iterable[ast.AST], kept: frozenset[str]
    ) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            match default:
                case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[], keywords=[]):
                    raise impure(
                        default,
                        "a default argument is made once and kept over all calls; use None and "
                        "make the list or dict inside the function",
                    )
                case ast.expr():
                    self._check_constant(default)
        self._visit_all((arguments, *body), depth=self.depth + 1, kept=kept)

    def visit_arg(self, node: ast.arg) -> None:
        self._visit_all([node.annotation], in_type=True)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all([node.annotation], in_type=True)
        self._visit_all([node.target, node.value])

    def visit_Assign(self, node: ast.Assign) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                if name in self.names.imported:  # where the import failed
                    return
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        """A generator that waits inside `with` would leave a setting on for everybody."""
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
            raise impure(node, "a generator may not yield inside `with`")
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class of plain methods and fields, with nothing that Python calls unasked."""
        if node.keywords:
            raise forbidden(node, "a class may have no metaclass and no keywords")
        for base in node.bases:
            if self.names.known(base) not in words.BASES | self.names.defined:
                allowed = ", ".join(sorted(words.BASES))
                raise forbidden(node, f"a class may derive from your own or one of {allowed}")
        self._check_decorators(node, words.CLASS_DECORATORS)
        self._visit_all(node.body, in_class=True, depth=0)  # its names may be builtins, too

    def _check_decorators(
        self, node: ast.FunctionDef | ast.ClassDef, allowed: frozenset[str]
    ) -> None:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
            path = self.names.known(call.func)
            if path in words.CACHES and not self.whole:
                raise impure(
                    decorator,
                    "a cache keeps values from one decision to the next; decide from the arguments"
                    " alone",
                )
            if path not in allowed or path in self.names.top:
                which = f"decorators may here be {' or '.join(sorted(allowed))}" if allowed else ""
                raise forbidden(decorator, which or "a function here has no decorators")
            self._visit_all((*call.args, *call.keywords))


def _is_seeded(call: ast.Call) -> bool:
    """Whether a call is given where its random numbers come from."""
    given = [one.value for one in call.keywords if one.arg in ("rng", "seed")]
    return any(not isinstance(one, ast.Constant) or one.value is not None for one in given)
