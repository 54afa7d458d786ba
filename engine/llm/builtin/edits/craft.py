"""What every edit works with, and how a score is brought into its final shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.measure import Measure
from engine.llm.builtin.expressions.trees import Term, add, parts_of, round_weights, size, terms

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from engine.llm.builtin.edits.hints import Hint
    from engine.llm.builtin.expressions.grammar import Grammar
    from engine.llm.builtin.expressions.trees import Part, Tree
    from engine.llm.builtin.expressions.vocabulary import Unit

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
        new = _draw_term(score, craft)
        sign = rng.choice((-1, 1))
    return sign * draw_size(score, new, craft), new


def _draw_term(score: Tree, craft: Craft) -> Tree:
    main = main_unit(score, craft)
    wanted = craft.rng.random() < ALIKE
    for _ in range(30):
        new = craft.grammar.term(craft.rng)
        if not wanted or main is None or craft.grammar.vocabulary.unit(new) == main:
            break
    return new


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
