"""Programs that loop over numbers, in the words that a compiler takes as Python does.

All syntax, functions and methods that are not listed in `words` stay with Python: compiled, they
might mean something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, TypeGuard

from engine.evaluate.compiled.source.lifting import lift
from engine.evaluate.compiled.source.tables import unroll
from engine.evaluate.compiled.source.telling import tell_kinds
from engine.evaluate.compiled.source.words import (
    BUILTINS,
    C_FUNCTIONS,
    CONSTANTS,
    METHODS,
    MODULES,
    NOUNS,
    NUMPY,
    OUR_NUMPY,
    STANDINS,
    SYNTAX,
    TYPES,
    Unlisted,
    c_name,
    our_name,
    ours,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

FACTS = frozenset({"T", "flat", "shape", "size"})
"""Attributes of arrays."""

FIRST_WORD = -(1 << 62) - (1 << 20)
"""The number of the first word: two words together, or one as a float, are too large (`exact`)."""


def translate(
    tree: ast.Module,
    fields: Iterable[str] = (),
    entry: str = "",
    arguments: tuple[Any, ...] | None = None,
) -> ast.Module:
    """The program as `compile` wants it; None for one that is not made of listed words.

    `fields` are the attributes that the contract offers on its arguments. Functions of `math` and
    of `library` become global functions named `math.log`: no program can use such a name itself.
    The tree is changed.
    """
    _hoist_imports(tree)
    _check_names(tree)
    _number_words(tree)
    lift(tree)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    _check_calls(functions)
    _check_top(tree)
    for function in functions:
        function.body = _without_docstring(function.body)
        unroll(function)
    if arguments is not None:
        tell_kinds(tree, entry, arguments)
    translation = _Translation({function.name for function in functions}, fields)
    for function in functions:
        function.body = translation.translate(function.body)
    return ast.fix_missing_locations(tree)


def _hoist_imports(tree: ast.Module) -> None:
    """Imports inside functions move to the top of the module."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            inside = [part for part in function.body if isinstance(part, ast.Import)]
            function.body = [part for part in function.body if part not in inside]
            tree.body = [*inside, *tree.body]


def _check_names(tree: ast.Module) -> None:
    """Raise Unlisted where a word of `words` stands for something else."""
    bound = [(node.id, node.lineno) for node in ast.walk(tree) if _is_bound(node)]
    bound += [(node.arg, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.arg)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    bound += [(node.name, node.lineno) for node in functions]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            usual = [("math", None), ("numpy", None), ("numpy", "np")]
            names = [each for each in node.names if (each.name, each.asname) not in usual]
            others = names if isinstance(node, ast.Import) else node.names
            bound += [(each.asname or each.name, node.lineno) for each in others]
    for name, line in bound:
        if name in MODULES | BUILTINS | STANDINS.keys() or name == "*":
            raise Unlisted(f"`{name}` for something else", line)


def _is_bound(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _check_calls(functions: list[ast.FunctionDef]) -> None:
    """Raise Unlisted for a function that comes to call itself: Python counts how deep it gets."""
    by_name = {function.name: function for function in functions}
    called = {
        function.name: {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        for function in functions
    }
    left = {name: names & called.keys() for name, names in called.items()}
    while left:
        done = {name for name, names in left.items() if not names & left.keys()}
        if not done:
            raise Unlisted("recursion", min(by_name[name].lineno for name in left))
        left = {name: names for name, names in left.items() if name not in done}


def _check_top(tree: ast.Module) -> None:
    """Raise Unlisted for what stands outside functions, and would be something else compiled."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[decorator, *_]):
                raise Unlisted(f"@{_name_of(decorator)}", decorator.lineno)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if any(isinstance(part, ast.Dict | ast.DictComp) for part in ast.walk(value)):
                    raise Unlisted("a dict", node.lineno)


def _name_of(decorator: ast.expr) -> str:
    """The dotted name of a decorator, without what it is called with."""
    match decorator:
        case ast.Call(func=function):
            return _name_of(function)
        case ast.Attribute(value=owner, attr=name):
            return f"{_name_of(owner)}.{name}"
        case ast.Name(id=name):
            return name
    return "decorator"


def _number_words(tree: ast.Module) -> None:
    """Words that a program tells cases apart by become numbers, in the same order."""
    places = [place for function in tree.body for place in _words(function)]
    words = sorted({str(place.value) for place in places})
    if "" in words:
        raise Unlisted("an empty text", min(one.lineno for one in places if one.value == ""))
    for place in places:
        place.value = FIRST_WORD + words.index(str(place.value))


def _words(tree: ast.AST) -> list[ast.Constant]:
    """The texts that are compared, kept or handed on."""
    found: list[ast.expr | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                found += [left, *others]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                found += parts
            case ast.Assign(value=value) | ast.Return(value=value):
                found.append(value)
            case ast.IfExp(body=body, orelse=other):
                found += [body, other]
    return [one for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant()), *rest]:
            return rest
    return body


class _Translation(ast.NodeTransformer):
    """Translates the body of one function after the other; raises Unlisted."""

    def __init__(self, functions: Iterable[str], fields: Iterable[str]) -> None:
        self.functions = frozenset(functions)
        self.fields = frozenset(fields)

    def translate(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, translated."""
        return [self.visit(statement) for statement in body] or [ast.Pass()]

    def visit(self, node: ast.AST) -> Any:
        """Visit a node. Raises Unlisted with the line of the innermost part that has one."""
        try:
            return super().visit(node)
        except Unlisted as unlisted:
            if unlisted.line is None:
                unlisted.line = getattr(node, "lineno", None)
            raise

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, SYNTAX) or isinstance(node, ast.MatMult):
            raise Unlisted(NOUNS.get(type(node), type(node).__name__))
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, bool | int | float | None):
            raise Unlisted("text")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                if name in CONSTANTS:
                    return node
            case ast.Attribute(value=value, attr=name) if name in self.fields | FACTS:
                node.value = self.visit(value)
                return node
        raise Unlisted(f".{node.attr}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`table[np.ix_(rows, columns)]`."""
        match node:
            case ast.Subscript(
                value=table,
                slice=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="ix_"),
                    args=[rows, columns],
                ),
                ctx=ast.Load(),
            ):
                return ours("crossed", *map(self.visit, (table, rows, columns)))
        return self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        """`del items[place]` takes an item out of a list, as `pop` does."""
        match node.targets:
            case [ast.Subscript(slice=ast.Slice())]:
                return self.generic_visit(node)
            case [ast.Subscript(value=items, slice=place)]:
                pop = ast.Attribute(self.visit(items), "pop", ast.Load())
                return ast.Expr(ast.Call(pop, [self.visit(place)], []))
        raise Unlisted("del")

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Pow):
            raise Unlisted("**=")
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Whether two numbers are one object is for Python to say."""
        for operator, other in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.Is | ast.IsNot) and not _is_none(other):
                raise Unlisted("`is` between values")
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node.left = self.visit(node.left)
        node.right = self.visit(node.right)
        match node.op:
            case ast.Pow():
                return ours("power", node.left, node.right)
            case ast.MatMult():
                return ours("exact_product", node.left, node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=name) if name in self.functions:
                node.args = [_plain(self.visit(argument)) for argument in node.args]
                node.keywords = [self.visit(keyword) for keyword in node.keywords]
                return node
            case ast.Name(id=name) if "." in name:
                return self.generic_visit(node)
            case ast.Name(id=name):
                return self._builtin(name, node)
            case ast.Attribute(value=ast.Name(id="math"), attr=name):
                return self._math(name, node)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                return self._numpy(name, node)
            case ast.Attribute(value=value, attr=name):
                return self._method(value, name, node)
        raise Unlisted("a function as a value")

    def _arguments(self, node: ast.Call) -> list[ast.expr]:
        return [self.visit(_as_list(argument)) for argument in node.args]

    def _builtin(self, name: str, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
                return _infinity(text)
            case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_], keywords=[]):
                node.args = self._arguments(node)
                return node
        if name in BUILTINS:
            if node.keywords:
                raise Unlisted(f"{name}() with such arguments")
            node.args = self._arguments(node)
            return node
        most = 2 if name in ("divmod", "next", "sum") else 1
        if name not in STANDINS:
            raise Unlisted(f"{name}()")
        if not 0 < len(node.args) <= most:
            raise Unlisted(f"{name}() with such arguments")
        return self._standin(STANDINS[name], node)

    def _standin(self, name: str, node: ast.Call) -> ast.AST:
        """A call of `library` for a call of a builtin function."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        arguments = self._arguments(node)
        key = given.pop("key", None)
        if key is not None:
            name += "_by"
            arguments[0] = self._keyed(node.args[0], key)
        match name, given:
            case "first", {} if len(arguments) == 2:
                name = "first_or"
            case (("smallest" | "largest"), {"default": other}):
                given = {}
                name += "_or"
                arguments.append(self.visit(other))
            case (("ascending" | "ascending_by"), {"reverse": reverse}):
                given = {}
                arguments.append(self.visit(reverse))
        if given:
            raise Unlisted(f"{name}({next(iter(given))}=)")
        return ours(name, *arguments)

    def _keyed(self, items: ast.expr, key: ast.expr) -> ast.expr:
        """The items as pairs with their keys."""
        match key:
            case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body):
                pass
            case ast.Name(id=function):
                name = "item"
                body = ast.Call(ast.Name(function, ast.Load()), [ast.Name(name, ast.Load())], [])
            case _:
                raise Unlisted("key=")
        pair = ast.Tuple([body, ast.Name(name, ast.Load())], ast.Load())
        target = ast.Name(name, ast.Store())
        pairs = ast.ListComp(pair, [ast.comprehension(target, _as_list(items), [], 0)])
        visited: ast.expr = self.visit(pairs)
        return visited

    def _math(self, name: str, node: ast.Call) -> ast.AST:
        if name in ("floor", "ceil") and len(node.args) == 1:
            return ours(
                {"floor": "rounded_down", "ceil": "rounded_up"}[name], *self._arguments(node)
            )
        if node.keywords or len(node.args) != C_FUNCTIONS.get(name):
            raise Unlisted(f"math.{name}")
        return ast.Call(ast.Name(c_name(name), ast.Load()), self._arguments(node), [])

    def _numpy(self, name: str, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(args=[items], keywords=keywords) if name == "argsort":
                return ours(_sorting(keywords), self.visit(items))
            case ast.Call(args=[items, *words], keywords=keywords) if name in ("array", "asarray"):
                kinds = [*words, *(keyword.value for keyword in keywords)]
                return ours(_array_maker(kinds), self.visit(_as_list(items)))
            case ast.Call(args=[ast.List(elts=parts)], keywords=[]) if name == "concatenate":
                node.args = [ast.Tuple(parts, ast.Load())]
        if name in OUR_NUMPY and not node.keywords:
            return ours(OUR_NUMPY[name], *self._arguments(node))
        if name not in NUMPY:
            raise Unlisted(f"numpy.{name}")
        values = {"full": 2, "zeros": 1, "ones": 1}.get(name, 3)
        kinds = [_as_type(word) for word in node.args[values:]]
        node.args = [*self._arguments(node)[:values], *kinds]
        node.keywords = [self._keyword(keyword) for keyword in node.keywords]
        return node

    def _keyword(self, node: ast.keyword) -> ast.keyword:
        if node.arg == "dtype":
            return ast.keyword("dtype", _as_type(node.value))
        raise Unlisted(f"{node.arg}=")

    def _method(self, value: ast.expr, name: str, node: ast.Call) -> ast.AST:
        owner: ast.expr = self.visit(value)
        match name, node:
            case "sort", ast.Call(args=[]):
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                key = given.pop("key", None)
                arguments = [owner] if key is None else [owner, self._keyed(value, key)]
                arguments += [self.visit(given.pop("reverse"))] if "reverse" in given else []
                if given or not isinstance(value, ast.Name):
                    raise Unlisted("sort()")
                return ours("sort" if key is None else "sort_by", *arguments)
            case "tolist", ast.Call(args=[], keywords=[]):
                return ours("nested_list", owner)
            case "argsort", ast.Call(args=[], keywords=keywords):
                return ours(_sorting(keywords), owner)
            case "astype", ast.Call(args=[kind], keywords=[]):
                return ast.Call(ast.Attribute(owner, name, ast.Load()), [_as_type(kind)], [])
            case "sum" | "mean", ast.Call(args=[], keywords=[]):
                return ours(OUR_NUMPY[name], owner)
            case "dot", ast.Call(args=[other], keywords=[]):
                return ours(OUR_NUMPY[name], owner, self.visit(other))
        if name not in METHODS or node.keywords:
            alone = name in METHODS or name in ("sum", "mean", "dot", "tolist", "argsort", "sort")
            raise Unlisted(f".{name}() with such arguments" if alone else f".{name}()")
        return ast.Call(ast.Attribute(owner, name, ast.Load()), self._arguments(node), [])


def _plain(argument: ast.expr) -> ast.expr:
    """A constant as any other number: numba would compile a function anew for each."""
    match argument:
        case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
            return ours("plain", argument)
    return argument


def _as_list(argument: ast.expr) -> ast.expr:
    """A generator that a function goes through as a list; other arguments unchanged."""
    if isinstance(argument, ast.GeneratorExp):
        return ast.ListComp(argument.elt, argument.generators)
    return argument


def _infinity(text: str) -> ast.expr:
    """The infinity that `float` reads in a text. Raises Unlisted."""
    match text.strip().lower():
        case "inf" | "infinity" | "+inf":
            return ast.Constant(float("inf"))
        case "-inf" | "-infinity":
            return ast.Constant(-float("inf"))
    raise Unlisted("a float of text")


def _as_type(word: ast.expr) -> ast.expr:
    """A type of items, `int` or `np.int64`, in NumPy's word. Raises Unlisted."""
    match word:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name):
            if name in TYPES:
                return ast.Name(our_name(TYPES[name]), ast.Load())
    raise Unlisted("items of another type than int, float and bool")


def _array_maker(kinds: list[ast.expr]) -> str:
    """What makes an array of items of a type, if one is given. Raises Unlisted."""
    match [_as_type(kind) for kind in kinds]:
        case []:
            return "arrayed"
        case [ast.Name(id=name)]:
            return {"int64": "int_array", "float64": "float_array"}.get(name[4:], "bool_array")
    raise Unlisted("items of another type than int, float and bool")


def _sorting(keywords: list[ast.keyword]) -> str:
    """What stands for `argsort` with these arguments. Raises Unlisted."""
    match keywords:
        case []:
            return "distinct_places"
        case [ast.keyword(arg="kind", value=ast.Constant(value="stable" | "mergesort"))]:
            return "places"
    raise Unlisted("argsort with another kind, or along an axis")


def _is_none(node: ast.expr) -> bool:
    """None, or the list that stands for it (`telling`)."""
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name):
            return name.startswith("nothing.")
    return False
