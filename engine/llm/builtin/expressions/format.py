"""From trees to Python text: short lines, named intermediate values, no needless parentheses."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.skeleton import IMPORT
from engine.llm.builtin.expressions.trees import (
    ONE,
    ZERO,
    Call,
    Product,
    Ratio,
    Sum,
    Term,
    Tree,
    children,
    name_term,
    parts_of,
    split_weight,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.llm.builtin.expressions.skeleton import Draft
    from engine.llm.builtin.expressions.trees import Part

WIDTH = 95
LONGEST_NAME = 48
SHORTEST_NAMED = 34
"""Characters from which an opaque term gets a name of its own."""


def write_program(draft: Draft) -> str:
    """The program text of a draft."""
    skeleton = draft.skeleton
    margin = " " * skeleton.indent
    names = {} if skeleton.nested else name_values(draft)
    lines = [f"{margin}{name} = {text}" for name, text in _definitions(names)]
    score = _wrap(draft.score, names, margin, skeleton.opening)
    body = [skeleton.head, *lines, f"{margin}{skeleton.opening}{score}"]
    code = "\n".join(body) + (skeleton.tail if skeleton.nested else f"\n{skeleton.tail}")
    return (f"{IMPORT}\n\n" if "math." in code else "") + code.rstrip() + "\n"


def _definitions(names: Mapping[Tree, str]) -> Iterable[tuple[str, str]]:
    """Each named value with its text, those it is made of named before it."""
    for tree, name in names.items():
        yield name, write(tree, {t: n for t, n in names.items() if t != tree})


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
