"""Score expressions as frozen values, in a canonical form that survives writing and reading.

A tree is a leaf (`Term`), a weighted sum, a product, a ratio or a call. All numbers are weights of
sums; the plain number 3 is the sum `3 * ONE`. The functions `add`, `multiply`, `divide` keep trees
canonical: no sum inside a sum, no weight inside a product that could stand before it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.domain.program import parse_code

DIGITS = 3
"""Significant digits of every number in a program."""


@dataclass(frozen=True, slots=True)
class Term:
    """A leaf: a field or any other expression of the task, as canonical Python text."""

    source: str


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum; the empty one is 0."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product of factors without weights; the empty one is 1."""

    factors: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """`over / under`."""

    over: Tree
    under: Tree


@dataclass(frozen=True, slots=True)
class Call:
    """A function of `CALLS` applied to its arguments."""

    name: str
    arguments: tuple[Tree, ...]


Tree = Term | Sum | Product | Ratio | Call
Part = tuple[float, Tree]
Path = tuple[int, ...]

CALLS = ("max", "min", "abs", "math.log1p")
ONE = Product(())
ZERO = Sum(())


def number(value: float) -> Tree:
    """A plain number."""
    return add([(value, ONE)])


def add(parts: Iterable[Part]) -> Tree:
    """The weighted sum of some trees, equal ones merged, in order of first appearance."""
    merged: dict[Tree, float] = {}
    for weight, tree in parts:
        for inner, leaf in tree.parts if isinstance(tree, Sum) else ((1.0, tree),):
            merged[leaf] = merged.get(leaf, 0.0) + weight * inner
    kept = tuple((weight, tree) for tree, weight in merged.items() if weight)
    if len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return Sum(kept)


def multiply(trees: Iterable[Tree]) -> Tree:
    """The product of some trees, with their common weight in front."""
    weight = 1.0
    factors: list[Tree] = []
    for tree in trees:
        inner, bare = factor_out(tree)
        weight *= inner
        factors += bare.factors if isinstance(bare, Product) else (bare,)
    return add([(weight, factors[0] if len(factors) == 1 else Product(tuple(factors)))])


def divide(over: Tree, under: Tree) -> Tree:
    """`over / under` with the weight in front."""
    above, over = factor_out(over)
    below, under = split_weight(under)
    if below == 0:
        below = 1.0
        under = ZERO
    return add([(above / below, over if under == ONE else Ratio(over, under))])


def split_weight(tree: Tree) -> Part:
    """A tree as weight and bare tree; a sum of several parts is its own bare tree."""
    if isinstance(tree, Sum):
        if len(tree.parts) == 1:
            return tree.parts[0]
        if not tree.parts:
            return 0.0, ONE
    return 1.0, tree


def factor_out(tree: Tree) -> Part:
    """The same, but a sum of several parts is scaled so that its first weight is 1 or -1."""
    weight, bare = split_weight(tree)
    if not isinstance(bare, Sum) or not bare.parts:
        return weight, bare
    lead = abs(bare.parts[0][0])
    return lead, Sum(tuple((inner / lead, part) for inner, part in bare.parts))


def parts_of(tree: Tree) -> tuple[Part, ...]:
    """Any tree as the parts of a sum."""
    return tree.parts if isinstance(tree, Sum) else ((1.0, tree),)


def children(tree: Tree) -> tuple[Tree, ...]:
    """The trees directly below."""
    match tree:
        case Term():
            return ()
        case Sum(parts=parts):
            return tuple(part for _, part in parts)
        case Product(factors=factors):
            return factors
        case Ratio(over=over, under=under):
            return (over, under)
        case Call(arguments=arguments):
            return arguments


def rebuild(tree: Tree, below: Sequence[Tree]) -> Tree:
    """The same node over other children, canonical again."""
    match tree:
        case Term():
            return tree
        case Sum(parts=parts):
            return add((weight, new) for (weight, _), new in zip(parts, below, strict=True))
        case Product():
            return multiply(below)
        case Ratio():
            return divide(*below)
        case Call(name=name):
            return Call(name, tuple(below))


def walk(tree: Tree) -> Iterator[Tree]:
    """The tree and everything below it, from the top."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def places(tree: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    """Every node with its path from the top."""
    yield path, tree
    for index, child in enumerate(children(tree)):
        yield from places(child, (*path, index))


def denominators(tree: Tree, path: Path) -> Iterator[Tree]:
    """The denominators that a path leads into, from the top."""
    for step in path:
        if isinstance(tree, Ratio) and step == 1:
            yield tree.under
        tree = children(tree)[step]


def replace_at(tree: Tree, path: Path, new: Tree) -> Tree:
    """The tree with another node at a path."""
    if not path:
        return new
    below = list(children(tree))
    below[path[0]] = replace_at(below[path[0]], path[1:], new)
    return rebuild(tree, below)


def map_weights(tree: Tree, change: Callable[[float], float]) -> Tree:
    """The tree with every number changed, from the leaves up."""
    below = [map_weights(child, change) for child in children(tree)]
    if isinstance(tree, Sum):
        pairs = zip(tree.parts, below, strict=True)
        return add((change(weight), new) for (weight, _), new in pairs)
    return rebuild(tree, below)


def round_weights(tree: Tree) -> Tree:
    """The tree with all numbers at `DIGITS` significant digits."""
    while (rounded := map_weights(tree, lambda weight: float(f"{weight:.{DIGITS}g}"))) != tree:
        tree = rounded
    return tree


def terms(tree: Tree) -> tuple[str, ...]:
    """The sources of all leaves, each once, in order of appearance."""
    return tuple(dict.fromkeys(node.source for node in walk(tree) if isinstance(node, Term)))


def name_term(source: str) -> str:
    """`feature.remaining_work` is remaining_work; other sources keep their words."""
    dotted = [word.rpartition(".")[2] for word in re.findall(r"[A-Za-z_][\w.]*", source)]
    if source.startswith("len("):
        return f"number_of_{dotted[1]}"
    return "_".join(dict.fromkeys(dotted)).lower()


def size(tree: Tree) -> int:
    """Number of leaves, a plain number counted as one."""
    return sum(isinstance(node, Term) or node == ONE for node in walk(tree))


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
