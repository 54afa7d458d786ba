"""The numbers of a program that may be moved, and the program with others in their places.

Those are the constants named at module level (`WEIGHT = 0.3`, and the floats of a tuple, list or
dict there), or, without any, the floats of its text, or, without these, its whole factors and
divisors, in whose places come floats. 0 and guards (1e-9, 1e9) stay, so do indices,
sizes and bounds of ranges, and whole numbers that do more than take part in arithmetic.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.domain.program import parse_code, read_literal

MOST = 24
"""Constants moved of one program, the first ones of its text."""

DIGITS = 3
"""Significant digits of a number that is written into a program."""

RANGE = (1e-6, 1e6)
"""Floats outside are guards, and so are powers of ten outside `ROUND`."""

ROUND = (1e-4, 1e4)

LINE = "line "
"""Begins the name of a constant that has none of its own."""

_NAMED = re.compile(r"_*[A-Z][A-Z0-9_]*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_SIZES = {
    "range", "arange", "linspace", "zeros", "ones", "full", "empty", "eye", "islice", "nsmallest",
    "nlargest", "combinations", "permutations", "round", "reshape", "repeat", "tile",
}  # fmt: skip
"""Functions whose arguments are indices, counts or sizes."""

_SMOOTH = {"abs", "max", "min", "float", "exp", "log", "sqrt", "pow", "tanh", "maximum", "minimum"}
"""Functions that take a whole number for a quantity."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of a program: how it is called, its `value` without its sign, where it stands.

    One without a name of its own goes by its line. `start` and `end` count characters of the text,
    with a `sign` that stands before it.
    """

    name: str
    value: float
    is_whole: bool
    start: int
    end: int
    sign: int = 1

    def snap(self, value: float) -> float:
        """The nearest value that is written into a program: few digits, above 0, whole if need be.

        A whole number keeps away from 0, which would be another program.
        """
        if self.is_whole:
            return float(max(1, round(value)))
        if math.isclose(value, self.value, rel_tol=10.0**-DIGITS):
            return self.value
        return float(f"{value:.{DIGITS}g}")

    @property
    def has_name(self) -> bool:
        """Whether it is named at module level, where a sign may be written before it."""
        return not self.name.startswith(LINE)

    def write(self, value: float) -> str:
        """A value, times the sign, as it stands in a program."""
        signed = self.sign * value or 0.0
        return repr(int(signed)) if self.is_whole else repr(float(signed))


@dataclass(frozen=True, slots=True)
class _Spot:
    """A literal of the syntax tree with its name and sign."""

    name: str
    node: ast.Constant
    sign: int
    whole: ast.expr
    """The literal with its sign."""
    becomes_float: bool = False


def find_constants(code: str) -> tuple[Constant, ...]:
    """The constants of a program in the order of its text; none where it cannot be read."""
    try:
        tree = parse_code(code)
        above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        named = _named(tree, above)
        if not any(isinstance(spot.node.value, float) for spot in named):
            named += _literals(tree, above)
        named = named or _factors(tree, above)
        placed = [_place(spot, code) for spot in named]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = sorted((one for one in placed if one is not None), key=lambda one: one.start)
    return tuple(found[:MOST])


def rewrite(code: str, constants: Sequence[Constant], values: Sequence[float]) -> str:
    """The text with other values; those that are as before keep their spelling."""
    pieces = []
    at = 0
    for constant, value in sorted(zip(constants, values, strict=True), key=lambda c: c[0].start):
        same = value == constant.value
        kept = code[constant.start : constant.end]
        pieces += [code[at : constant.start], kept if same else constant.write(value)]
        at = constant.end
    return "".join([*pieces, code[at:]])


def _named(tree: ast.Module, above: dict[ast.AST, ast.AST]) -> list[_Spot]:
    """The literals that are given a name outside functions, once, and read by that name."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    stored = [node.id for node in names if not isinstance(node.ctx, ast.Load)]
    stored += [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    found = []
    for name, value in _assigned(tree):
        uses = [node for node in names if node.id == name and isinstance(node.ctx, ast.Load)]
        if stored.count(name) > 1 or not uses:
            continue
        for spot in _numbers(name, value):
            whole = isinstance(spot.node.value, int)
            alone = spot.name == name
            if alone and not _NAMED.fullmatch(name):
                continue
            if whole and not (alone and all(_is_quantity(use, above) for use in uses)):
                continue
            if not _is_guard(spot.node.value):
                found.append(spot)
    return found


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                if len(targets) == len(values):
                    pairs = zip(targets, values, strict=True)
                    yield from ((t.id, v) for t, v in pairs if isinstance(t, ast.Name))


def _numbers(name: str, value: ast.expr) -> Iterator[_Spot]:
    """The numbers of a literal, each by its name: `W`, `W[0]`, `W['near'][1]`."""
    match value:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            yield _Spot(name, value, 1, value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
            yield from (replace(spot, sign=-1, whole=value) for spot in _numbers(name, operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=ast.Constant() as operand):
            yield from _numbers(name, operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for k, part in enumerate(parts):
                yield from _numbers(f"{name}[{k}]", part)
        case ast.Dict(keys=keys, values=parts):
            for key, part in zip(keys, parts, strict=True):
                word = repr(key.value) if isinstance(key, ast.Constant) else "?"
                yield from _numbers(f"{name}[{word}]", part)


def _is_quantity(use: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether a whole number takes part in nothing but arithmetic and comparisons there."""
    node = use
    if isinstance(above.get(node), ast.UnaryOp):
        node = above[node]
    match above.get(node):
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) as outer:
            beside = outer.right if outer.left is node else outer.left
            fits = not isinstance(beside, ast.List | ast.Tuple | ast.JoinedStr | ast.ListComp)
        case ast.Compare() as outer:
            fits = not isinstance(above.get(outer), ast.While)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) as outer:
            fits = name in _SMOOTH and outer.func is not node
        case _:
            fits = False
    return fits and not _is_index(use, above)


def _literals(tree: ast.Module, above: dict[ast.AST, ast.AST]) -> list[_Spot]:
    """The floats of the text, each by its line."""
    return [
        _Spot(f"{LINE}{node.lineno}", node, *_sign(node, above))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, float)
        and node.value != 1
        and not _is_guard(node.value)
        and not _is_index(node, above)
    ]


def _factors(tree: ast.Module, above: dict[ast.AST, ast.AST]) -> list[_Spot]:
    """The whole numbers of the text that multiply or divide, each by its line."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or type(node.value) is not int:
            continue
        sign, whole = _sign(node, above)
        outer = above.get(whole)
        scales = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult | ast.Div)
        if scales and node.value != 1 and _is_quantity(node, above) and not _is_guard(node.value):
            found.append(_Spot(f"{LINE}{node.lineno}", node, sign, whole, becomes_float=True))
    return found


def _sign(node: ast.expr, above: dict[ast.AST, ast.AST]) -> tuple[int, ast.expr]:
    outer = above.get(node)
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.USub):
        return -1, outer
    return 1, node


def _is_guard(value: object) -> bool:
    """Whether a number keeps from dividing by 0 or stands for infinity; or is none at all."""
    if not isinstance(value, int | float) or value == 0:
        return True
    if isinstance(value, int):
        return value > RANGE[1]
    if not RANGE[0] < value < RANGE[1]:
        return True
    digits = f"{value:e}".partition("e")[0].strip("0.")
    return digits == "1" and not ROUND[0] < value < ROUND[1]


def _is_index(node: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether it stands in an index, a slice, a size, the bounds of a range, or in text."""
    while (outer := above.get(node)) is not None:
        match outer:
            case ast.Subscript(slice=part) if part is node:
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _SIZES:
                return True
            case ast.JoinedStr() | ast.Slice() | ast.match_case():
                return True
            case ast.stmt():
                return False
        node = outer
    return False


def _place(spot: _Spot, code: str) -> Constant | None:
    """Where a literal stands in the text; None unless exactly its own number is found there."""
    node = spot.whole
    lines = _line_starts(code)
    if node.end_lineno is None or node.end_col_offset is None or node.end_lineno != node.lineno:
        return None
    if node.lineno > len(lines):
        return None
    first = lines[node.lineno - 1]
    ending = lines[node.lineno] if node.lineno < len(lines) else len(code)
    line = code[first:ending].encode("utf-8", "surrogatepass")
    start = first + len(line[: node.col_offset].decode("utf-8", "ignore"))
    end = first + len(line[: node.end_col_offset].decode("utf-8", "ignore"))
    value = spot.node.value
    assert isinstance(value, int | float)
    if not _reads_as(code[start:end], spot.sign * value):
        return None
    is_whole = isinstance(value, int) and not spot.becomes_float
    return Constant(spot.name, float(value), is_whole, start, end, spot.sign)


def _line_starts(code: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(code))]


def _reads_as(text: str, value: object) -> bool:
    try:
        return type(found := read_literal(text)) is type(value) and found == value
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
