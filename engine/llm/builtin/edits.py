"""The tree edits that the operators of the built-in writer stand for."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.llm.builtin.analyst import Hint
from engine.llm.builtin.measure import Measure
from engine.llm.builtin.trees import (
    ONE,
    Call,
    Part,
    Product,
    Sum,
    Term,
    Tree,
    add,
    denominators,
    multiply,
    parts_of,
    places,
    replace_at,
    round_weights,
    size,
    terms,
)
from engine.llm.builtin.vocabulary import Grammar, Unit

Edit = Callable[[Tree, "Craft"], Tree]

MOST_PARTS = 7
MOST_LEAVES = 20
"""A program beyond this is no longer read at a glance; its lightest parts are left out."""

HINTED = 0.3
"""Share of the edits that follow a brief where there is one."""

STOCK = 0.3
TRUST = 0.85

ALIKE = 0.7
"""Share of the new terms that have the score's own unit."""

LIKE_SCALE = (-1.5, 0.4)
"""Decades of a new weight beside the score's largest, when their effects can be compared."""

UNLIKE_SCALE = (-1.3, 1.3)
"""The same when they cannot."""


@dataclass(frozen=True, slots=True)
class Craft:
    """The grammar, the random draws, and what the teacher's cases and the brief say."""

    grammar: Grammar
    rng: random.Random
    measure: Measure = field(default_factory=Measure)
    hints: tuple[Hint, ...] = ()

    def distinguishes(self, tree: Tree) -> bool:
        """Whether a tree may tell the actions of a state apart, as far as anyone has seen."""
        words = (self.grammar.vocabulary.find(source) for source in terms(tree))
        return any(
            word is None
            or (word.own and not word.is_size and word.source not in self.measure.constant)
            for word in words
        )

    def is_idle(self, made: Tree, known: Tree) -> bool:
        """Whether a score decides as a known one does: by its form, or wherever it can be seen."""
        return self._bare(made) == self._bare(known) or self.measure.agree(made, known)

    def _bare(self, score: Tree) -> Tree:
        """What decides in a score, whatever its scale."""
        parts = [(weight, part) for weight, part in parts_of(score) if self.distinguishes(part)]
        scale = max((abs(weight) for weight, _ in parts), default=1.0)
        return round_weights(add(sorted(((w / scale, part) for w, part in parts), key=repr)))


def finish(tree: Tree, grammar: Grammar) -> Tree:
    """A score as it is written: few parts, the main weight 1, short numbers.

    Parts that are the same for all actions of a state decide nothing and are left out.
    """
    own = grammar.vocabulary.is_own
    parts = [(weight, part) for weight, part in parts_of(tree) if own(part)]
    while len(parts) > MOST_PARTS or sum(size(part) for _, part in parts) > MOST_LEAVES:
        parts.remove(min(parts, key=lambda part: abs(part[0])))
    if not parts:
        return add([])
    main = grammar.vocabulary.unit(parts[0][1])
    scale = max(abs(w) for w, part in parts if grammar.vocabulary.unit(part) == main)
    return round_weights(add((weight / scale, part) for weight, part in parts))


def draw_part(score: Tree, craft: Craft) -> Part:
    """A new term with a weight that fits a score; hinted words come first, in their direction."""
    rng = craft.rng
    hint = rng.choice(craft.hints) if craft.hints and rng.random() < HINTED else None
    stock = craft.grammar.vocabulary.stock
    if stock and rng.random() < STOCK:
        sign, new = rng.choice(stock)
        sign = sign if rng.random() < TRUST else -sign
    elif hint is not None:
        new = craft.grammar.carrier(rng, Term(hint.source))
        sign = hint.direction or rng.choice((-1, 1))
    else:
        main = main_unit(score, craft)
        wanted = rng.random() < ALIKE
        for _ in range(30):
            new = craft.grammar.term(rng)
            if not wanted or main is None or craft.grammar.vocabulary.unit(new) == main:
                break
        sign = rng.choice((-1, 1))
    return sign * draw_size(score, new, craft), new


def main_unit(score: Tree, craft: Craft) -> Unit | None:
    """The unit that a score is in: that of its first part."""
    parts = parts_of(score)
    return craft.grammar.vocabulary.unit(parts[0][1]) if parts else None


def draw_size(score: Tree, new: Tree, craft: Craft) -> float:
    """The size of a new weight: a share of the score's effect if known, else a guess by unit."""
    largest = max((abs(weight) for weight, _ in parts_of(score)), default=1.0)
    ratio = craft.measure.spread_ratio(score, new)
    if ratio is not None:
        return ratio * 10 ** craft.rng.uniform(*LIKE_SCALE)
    alike = craft.grammar.vocabulary.unit(new) == main_unit(score, craft)
    return largest * 10 ** craft.rng.uniform(*(LIKE_SCALE if alike else UNLIKE_SCALE))


STEPS = (0.15, 0.4, 0.8, 1.2)
"""Standard deviations of a weight's logarithm."""

COUNTS = (0.5, 0.3, 0.15)
"""Weights of moving one, two, three numbers at a time; the rest moves them all."""

FLIP = 0.03
"""Share of the moves that turn a weight's sign around."""

Spot = tuple[tuple[int, ...], int]
"""A number: the path of its sum, and its position there."""


def recalibrate(score: Tree, craft: Craft) -> Tree:
    """Scale a few numbers, anywhere in the tree; a brief may say which way."""
    if craft.hints and craft.rng.random() < HINTED:
        return _follow_hint(score, craft)
    spots = find_weights(score)
    counts = [*range(1, len(COUNTS) + 1), len(spots)]
    count = craft.rng.choices(counts, [*COUNTS, 1 - sum(COUNTS)])[0]
    step = craft.rng.choice(STEPS)
    for spot in craft.rng.sample(spots, min(count, len(spots))):
        factor = math.exp(craft.rng.gauss(0, step))
        if craft.rng.random() < FLIP and not any(denominators(score, spot[0])):
            factor = -factor  # the sign of a denominator may not change
        score = scale_weight(score, spot, factor)
    return score


def find_weights(tree: Tree) -> list[Spot]:
    """Every number: the path of its sum and its position there."""
    sums = ((path, node) for path, node in places(tree) if isinstance(node, Sum))
    return [(path, k) for path, node in sums for k in range(len(node.parts))]


def scale_weight(tree: Tree, spot: Spot, factor: float) -> Tree:
    """The tree with one number multiplied; the tree itself where the number is gone."""
    path, k = spot
    node = dict(places(tree)).get(path)
    if not isinstance(node, Sum) or k >= len(node.parts):
        return tree
    weight, part = node.parts[k]
    return replace_at(
        tree, path, Sum((*node.parts[:k], (weight * factor, part), *node.parts[k + 1 :]))
    )


def _follow_hint(score: Tree, craft: Craft) -> Tree:
    """Move the weight of a part that reads a hinted word the way the hint says."""
    hint = craft.rng.choice(craft.hints)
    parts = list(parts_of(score))
    reading = [k for k, (_, part) in enumerate(parts) if hint.source in terms(part)]
    if not reading:
        return recalibrate(score, replace(craft, hints=()))
    k = craft.rng.choice(reading)
    weight, part = parts[k]
    shift = hint.direction or craft.rng.choice((-1, 1))
    parts[k] = (weight + shift * abs(weight) * craft.rng.choice((0.3, 0.6, 1.5)), part)
    return Sum(tuple(parts))


SHARES = (0.2, 0.5, 0.5, 0.8, 1.3, -0.3)
"""Where between the parents the blend lies; beyond 0 and 1 it continues past one of them."""

KEEPS = (0.3, 0.6, 1.0)
"""Chances of the second parent's own parts to be taken over."""

EFFECT = (-0.8, 0.4)
"""Decades of the second parent's effect beside the first's."""


def fuse(first: Tree, second: Tree, craft: Craft) -> Tree:
    """The first score with what it lacks of the second, brought to its scale.

    Where the second has nothing of its own, a new term is added to the blend.
    """
    rng = craft.rng
    scale = _relative_scale(first, second, craft)
    mine = {part: weight for weight, part in parts_of(first)}
    theirs = {part: weight * scale for weight, part in parts_of(second)}
    share = rng.choice(SHARES)
    blend = [
        (weight + share * (theirs[part] - weight) if part in theirs else weight, part)
        for part, weight in mine.items()
    ]
    return add([*blend, *_take_over(first, theirs, craft)])


def _take_over(first: Tree, theirs: dict[Tree, float], craft: Craft) -> list[Part]:
    """Parts that only the second score has, one at least; a new term where it has none."""
    rng = craft.rng
    mine = {part for _, part in parts_of(first)}
    lacking = [
        part
        for part in theirs
        if part not in mine
        and craft.distinguishes(part)
        and all(map(craft.grammar.vocabulary.find, terms(part)))  # it means the same anywhere
    ]
    if not lacking:
        return [draw_part(first, craft)]
    keep = rng.choice(KEEPS)
    effect = 10 ** rng.uniform(*EFFECT)
    kept = [part for part in lacking if rng.random() < keep] or [rng.choice(lacking)]
    return [(theirs[part] * effect, part) for part in kept]


def _relative_scale(first: Tree, second: Tree, craft: Craft) -> float:
    """What makes the second score as large in effect as the first, 1 where that is unknown."""
    ratio = craft.measure.spread_ratio(first, second)
    if ratio is not None:
        return ratio
    alike = main_unit(first, craft) == main_unit(second, craft)
    return 1.0 if alike else 10 ** craft.rng.uniform(*UNLIKE_SCALE)


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
    """Replace a part by a random term."""
    k, rest, _ = _take_part(score, craft)
    return _put(score, k, draw_part(rest, craft))


def swap_word(score: Tree, craft: Craft) -> Tree:
    """Replace a word by another of the same unit."""
    found = ((path, node) for path, node in places(score) if isinstance(node, Term))
    spots = [  # none in a denominator that nothing keeps from vanishing
        (path, node)
        for path, node in found
        if all(isinstance(under, Call) for under in denominators(score, path))
    ]
    if not spots:
        return add_term(score, craft)
    path, node = craft.rng.choice(spots)
    assert isinstance(node, Term)
    other = craft.grammar.other(craft.rng, node)
    return score if other is None else replace_at(score, path, other)


def gate(score: Tree, craft: Craft) -> Tree:
    """Let a part fade out or grow with a phase, instead of a gate that it may have."""
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


def restart(score: Tree, craft: Craft) -> Tree:
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


STRUCTURAL: list[tuple[Edit, float]] = [
    (add_term, 0.34),
    (replace_term, 0.12),
    (swap_word, 0.15),
    (gate, 0.10),
    (vary_form, 0.12),
    (drop_term, 0.12),
    (restart, 0.05),
]

SPARSE: list[tuple[Edit, float]] = [(add_term, 0.7), (gate, 0.15), (vary_form, 0.15)]
"""For a score of one part, which any other edit would only replace."""

ONE_PARENT = ("s", "m1", "mutation")
"""Operators that change the structure of their first parent, however many they are given."""


def edit_score(operator: str, scores: Sequence[Tree], craft: Craft) -> Tree:
    """One edit of the first score, or a fusion of the first two, by an operator's name.

    A name that is not known here fuses where it has two parents.
    """
    first = scores[0]
    sparse = sum(craft.distinguishes(part) for _, part in parts_of(first)) < 2
    if operator in ("p", "m2") and not sparse:
        return recalibrate(first, craft)
    if operator == "free":
        return restart(first, craft)
    if operator == "m3":
        return drop_term(first, craft)
    if operator not in ("p", "m2", *ONE_PARENT) and len(scores) > 1:
        return fuse(first, scores[1], craft)
    edits, weights = zip(*(SPARSE if sparse else STRUCTURAL), strict=True)
    edit: Edit = craft.rng.choices(edits, weights)[0]
    return edit(first, craft)
