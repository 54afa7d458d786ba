"""Programs that are nested loops over numbers, for a compiler that is to act as Python does.

A compiler makes such loops a hundred times faster. Code that works on whole arrays is fast
already and stays with Python, and so does all syntax that is not listed here: compiled, it might
mean something else.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from engine.evaluate.gate.reads import parameter_names

if TYPE_CHECKING:
    from collections.abc import Iterable

SYNTAX = (
    ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Pass, ast.Return,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr,
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Call, ast.Tuple,
    ast.List, ast.ListComp, ast.comprehension, ast.keyword,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
"""The syntax of numbers, lists of numbers, and loops."""

BUILTINS = frozenset({"abs", "bool", "enumerate", "float", "int", "len", "max", "min", "range"})
if sys.version_info < (3, 12):  # since then Python adds floats up better than one by one
    BUILTINS |= {"sum"}

LIBRARY = {
    "atan": 1, "cos": 1, "exp": 1, "expm1": 1, "log": 1, "log10": 1, "log1p": 1, "log2": 1,
    "sin": 1, "sqrt": 1, "tan": 1, "tanh": 1, "atan2": 2, "pow": 2,
}  # fmt: skip
"""Functions of `math` that Python takes from the C library, and how many numbers each takes."""

CONSTANTS = frozenset({"inf", "pi", "e"})
"""Of `math` and of NumPy."""

ARRAYS = frozenset({"zeros", "ones", "full"})
"""Functions of NumPy that make an array to keep numbers in; those that compute are not listed."""

MODULES = frozenset({"math", "np", "numpy"})

LARGEST = 3000
"""Nodes of the largest syntax tree: to compile it takes 2 s, and 14 s for one of 10,000."""

LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)


class Unlisted(Exception):
    """A program does something that is not listed here."""


def translate(tree: ast.Module) -> ast.Module | None:
    """The program as `compiled` wants it; None for one that is not nested loops over numbers.

    Functions of `math` and powers become calls of global functions named `math.log`: no program
    can name such a function itself. The tree is changed.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    size = sum(1 for _ in ast.walk(tree))
    if size > LARGEST or not any(map(_has_nested_loop, functions)):
        return None
    names = {function.name for function in functions}
    try:
        for function in functions:
            function.body = _Translation(names, parameter_names(function)).translate(function.body)
    except Unlisted:
        return None
    return ast.fix_missing_locations(tree)


def library_name(function: str) -> str:
    """The global name under which a translated program calls a function of `math`."""
    return f"math.{function}"


def _has_nested_loop(function: ast.FunctionDef) -> bool:
    loops = [node for node in ast.walk(function) if isinstance(node, LOOPS)]
    inner = (node for loop in loops for node in ast.walk(loop) if node is not loop)
    return any(isinstance(node, LOOPS) for node in inner)


class _Translation(ast.NodeTransformer):
    """Translates the body of one function; raises Unlisted."""

    def __init__(self, functions: Iterable[str], arguments: Iterable[str]) -> None:
        self.callable = BUILTINS | set(functions)
        self.arguments = frozenset(arguments)

    def translate(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements after the docstring."""
        match body[0]:
            case ast.Expr(value=ast.Constant()):
                body = body[1:]
        return [self.visit(statement) for statement in body]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, SYNTAX) or isinstance(node, ast.MatMult):
            raise Unlisted
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str | bytes | complex):
            raise Unlisted
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
                if name in CONSTANTS:
                    return node
            case ast.Attribute(value=ast.Name(), attr="shape" | "size"):
                return node
        raise Unlisted

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="inf" | "-inf")]):
                return node
            case ast.Call(func=ast.Name(id=name)) if name in self.callable:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name)):
                if len(node.args) != LIBRARY.get(name):
                    raise Unlisted
                node.func = ast.Name(library_name(name), ast.Load())
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
                if name not in (ARRAYS if owner in MODULES else ("append",)):
                    raise Unlisted
            case _:
                raise Unlisted
        node.args = [self.visit(_as_list(argument)) for argument in node.args]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name(library_name("pow"), ast.Load()), [node.left, node.right], [])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Pow):
            raise Unlisted
        return self.generic_visit(node)

    # Conditions: a tuple is true when it is not empty, the array it is compiled as is not.

    def visit_If(self, node: ast.If | ast.IfExp | ast.While) -> ast.AST:
        self._check(node.test)
        return self.generic_visit(node)

    visit_IfExp = visit_While = visit_If

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self._check(*node.values)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            self._check(node.operand)
        return self.generic_visit(node)

    def _check(self, *conditions: ast.expr) -> None:
        for condition in conditions:
            if isinstance(condition, ast.Name) and condition.id in self.arguments:
                raise Unlisted


def _as_list(argument: ast.expr) -> ast.expr:
    """A generator that a builtin function goes through as a list; other arguments unchanged."""
    if isinstance(argument, ast.GeneratorExp):
        return ast.ListComp(argument.elt, argument.generators)
    return argument
