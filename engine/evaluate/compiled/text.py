"""Which rules are compiled, by their text: numbers, loops, tables; the rest is left to Python.

The operators and functions of such a program are replaced by words (`words.py`), which mean what
Python means. What is not listed here is no fault of a program: Python runs it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from engine.domain.program import parse_code
from problems.base import Contract

LARGEST = 5000
"""Nodes of the largest program that is compiled: numba takes one to two milliseconds for each."""

QUOTED = 40
"""Characters of a text that a reason quotes."""

WHOLE = 1 << 31
"""The largest whole number that may stand in a text."""

OPERATORS: dict[type[ast.AST], str] = {
    kind: kind.__name__.lower()
    for kind in (
        ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
        ast.MatMult, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor,
        ast.Lt, ast.Gt, ast.Eq,
    )
} | {ast.LtE: "le", ast.GtE: "ge", ast.NotEq: "ne"}  # fmt: skip

MATH = dict.fromkeys((
    "exp", "log", "log2", "log10", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "sqrt",
    "floor", "ceil", "fabs", "isfinite", "log1p", "expm1",
), 1) | {"pow": 2, "atan2": 2}  # fmt: skip
"""Functions with their numbers of arguments."""

NUMPY = {
    name: f".{name}" for name in ("argmin", "argmax", "sum", "mean", "min", "max", "copy")
} | {name: f"numpy.{name}" for name in ("zeros", "ones", "sqrt", "arange", "array")}
NUMPY |= {"abs": "abs", "absolute": "abs", "argsort": "numpy.argsort"}
NUMPY_OF_MORE = {
    ("full", 2): "numpy.full",
    ("maximum", 2): "numpy.maximum",
    ("minimum", 2): "numpy.minimum",
    ("arange", 2): "numpy.arange of two",
    ("arange", 3): "numpy.arange of three",
}
"""By name and number of arguments."""
CONSTANTS = frozenset({"inf", "pi", "e"})
METHODS = frozenset({"min", "max", "argmin", "argmax", "sum", "mean", "tolist", "copy"})
CHANGES = {"append": (1,), "insert": (2,), "remove": (1,), "pop": (0, 1), "reverse": (0,)}
"""Methods of lists, which arrays do not have, with their numbers of arguments."""

ATTRIBUTES = frozenset({"size", "shape"})
ROWS = frozenset({"min", "max", "sum", "any", "all"})
"""Functions of one list; a generator in it is a list, as nothing in it has side effects."""


class Unlisted(Exception):
    """A program holds what is left to Python: a line and what stands there."""

    def __init__(self, node: ast.AST, what: str = "") -> None:
        """`what` is left to Python, else the text of a node."""
        line = getattr(node, "lineno", None)
        where = "" if line is None else f"line {line}: "
        super().__init__(where + (what or _quote(node)))


def _quote(node: ast.AST) -> str:
    """The beginning of a node's text."""
    text = ast.unparse(node).partition("\n")[0]
    return "`" + "".join(filter(str.isprintable, text[:QUOTED])) + "`"


def rewrite(code: str, contract: Contract) -> tuple[ast.Module, list[str]]:
    """A program in words, and the names of its functions, those that others call first.

    Raises Unlisted.
    """
    tree = parse_code(code)
    parts = sum(1 for _ in ast.walk(tree))
    if parts > LARGEST:
        raise Unlisted(tree, f"{parts:,} parts of syntax, {LARGEST:,} at most")
    module = _Module(tree, contract)
    names = module.order(contract.function)
    written = ast.Module([module.statements[name] for name in names], [])
    for node in ast.walk(written):  # lines of the text are no longer in order
        if "lineno" in node._attributes:
            ast.copy_location(node, ast.Pass(lineno=1, col_offset=0))
    return written, names


def find_obstacle(code: str, contract: Contract) -> str:
    """What keeps a program that passes the gate from being compiled; empty where nothing does."""
    if contract.whole:
        return "a whole program"
    try:
        rewrite(code, contract)
    except Unlisted as unlisted:
        return str(unlisted)
    except RecursionError:
        return "too many levels"
    return ""


class _Module:
    """What stands outside functions: constants, imports of `math` and NumPy, plain functions."""

    def __init__(self, tree: ast.Module, contract: Contract) -> None:
        fields = (field.name for argument in contract.arguments for field in argument.fields)
        self.fields = {part for name in fields for part in name.split(".")}
        self.answers = {contract.function: contract.answer}
        self.modules: dict[str, str] = {}  # by their names here
        self.members: dict[str, str] = {}
        self.constants: set[str] = set()
        self.functions: dict[str, ast.FunctionDef] = {}
        for node in tree.body:
            self._read(node)
        self.truths = self._find_truths()
        self.calls: dict[str, set[str]] = {}
        self.statements: dict[str, ast.stmt] = {}
        for name, function in self.functions.items():
            writer = _Function(self, function)
            self.statements[name] = writer.rewrite()
            self.calls[name] = writer.called

    def _read(self, node: ast.stmt) -> None:
        match node:
            case ast.Import(names=[ast.alias(name="math" | "numpy" as name, asname=other)]):
                self.modules[other or name] = name
            case ast.ImportFrom(module="math" | "numpy" as module, names=names, level=0):
                for alias in names:
                    self.members[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.ImportFrom(module="__future__") | ast.Expr(value=ast.Constant(value=str())):
                return
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name not in self.known:
                _check_constant(value)
                self.constants.add(name)
            case ast.FunctionDef(name=name) if name not in self.known:
                self.functions[name] = node
            case _:
                raise Unlisted(node)

    @property
    def known(self) -> set[str]:
        return {*self.modules, *self.members, *self.constants, *self.functions}

    def _find_truths(self) -> frozenset[str]:
        """The functions that return truth values, and nothing else."""
        truths = frozenset[str]()
        while True:
            found = {
                name
                for name, function in self.functions.items()
                if (returns := [n for n in ast.walk(function) if isinstance(n, ast.Return)])
                and all(_is_truth(n.value, truths) for n in returns)
            }
            if found == truths:
                return truths
            truths = frozenset(found)

    def order(self, function: str) -> list[str]:
        """The functions that a function needs, callees first. Raises Unlisted for recursion."""
        done: list[str] = []
        above: list[str] = []

        def go(name: str) -> None:
            if name in above:
                raise Unlisted(self.functions[name], "recursion")
            if name not in done:
                above.append(name)
                for called in sorted(self.calls[name]):
                    go(called)
                done.append(above.pop())

        go(function)
        return done


def _check_constant(value: ast.expr) -> None:
    """A number or a tuple of numbers, which may be computed. Raises Unlisted."""
    for node in ast.walk(value):
        match node:
            case ast.Constant(value=bool() | str() | bytes() | complex() | None):
                raise Unlisted(node)
            case ast.Constant(value=int() as number) if number > WHOLE:
                raise Unlisted(node, "a large number")
            case ast.List() | ast.Dict() | ast.Set() | ast.Compare() | ast.BoolOp() | ast.Lambda():
                raise Unlisted(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                raise Unlisted(node)


def _is_truth(value: ast.expr | None, names: Iterable[str]) -> bool:
    """Whether an expression is a truth value by its text; `names` hold some, or return them."""
    match value:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.BoolOp(values=values):
            return all(_is_truth(one, names) for one in values)
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            return name in names or (isinstance(value, ast.Call) and name in {"any", "all"})
        case ast.Call(func=ast.Attribute(attr="isfinite")):
            return True
    return False


class _Function:
    """One function, statement by statement; `bound` are the names that have a value there."""

    def __init__(self, module: _Module, node: ast.FunctionDef) -> None:
        self.module = module
        self.node = node
        self.called: set[str] = set()
        self.parameters = _parameters(node)
        self.locals = {*_stored(node), *self.parameters}
        for name in self.locals & module.known:
            raise Unlisted(node, f"`{name}`, which stands for two things")
        self.truths = self._find_truths()

    def _find_truths(self) -> frozenset[str]:
        """The variables that hold truth values, and nothing else."""
        values: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(self.node):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values.setdefault(name, []).append(value)
                case ast.Name(id=name, ctx=ast.Store()):
                    values.setdefault(name, [])
        stores = _stored(self.node)
        truths = self.module.truths
        while True:
            found = {
                name
                for name, given in values.items()
                if given
                and len(given) == stores.count(name)
                and all(_is_truth(value, truths) for value in given)
            } - {*self.parameters}
            more = truths | found
            if more == truths:
                return truths
            truths = more

    def rewrite(self) -> ast.stmt:
        """The function in words."""
        body, after = self.block(self.node.body, frozenset(self.parameters))
        if after is not None and self.node.name in self.module.answers:
            raise Unlisted(self.node, "an end without return")
        return ast.FunctionDef(
            name=self.node.name,
            args=_arguments(self.parameters),
            body=body,
            decorator_list=[],
            lineno=self.node.lineno,
        )

    # Statements. What follows one that never ends is unreachable: then None is bound.

    def block(
        self, statements: Sequence[ast.stmt], bound: frozenset[str]
    ) -> tuple[list[ast.stmt], frozenset[str] | None]:
        """Some statements in words, and the names that have a value after them."""
        written: list[ast.stmt] = []
        after: frozenset[str] | None = bound
        for statement in statements:
            if after is None:
                break
            new, after = self.statement(statement, after)
            written += new
        return written or [ast.Pass()], after

    def statement(
        self, node: ast.stmt, bound: frozenset[str]
    ) -> tuple[list[ast.stmt], frozenset[str] | None]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return [], bound
            case ast.Assign(targets=[target], value=value):
                return self.assign(target, value, bound)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                old = self.name(ast.copy_location(ast.Name(name, ast.Load()), node), bound)
                if type(op) not in OPERATORS:
                    raise Unlisted(node, type(op).__name__)
                new = _call(f"i{OPERATORS[type(op)]}", old, self.value(value, bound))
                return [ast.Assign([target], new, lineno=node.lineno)], bound
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
                old = ast.Subscript(target.value, target.slice, ast.Load())
                both = ast.copy_location(ast.BinOp(ast.copy_location(old, node), op, value), node)
                return self.assign(target, both, bound)
            case ast.Return(value=None) if self.node.name not in self.module.answers:
                return [node], None
            case ast.Return(value=ast.expr() as value):
                answer = self.module.answers.get(self.node.name)
                if answer is not None:
                    written: ast.expr = _call(answer, self.value(value, bound))
                elif _is_truth(value, self.truths):
                    written = self.test(value, bound)
                else:
                    written = self.value(value, bound)
                return [ast.Return(written)], None
            case ast.If(test=test, body=body, orelse=orelse):
                first, after = self.block(body, bound)
                second, other = self.block(orelse, bound)
                written_if = ast.If(self.test(test, bound), first, second if orelse else [])
                if after is None or other is None:
                    return [written_if], other if after is None else after
                return [written_if], after & other
            case ast.While(test=test, body=body, orelse=[]):
                inner, _ = self.block(body, bound)
                ends = isinstance(test, ast.Constant) and test.value and not _breaks(body)
                return [ast.While(self.test(test, bound), inner, [])], None if ends else bound
            case ast.For(target=target, iter=iterated, body=body, orelse=[]):
                names = _targets(target)
                inner, _ = self.block(body, bound | names)
                return [ast.For(target, self.iterated(iterated, bound), inner, [])], bound
            case ast.Break() | ast.Continue():
                return [node], None
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if (
                name in self.module.functions
            ):
                return [ast.Expr(self.call(call, bound))], bound
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name)) as call) if (
                name in CHANGES
            ):
                return [ast.Expr(self.change(call, bound))], bound
        raise Unlisted(node)

    def assign(
        self, target: ast.expr, value: ast.expr, bound: frozenset[str]
    ) -> tuple[list[ast.stmt], frozenset[str]]:
        match target:
            case ast.Name(id=name) if name in self.truths:
                written = self.test(value, bound)
            case ast.Subscript(value=array, slice=place):
                parts = (self.value(array, bound), self.place(place, bound))
                call = _call("put", *parts, self.flag_or_value(value, bound))
                return [ast.Expr(call)], bound
            case ast.Name(id=name) if isinstance(value, ast.Constant) and value.value is None:
                written = value
            case ast.Name() | ast.Tuple():
                written = self.value(value, bound)
            case _:
                raise Unlisted(target)
        return [ast.Assign([target], written, lineno=target.lineno)], bound | _targets(target)

    # Expressions.

    def test(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """A condition in words."""
        match node:
            case ast.Constant(value=bool()):
                return node
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [self.test(value, bound) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.UnaryOp(ast.Not(), self.test(operand, bound))
            case ast.Compare(
                left=ast.Name() as left,
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=None) as none],
            ):
                return ast.Compare(self.value(left, bound), [op], [none])
            case ast.Compare():
                return self.comparison(node, bound)
            case ast.Name(id=name) if name in self.truths:
                return self.name(node, bound)
            case ast.Call() if _is_truth(node, self.truths):
                return self.call(node, bound)
        return _call("truth", self.value(node, bound))

    def comparison(self, node: ast.Compare, bound: frozenset[str]) -> ast.expr:
        if any(map(_holds_call, node.comparators[:-1])):  # computed twice
            raise Unlisted(node, "a call in the middle of a chain of comparisons")
        sides = [self.value(side, bound) for side in (node.left, *node.comparators)]
        parts: list[ast.expr] = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, ast.In):
                parts.append(_call("in", left, right))
            elif isinstance(op, ast.NotIn):
                parts.append(ast.UnaryOp(ast.Not(), _call("in", left, right)))
            elif type(op) in OPERATORS:
                parts.append(_call(OPERATORS[type(op)], left, right))
            else:
                raise Unlisted(node, type(op).__name__)
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def flag_or_value(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """An expression in words; one truth value may stand there, but no array of them."""
        if _is_truth(node, self.truths):
            return _call("flag", self.test(node, bound))
        return self.value(node, bound)

    def value(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """An expression in words that is no truth value."""
        if _is_truth(node, self.truths):
            raise Unlisted(node, "a truth value among numbers")
        match node:
            case ast.Constant(value=int() as number) if abs(number) <= WHOLE:
                return node
            case ast.Constant(value=float()):
                return node
            case ast.Name():
                return self.name(node, bound)
            case ast.BinOp(
                left=ast.BinOp(
                    left=ast.BinOp(left=first, op=ast.Mult(), right=second),
                    op=ast.Add(),
                    right=more,
                ),
                op=ast.Mod(),
                right=divisor,
            ):
                numbers = [self.value(one, bound) for one in (first, second, more, divisor)]
                return _call("mod of product", *numbers)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                parts = (self.value(left, bound), self.value(right, bound))
                return _call(OPERATORS[type(op)], *parts)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if isinstance(operand, ast.Constant):
                    return ast.UnaryOp(ast.USub(), self.value(operand, bound))
                return _call("usub", self.value(operand, bound))
            case ast.BoolOp(op=op, values=[first, *others]):
                rest = others[0] if len(others) == 1 else ast.BoolOp(op, others)
                parts = (self.value(first, bound), self.value(rest, bound))
                if isinstance(op, ast.And):
                    parts = (parts[1], parts[0])
                return ast.IfExp(self.test(first, bound), *parts)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                parts = (self.value(body, bound), self.value(orelse, bound))
                return ast.IfExp(self.test(test, bound), *parts)
            case ast.Subscript(value=value, slice=place):
                if _is_truth(place, self.truths):
                    return _call("masked", self.value(value, bound), self.test(place, bound))
                return ast.Subscript(
                    self.value(value, bound), self.place(place, bound), ast.Load()
                )
            case ast.List(elts=[_, *_] as elements) if all(
                _is_truth(element, self.truths) for element in elements
            ):
                written = [self.flag_or_value(element, bound) for element in elements]
                return ast.List(written, ast.Load())
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                written = [self.value(element, bound) for element in elements]
                return type(node)(written, ast.Load())
            case ast.ListComp():
                return self.comprehension(node, bound, _is_truth(node.elt, self.truths))
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (
                module in self.module.modules
            ):
                if name in CONSTANTS:
                    return node
            case ast.Attribute(value=value, attr=name) if name in self.module.fields:
                return ast.Attribute(self.value(value, bound), name, ast.Load())
            case ast.Attribute(value=value, attr=name) if name in ATTRIBUTES:
                return _call(f".{name}", self.value(value, bound))
            case ast.Call():
                return self.call(node, bound)
        raise Unlisted(node)

    def name(self, node: ast.Name, bound: frozenset[str]) -> ast.expr:
        if node.id in bound:
            return ast.Name(node.id, ast.Load())
        if node.id in self.locals:
            raise Unlisted(node, f"`{node.id}`, which may have no value yet")
        if self.module.members.get(node.id, "").partition(".")[2] not in CONSTANTS and (
            node.id not in self.module.constants
        ):
            raise Unlisted(node, f"`{node.id}`")
        return ast.Name(node.id, ast.Load())

    def place(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """What stands in brackets."""
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = (lower, upper, step)
                return ast.Slice(*(part and self.whole(part, bound) for part in parts))
            case ast.Tuple(elts=elements):
                return ast.Tuple([self.place(one, bound) for one in elements], ast.Load())
        return self.value(node, bound)

    def whole(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """A whole number in words, which no truth value is."""
        return _call("whole", self.value(node, bound))

    def iterated(self, node: ast.expr, bound: frozenset[str]) -> ast.expr:
        """What a loop goes over."""
        match node:
            case ast.Call(func=ast.Name(id="range" as name), args=args, keywords=[]):
                return _plain_call(name, [self.whole(one, bound) for one in args])
            case ast.Call(func=ast.Name(id="enumerate" as name), args=[one], keywords=[]):
                return _plain_call(name, [self.iterated(one, bound)])
            case ast.Call(func=ast.Name(id="zip" as name), args=args, keywords=[]):
                return _plain_call(name, [self.iterated(one, bound) for one in args])
        return self.value(node, bound)

    def comprehension(
        self, node: ast.ListComp | ast.GeneratorExp, bound: frozenset[str], of_truths: bool = False
    ) -> ast.expr:
        match node.generators:
            case [ast.comprehension(target=target, iter=iterated, ifs=ifs, is_async=0)]:
                inside = bound | _targets(target)
                element = (
                    _call("flag", self.test(node.elt, inside))
                    if of_truths
                    else self.value(node.elt, inside)
                )
                tests = [self.test(test, inside) for test in ifs]
                generator = ast.comprehension(target, self.iterated(iterated, bound), tests, 0)
                return ast.ListComp(element, [generator])
        raise Unlisted(node)

    def call(self, node: ast.Call, bound: frozenset[str]) -> ast.expr:
        match node:
            case ast.Call(
                func=ast.Name(id="min" | "max" | "sorted" as choice),
                args=[row],
                keywords=[ast.keyword(arg="key", value=ast.Lambda(args=key, body=body))],
            ) if choice not in self.locals | self.module.known and _is_simple(key):
                target = ast.Name(key.args[0].arg, ast.Store())
                generator = ast.comprehension(target, row, [], 0)
                keys = ast.copy_location(ast.ListComp(body, [generator]), node)
                return _call(
                    f"{choice}_by", self.value(row, bound), self.comprehension(keys, bound)
                )
            case (
                ast.Call(args=[size, kind], keywords=[])
                | ast.Call(args=[size], keywords=[ast.keyword(arg="dtype", value=kind)])
            ) if (made := self.of_numpy(node.func)) in ("zeros", "ones") and (
                of := self.number_type(kind)
            ):
                return _call(f"numpy.{made}{of}", self.value(size, bound))
            case ast.Call(
                args=[row],
                keywords=[ast.keyword(arg="kind", value=ast.Constant(value="stable"))],
            ) if self.of_numpy(node.func) == "argsort":
                return _call("numpy.argsort stable", self.value(row, bound))
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise Unlisted(node, "a call with keywords")
        match node.func, node.args:
            case ast.Name(id=name), args if name in self.module.functions:
                self.called.add(name)
                if len(args) != len(_parameters(self.module.functions[name])):
                    raise Unlisted(node)
                return _plain_call(name, [self.flag_or_value(one, bound) for one in args])
            case ast.Attribute(attr="pop"), _:
                return self.change(node, bound)
            case ast.Name(id=name), args if name in self.module.members:
                module, _, member = self.module.members[name].partition(".")
                return self.of_module(node, module, member, args, bound)
            case ast.Attribute(value=ast.Name(id=name), attr=member), args if (
                name in self.module.modules
            ):
                return self.of_module(node, self.module.modules[name], member, args, bound)
            case ast.Attribute(value=value, attr=name), [] if name in METHODS:
                return _call(f".{name}", self.value(value, bound))
            case ast.Name(id=name), args if name not in self.locals | self.module.known:
                return self.builtin(node, name, args, bound)
        raise Unlisted(node)

    def change(self, node: ast.Call, bound: frozenset[str]) -> ast.expr:
        """The call of a method that changes a list."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name() | ast.Subscript() as row, attr=name),
                args=args,
                keywords=[],
            ) if len(args) in CHANGES[name]:
                method = ast.Attribute(self.value(row, bound), name, ast.Load())
                return ast.Call(method, [self.value(one, bound) for one in args], [])
        raise Unlisted(node)

    def number_type(self, node: ast.expr) -> str:
        """What is added to the name of a word for arrays of this type; empty for any other."""
        match node:
            case ast.Name(id=kind) if kind not in self.locals | self.module.known:
                return f" of {kind}" if kind in ("int", "float", "bool") else ""
        kinds = {"int64": " of int", "float64": " of float", "bool_": " of bool"}
        return kinds.get(self.of_numpy(node), "")

    def of_numpy(self, node: ast.expr) -> str:
        """The name of a member of NumPy, read from the module or imported; empty for any other."""
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=member) if (
                self.module.modules.get(module) == "numpy"
            ):
                return member
            case ast.Name(id=name) if name not in self.locals:
                module, _, member = self.module.members.get(name, "").partition(".")
                return member if module == "numpy" else ""
        return ""

    def of_module(
        self,
        node: ast.Call,
        module: str,
        member: str,
        args: Sequence[ast.expr],
        bound: frozenset[str],
    ) -> ast.expr:
        if module == "math" and MATH.get(member) == len(args):
            return _call(f"math.{member}", *[self.value(one, bound) for one in args])
        word = NUMPY.get(member) if len(args) == 1 else NUMPY_OF_MORE.get((member, len(args)))
        if module == "numpy" and word:
            return _call(word, *[self.value(one, bound) for one in args])
        raise Unlisted(node, f"{module}.{member}")

    def builtin(
        self, node: ast.Call, name: str, args: Sequence[ast.expr], bound: frozenset[str]
    ) -> ast.expr:
        match name, args:
            case "float", [ast.Constant(value="inf" | "-inf" as word)]:
                infinite: ast.expr = ast.Constant(float("inf"))
                return ast.UnaryOp(ast.USub(), infinite) if word[0] == "-" else infinite
            case (("int" | "float"), [one]) if _is_truth(one, self.truths):
                kind = {"int": int, "float": float}[name]
                choice = ast.Constant(kind(1)), ast.Constant(kind(0))
                return ast.IfExp(self.test(one, bound), *choice)
            case (("int" | "float" | "abs"), [one]):
                return _call(name, self.value(one, bound))
            case "len", [one]:
                return _plain_call("len", [self.value(one, bound)])
            case "list", [ast.Call(func=ast.Name(id="range")) as one]:
                target = ast.Name("__each__", ast.Store())
                generator = ast.comprehension(target, self.iterated(one, bound), [], 0)
                return ast.ListComp(ast.Name("__each__", ast.Load()), [generator])
            case "list", [one]:
                return _call(".tolist", self.value(one, bound))
            case "sorted", [one]:
                row = self.value(one, bound)
                return _call("sorted_by", row, row)
            case _, [ast.GeneratorExp() | ast.ListComp() as one] if name in ROWS:
                is_truth = name in {"any", "all"}
                if name == "sum" and _is_truth(one.elt, self.truths):
                    count = ast.IfExp(one.elt, ast.Constant(1), ast.Constant(0))
                    one = ast.ListComp(ast.copy_location(count, node), one.generators)
                return _call(name, self.comprehension(one, bound, is_truth))
            case (("min" | "max" | "sum" | "any" | "all"), [one]):
                return _call(name, self.value(one, bound))
            case (("min" | "max"), [first, *others]):
                best = self.value(first, bound)
                for one in others:
                    best = _call(f"{name}2", best, self.value(one, bound))
                return best
        raise Unlisted(node, f"{name}()")


def word_name(word: str) -> str:
    """A word as a name that no program can hold."""
    return f"__{word.replace('.', '_').replace(' ', '_')}__"


def _call(word: str, *arguments: ast.expr) -> ast.Call:
    return _plain_call(word_name(word), arguments)


def _plain_call(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


def _holds_call(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _stored(node: ast.AST) -> list[str]:
    """The names that are set, once for each time."""
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]


def _targets(target: ast.expr) -> frozenset[str]:
    """The names that are set. Raises Unlisted where anything else is."""
    match target:
        case ast.Name(id=name):
            return frozenset({name})
        case ast.Tuple(elts=elements):
            return frozenset[str]().union(*map(_targets, elements))
    raise Unlisted(target)


def _breaks(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Break) for part in body for node in ast.walk(part))


def _parameters(node: ast.FunctionDef) -> list[str]:
    if node.decorator_list or _has_more(node.args):
        raise Unlisted(node, "decorators or default values")
    return [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]


def _has_more(arguments: ast.arguments) -> bool:
    """Whether there are other parameters than positional ones without default values."""
    others = (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs, *arguments.defaults)
    return any(other is not None for other in others)


def _is_simple(arguments: ast.arguments) -> bool:
    """Whether there is one parameter."""
    return not _has_more(arguments) and len(arguments.args) == 1 and not arguments.posonlyargs


def _arguments(names: Iterable[str]) -> ast.arguments:
    plain = [ast.arg(name) for name in names]
    return ast.arguments(posonlyargs=[], args=plain, kwonlyargs=[], kw_defaults=[], defaults=[])
