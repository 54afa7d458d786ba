"""Programs of the built-in writer: taken apart into a skeleton and a score, and written."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.domain.program import parse_code
from engine.llm.builtin.trees import (
    ONE,
    ZERO,
    Call,
    Part,
    Product,
    Ratio,
    Sum,
    Term,
    Tree,
    children,
    count_reads,
    name_term,
    parse_expression,
    parts_of,
    size,
    split_weight,
)
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
            if isinstance(statement, ast.Return | ast.Assign | ast.For):
                places = statement.iter if isinstance(statement, ast.For) else statement
                for node in ast.walk(places):
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


WIDTH = 95
LONGEST_NAME = 48
SHORTEST_NAMED = 34
"""Characters from which an opaque term gets a name of its own."""


def write_program(draft: Draft) -> str:
    """The program text of a draft."""
    skeleton = draft.skeleton
    margin = " " * skeleton.indent
    names = {} if skeleton.nested else name_values(draft)
    lines = [  # each value with those it is made of named before it
        f"{margin}{name} = {write(tree, {t: n for t, n in names.items() if t != tree})}"
        for tree, name in names.items()
    ]
    score = _wrap(draft.score, names, margin, skeleton.opening)
    body = [skeleton.head, *lines, f"{margin}{skeleton.opening}{score}"]
    code = "\n".join(body) + (skeleton.tail if skeleton.nested else f"\n{skeleton.tail}")
    return (f"{IMPORT}\n\n" if "math." in code else "") + code.rstrip() + "\n"


def name_values(draft: Draft) -> dict[Tree, str]:
    """Names for the composite and the long values inside a score's parts, inner ones first."""
    given = dict(draft.names)
    text = draft.skeleton.head + draft.skeleton.tail + write(draft.score)
    taken = {*re.findall(r"\w+", text), *keyword.kwlist, *dir(builtins)}
    names: dict[Tree, str] = {}
    for _, part in parts_of(draft.score):
        for factor in part.factors if isinstance(part, Product) else (part,):
            for tree in _worth_naming(factor):
                name = name_value(tree, given)
                if tree not in names and name not in taken:
                    names[tree] = name
                    taken.add(name)
    return names


def _worth_naming(tree: Tree) -> Iterable[Tree]:
    """The composites below a sum and the long terms below a composite, then the tree itself."""
    for child in children(tree):
        inner = _worth_naming(child)
        yield from inner if isinstance(tree, Sum) else (t for t in inner if isinstance(t, Term))
    long_term = isinstance(tree, Term) and len(tree.source) >= SHORTEST_NAMED
    if long_term or isinstance(tree, Ratio | Call):
        yield tree


def name_value(tree: Tree, given: Mapping[str, str]) -> str:
    """A name in snake case that says what a tree is made of."""
    name = _spell(tree, given)
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME].rpartition("_")[0]


def _spell(tree: Tree, given: Mapping[str, str]) -> str:
    known = given.get(write(tree))
    if known is not None:
        return known
    match tree:
        case Term(source=source):
            return name_term(source)
        case Sum(parts=parts):
            return _spell_sum(parts, given)
        case Product(factors=factors):
            return "_by_".join(_spell(factor, given) for factor in factors) or "one"
        case Ratio(over=over, under=under):
            return f"{_spell(over, given)}_per_{_spell(under, given)}"
        case Call(name="max" | "min" as name, arguments=arguments):
            return _spell_bound(name, arguments, given)
        case Call(name=name, arguments=arguments):
            word = {"abs": "size", "math.log1p": "log"}[name]
            return f"{word}_of_{_spell(arguments[0], given)}"


def _spell_sum(parts: tuple[Part, ...], given: Mapping[str, str]) -> str:
    rest = [(weight, tree) for weight, tree in parts if tree != ONE]
    if len(rest) < len(parts) and len(rest) == 1 and rest[0][0] < 0:
        return f"rest_of_{_spell(rest[0][1], given)}"
    words = [("minus_" if w < 0 else "plus_") + _spell(tree, given) for w, tree in rest]
    return "_".join(words).removeprefix("plus_") or "number"


def _spell_bound(name: str, arguments: tuple[Tree, ...], given: Mapping[str, str]) -> str:
    rest = [argument for argument in arguments if split_weight(argument)[1] not in (ONE, ZERO)]
    if len(rest) != 1:
        return f"{name}_of_" + "_and_".join(_spell(argument, given) for argument in rest)
    signs = {tree: weight > 0 for weight, tree in parts_of(rest[0])}
    above = [tree for tree, positive in signs.items() if positive and tree != ONE]
    below = [tree for tree, positive in signs.items() if not positive and tree != ONE]
    if len(above) == len(below) == 1:
        return f"{_spell(above[0], given)}_beyond_{_spell(below[0], given)}"
    if ONE in signs and len(above) + len(below) == 1:
        return f"{'excess' if above else 'lack'}_of_{_spell((above or below)[0], given)}"
    return _spell(rest[0], given)


def write(tree: Tree, names: Mapping[Tree, str] | None = None) -> str:
    """A tree as one line of Python; trees in `names` are written by name."""
    names = names or {}
    if tree in names:
        return names[tree]
    match tree:
        case Term(source=source):
            return source
        case Sum(parts=parts):
            return "".join(_write_part(p, names, first=k == 0) for k, p in enumerate(parts)) or "0"
        case Product(factors=factors):
            written = (_factor(f, names, first=k == 0) for k, f in enumerate(factors))
            return " * ".join(written) or "1"
        case Ratio(over=over, under=under):
            return f"{_factor(over, names, first=True)} / {_factor(under, names, first=False)}"
        case Call(name=name, arguments=arguments):
            return f"{name}({', '.join(write(argument, names) for argument in arguments)})"


def _write_part(part: Part, names: Mapping[Tree, str], *, first: bool) -> str:
    weight, tree = part
    sign = ("-" if weight < 0 else "") if first else (" - " if weight < 0 else " + ")
    if tree == ONE:
        return sign + write_number(abs(weight))
    if abs(weight) == 1:
        return sign + _factor(tree, names, first=True)
    return f"{sign}{write_number(abs(weight))} * {_factor(tree, names, first=True)}"


def _factor(tree: Tree, names: Mapping[Tree, str], *, first: bool) -> str:
    text = write(tree, names)
    loose = isinstance(tree, Sum) or (isinstance(tree, Product | Ratio) and not first)
    plain = tree in names or tree in (ONE, ZERO)
    return f"({text})" if loose and not plain else text


def write_number(value: float) -> str:
    """A number without exponent where that is shorter, without a trailing `.0`."""
    return str(int(value)) if value == int(value) and value < 1e6 else repr(value)


def _wrap(score: Tree, names: Mapping[Tree, str], margin: str, opening: str) -> str:
    """The score on one line if it fits, else one part a line in parentheses."""
    line = write(score, names)
    if len(margin) + len(opening) + len(line) <= WIDTH or not isinstance(score, Sum):
        return line
    inner = f"{margin}    "
    parts = [_write_part(p, names, first=k == 0) for k, p in enumerate(score.parts)]
    return f"(\n{inner}" + f"\n{inner}".join(part.strip() for part in parts) + f"\n{margin})"


MOST = 4
"""Parts that are spelled out."""


def idea_of(draft: Draft) -> str:
    """A sentence about a draft's score, its heaviest parts first."""
    names = dict(draft.names)
    turn = -1 if draft.skeleton.lowest else 1
    parts = sorted((p for p in parts_of(draft.score) if p[1] != ONE), key=lambda p: -abs(p[0]))
    said = [_phrase((turn * weight, part), names) for weight, part in parts[:MOST]]
    if len(parts) > MOST:
        said.append(f"{len(parts) - MOST} lighter terms")
    opening = "Looks ahead along choices of" if draft.looks_ahead else "Prefers"
    listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    return f"{opening} {listed}."


def _phrase(part: Part, names: Mapping[str, str]) -> str:
    weight, tree = part
    factors = tree.factors if isinstance(tree, Product) else (tree,)
    gates = [fade for factor in factors if (fade := _fade(factor, names))]
    rest = [f for f in factors if not _fade(f, names)] if len(gates) < len(factors) else factors
    gates = gates if len(gates) < len(factors) else []
    words = " times ".join(_spaced(factor, names) for factor in rest)
    return f"{'high' if weight > 0 else 'low'} {words}{''.join(f' ({gate})' for gate in gates)}"


def _fade(factor: Tree, names: Mapping[str, str]) -> str:
    """`fading with x` for `1 - x`, `growing with x` for `1 + x`, else nothing."""
    match factor:
        case Sum(parts=((start, one), (slope, word))) if one == ONE and start > 0:
            return f"{'fading' if slope < 0 else 'growing'} with {_spaced(word, names)}"
    return ""


def _spaced(tree: Tree, names: Mapping[str, str]) -> str:
    return name_value(tree, names).replace("_", " ")
