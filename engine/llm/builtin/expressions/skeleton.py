"""Where the score stands in a program, and the code around it that stays as it is.

The expression to edit is the value returned by a program that scores one action; in a program that
returns an action it is the key of a `min` or `max`, or the value that a loop over the actions
assigns and then compares. Where that value is what a function of the program's own returns, the
expression is looked for in there first: the rule by which a program that looks ahead goes on.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.domain.program import parse_code
from engine.llm.builtin.expressions.parse import count_reads, parse_expression
from engine.llm.builtin.expressions.trees import size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engine.llm.builtin.expressions.trees import Tree
    from problems.base import Contract

IMPORT = "import math\n"

LARGEST = 60
"""Leaves beyond which named values are not dissolved: a tree nobody would overlook any more."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The text of a program up to its score and after it.

    Named values may be written before the score's statement, indented by `indent`, unless the
    score is `nested` inside that statement (the body of a lambda). `lowest` says that the lowest
    score wins, not the highest.
    """

    head: str
    opening: str
    tail: str
    indent: int
    nested: bool = False
    lowest: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A program taken apart: skeleton, score, and the names that it gave to parts of the score.

    `looks_ahead` says that the score decides what follows an action, not the action itself.
    """

    skeleton: Skeleton
    score: Tree
    names: tuple[tuple[str, str], ...] = ()
    looks_ahead: bool = False


@dataclass(frozen=True, slots=True)
class _Hole:
    """The expression to edit, its statement, and the statements before it in the same block."""

    expression: ast.expr
    statement: ast.stmt
    before: tuple[ast.stmt, ...]
    lowest: bool = False


def parse_program(code: str, contract: Contract) -> Draft | None:
    """Take a program apart; None where no score can be found in it."""
    functions = _find_functions(code)
    found = _find_hole(contract.function, functions, contract)
    if found is None:
        return None
    function, hole = found
    named = _named_values(function, hole)
    score = parse_expression(_Dissolve(named).visit(hole.expression))
    if size(score) > LARGEST:
        named = {}
        score = parse_expression(hole.expression)
    first = hole.before[len(hole.before) - len(named)] if named else hole.statement
    names = tuple((ast.unparse(value), name) for name, value in named.items())
    return Draft(_cut(code, hole, first), score, names, function.name != contract.function)


def _find_functions(code: str) -> dict[str, ast.FunctionDef]:
    """The functions that a program defines, by name; none of a text that is no program."""
    try:
        body = parse_code(code).body
    except (SyntaxError, ValueError):
        return {}
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _find_hole(
    name: str, functions: Mapping[str, ast.FunctionDef], contract: Contract
) -> tuple[ast.FunctionDef, _Hole] | None:
    """The expression to edit and the function that it stands in."""
    function = functions.get(name)
    if function is None:
        return None
    if contract.answer == "score":
        hole = _returned(function)
        return None if hole is None else (function, hole)
    holes = (*_keys(function), *_compared(function))
    if not holes:
        return None
    others = {other: body for other, body in functions.items() if other != name}
    match holes[0].expression:
        case ast.Call(func=ast.Name(id=called)):
            return _find_hole(called, others, contract) or (function, holes[0])
    return function, holes[0]


def _returned(function: ast.FunctionDef) -> _Hole | None:
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    return _Hole(last.value, last, tuple(function.body[:-1]))


def _keys(function: ast.FunctionDef) -> Iterator[_Hole]:
    """Bodies of lambdas that are the key of a call."""
    for block in _blocks(function):
        for index, statement in enumerate(block):
            if isinstance(statement, ast.Return | ast.Assign):
                for node in ast.walk(statement):
                    match node:
                        case ast.Call(
                            func=call, keywords=[ast.keyword(value=ast.Lambda(body=body))]
                        ):
                            lowest = ast.unparse(call) != "max"
                            yield _Hole(body, statement, tuple(block[:index]), lowest)


def _compared(function: ast.FunctionDef) -> Iterator[_Hole]:
    """Values assigned in a loop and compared right after it in the same block."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
    for block in (loop.body for loop in loops):
        for index, (statement, following) in enumerate(pairwise(block)):
            match statement, following:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value),
                    ast.If(test=ast.Compare(left=ast.Name(id=left), ops=[sign]) as test),
                ) if name in count_reads(test):
                    lowest = isinstance(sign, ast.Lt | ast.LtE) == (name == left)
                    yield _Hole(value, statement, tuple(block[:index]), lowest)


def _blocks(function: ast.FunctionDef) -> Iterator[Sequence[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Lambda):
                yield block


def _named_values(function: ast.FunctionDef, hole: _Hole) -> dict[str, ast.expr]:
    """The plain assignments right before the score whose names serve nothing but the score."""
    if hole.expression is not getattr(hole.statement, "value", None):
        return {}
    bound = Counter(
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    everywhere = count_reads(function)
    used = count_reads(hole.expression)
    found: list[tuple[str, ast.expr]] = []
    for statement in reversed(hole.before):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                stable = all(bound[other] <= 1 for other in count_reads(value))
                if bound[name] == 1 and stable and 0 < used[name] == everywhere[name]:
                    used += count_reads(value)
                    found.append((name, value))
                    continue
        break
    named: dict[str, ast.expr] = {}
    for name, value in reversed(found):
        named[name] = _Dissolve(named).visit(value)
    return named


def bound_names(skeleton: Skeleton) -> frozenset[str]:
    """The names that may be read where the score stands: all that occur before it."""
    return frozenset(re.findall(r"[A-Za-z_]\w*", f"{skeleton.head}\n{skeleton.opening}"))


class _Dissolve(ast.NodeTransformer):
    """Puts the values of names in their places."""

    def __init__(self, named: Mapping[str, ast.expr]) -> None:
        self.named = named

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.named.get(node.id, node)


def _cut(code: str, hole: _Hole, first: ast.stmt) -> Skeleton:
    """The text before the first named value and around the score."""
    lines = code.splitlines()
    statement = hole.statement
    head = "\n".join(lines[: first.lineno - 1]).removeprefix(IMPORT).strip("\n")
    after = "\n".join(lines[statement.end_lineno :]).rstrip()
    match statement:
        case ast.Return(value=value) if value is hole.expression:
            return Skeleton(head, "return ", after, statement.col_offset)
        case ast.Assign(targets=[target], value=value) if value is hole.expression:
            opening = f"{ast.unparse(target)} = "
            return Skeleton(head, opening, after, statement.col_offset, lowest=hole.lowest)
    opening, closing = _without_parentheses(*_around(lines, statement, hole.expression))
    tail = f"{closing}\n{after}".rstrip()
    return Skeleton(head, opening, tail, statement.col_offset, True, hole.lowest)


def _without_parentheses(before: str, after: str) -> tuple[str, str]:
    """The same without those around the expression alone, the body of a lambda."""
    while before.rstrip().endswith("("):
        before = before.rstrip()[:-1]
        after = after.lstrip().removeprefix(")")
    return (before if before.endswith(" ") else f"{before} "), after


def _around(lines: list[str], statement: ast.stmt, inner: ast.expr) -> tuple[str, str]:
    """The text of a statement before and after an expression in it; offsets count bytes."""
    assert inner.end_lineno and inner.end_col_offset and statement.end_lineno
    text = [line.encode() for line in lines]
    before = [*text[statement.lineno - 1 : inner.lineno - 1]]
    before.append(text[inner.lineno - 1][: inner.col_offset])
    before[0] = before[0][statement.col_offset :]
    after = [text[inner.end_lineno - 1][inner.end_col_offset :]]
    after += text[inner.end_lineno : statement.end_lineno]
    return b"\n".join(before).decode(), b"\n".join(after).decode()
