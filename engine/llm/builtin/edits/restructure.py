"""Structural edits: parts of a score come, go, change their words, form or phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.llm.builtin.edits.craft import draw_part, draw_size
from engine.llm.builtin.expressions.trees import (
    ONE,
    Call,
    Product,
    Sum,
    Term,
    add,
    denominators,
    multiply,
    parts_of,
    places,
    replace_at,
    terms,
)

if TYPE_CHECKING:
    from engine.llm.builtin.edits.craft import Craft
    from engine.llm.builtin.expressions.trees import Part, Path, Tree


def add_term(score: Tree, craft: Craft) -> Tree:
    """Add a random term."""
    return add([*parts_of(score), draw_part(score, craft)])


def drop_term(score: Tree, craft: Craft) -> Tree:
    """Leave out a part, rather a light one."""
    parts = sorted(parts_of(score), key=lambda part: abs(part[0]))
    if len(parts) < 2:
        return add_term(score, craft)
    gone = craft.rng.choices(parts, [1 / (k + 1) for k in range(len(parts))])[0]
    return add(part for part in parts_of(score) if part != gone)


def replace_term(score: Tree, craft: Craft) -> Tree:
    """Put a random term in the place of a part."""
    k, rest, _ = _take_part(score, craft)
    return _put(score, k, draw_part(rest, craft))


def swap_word(score: Tree, craft: Craft) -> Tree:
    """Put another word of the same unit in the place of one."""
    found = ((path, node) for path, node in places(score) if isinstance(node, Term))
    spots = [(path, node) for path, node in found if not _divides_bare(score, path)]
    if not spots:
        return add_term(score, craft)
    path, node = craft.rng.choice(spots)
    assert isinstance(node, Term)
    other = craft.grammar.other(craft.rng, node)
    return score if other is None else replace_at(score, path, other)


def _divides_bare(tree: Tree, path: Path) -> bool:
    """Whether a path leads into a denominator that nothing keeps from vanishing."""
    return any(not isinstance(under, Call) for under in denominators(tree, path))


def gate(score: Tree, craft: Craft) -> Tree:
    """Let a part fade out or grow with a phase, in the place of a gate that it may have."""
    k, _, (weight, part) = _take_part(score, craft)
    factors = part.factors if isinstance(part, Product) else (part,)
    gates = [f for f in factors if craft.grammar.vocabulary.unit(f) == ()]
    if gates and len(factors) > 1:
        gone = craft.rng.choice(gates)
        part = multiply(f for f in factors if f != gone)
        if craft.rng.random() < 0.4:
            return _put(score, k, (weight, part))
    phase = craft.grammar.phase(craft.rng)
    if phase is None:
        return add_term(score, craft)
    if craft.rng.random() < 0.5:
        phase = add([(1.0, ONE), (craft.rng.choice((-0.9, -0.5, -0.2, 0.5, 2.0)), phase)])
    return _put(score, k, (weight, multiply([part, phase])))


def vary_form(score: Tree, craft: Craft) -> Tree:
    """Give a part another form around one of its words."""
    k, rest, (weight, part) = _take_part(score, craft)
    words = [Term(source) for source in terms(part)]
    if not words:
        return add_term(score, craft)
    new = craft.grammar.term(craft.rng, craft.rng.choice(words))
    unit = craft.grammar.vocabulary.unit
    if unit(new) != unit(part):
        weight = draw_size(rest, new, craft) * (1 if weight > 0 else -1)
    return _put(score, k, (weight, new))


def start_anew(score: Tree, craft: Craft) -> Tree:
    """A small score of its own, which keeps at most one part of the parent."""
    rng = craft.rng
    kept: list[Part] = [rng.choice(parts_of(score))] if rng.random() < 0.5 else []
    new = add(kept)
    for _ in range(rng.choice((1, 2, 2, 3))):
        new = add([*parts_of(new), draw_part(new, craft)])
    return new


def _take_part(score: Tree, craft: Craft) -> tuple[int, Tree, Part]:
    """A random part: its position, what is left without it, the part."""
    parts = parts_of(score)
    k = craft.rng.randrange(len(parts))
    return k, add(parts[:k] + parts[k + 1 :]), parts[k]


def _put(score: Tree, k: int, part: Part) -> Tree:
    parts = parts_of(score)
    return add(Sum((*parts[:k], part, *parts[k + 1 :])).parts)
