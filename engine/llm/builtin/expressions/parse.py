"""From Python text to trees: the arithmetic is understood, everything else is an opaque term."""

from __future__ import annotations

import ast
import builtins
from collections import Counter

from engine.domain.program import parse_code
from engine.llm.builtin.expressions.trees import (
    CALLS,
    Call,
    Term,
    Tree,
    add,
    divide,
    multiply,
    number,
)

_EVERYWHERE = frozenset((*dir(builtins), "math"))


def parse_expression(node: ast.expr) -> Tree:
    """The tree of a Python expression; `float(x)` is x."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return number(float(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return add([(-1.0, parse_expression(operand))])
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return parse_expression(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](parse_expression(left), parse_expression(right))
        case ast.Call(func=function, args=arguments, keywords=[]) if arguments:
            return _parse_call(node, ast.unparse(function), arguments)
    return opaque(node)


def opaque(node: ast.expr) -> Term:
    """An expression as a leaf, in parentheses where it could fall apart among other factors."""
    atoms = ast.Call | ast.Attribute | ast.Subscript | ast.Name | ast.Constant
    text = ast.unparse(node)
    return Term(text if isinstance(node, atoms) else f"({text})")


def _parse_call(node: ast.Call, name: str, arguments: list[ast.expr]) -> Tree:
    plain = not any(isinstance(argument, ast.Starred) for argument in arguments)
    if name == "float" and len(arguments) == 1 and plain:
        return parse_expression(arguments[0])
    several = len(arguments) > 1 or name not in ("max", "min")
    if name in CALLS and plain and several:
        return Call(name, tuple(parse_expression(argument) for argument in arguments))
    return opaque(node)


_ARITHMETIC = {
    ast.Add: lambda left, right: add([(1.0, left), (1.0, right)]),
    ast.Sub: lambda left, right: add([(1.0, left), (-1.0, right)]),
    ast.Mult: lambda left, right: multiply([left, right]),
    ast.Div: divide,
}


def count_reads(tree: ast.AST) -> Counter[str]:
    """How often each name is read in a piece of syntax."""
    nodes = ast.walk(tree)
    return Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def free_names(source: str) -> frozenset[str]:
    """The names that an expression reads, builtins and modules left out."""
    return frozenset(count_reads(parse_code(source))) - _EVERYWHERE
