"""What may be written: random terms that respect the units of their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.trees import (
    ONE,
    ZERO,
    Call,
    Term,
    add,
    divide,
    multiply,
    number,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from engine.llm.builtin.expressions.trees import Tree
    from engine.llm.builtin.expressions.vocabulary import Unit, Vocabulary


@dataclass(frozen=True, slots=True)
class Grammar:
    """Draws of words and terms over a vocabulary; every draw takes the caller's generator."""

    vocabulary: Vocabulary

    def word(
        self, rng: random.Random, unit: Unit | None = None, *, own: bool = False
    ) -> Term | None:
        """A word, of a unit if one is given; None where there is none."""
        fitting = [
            word
            for word in self.vocabulary.words
            if (unit is None or word.unit == unit) and (word.own or not own)
        ]
        return Term(rng.choice(fitting).source) if fitting else None

    def other(self, rng: random.Random, word: Term) -> Term | None:
        """Another word of the same unit."""
        unit = self.vocabulary.unit(word)
        fitting = [
            Term(w.source)
            for w in self.vocabulary.words
            if w.unit == unit and w.source != word.source
        ]
        return rng.choice(fitting) if fitting else None

    def phase(self, rng: random.Random) -> Tree | None:
        """A plain number that changes along the way, or one minus it."""
        phases = self.vocabulary.phases
        phase = rng.choice(phases) if phases else self.share(rng)
        if phase is None or rng.random() < 0.5:
            return phase
        return add([(1.0, ONE), (-1.0, phase)])

    def share(self, rng: random.Random) -> Tree | None:
        """`a / (a + b)`: a quantity as a share of two like ones."""
        pair = self._like_pair(rng)
        if pair is None:
            return None
        return divide(pair[0], self.guard(add([(1.0, pair[0]), (1.0, pair[1])])))

    def term(self, rng: random.Random, first: Term | None = None) -> Tree:
        """A random term, around a given word if there is one."""
        for _ in range(20):
            make = rng.choices([m for m, _ in FORMS], [w for _, w in FORMS])[0]
            word = first or self.word(rng)
            tree = None if word is None else make(self, rng, word)
            if tree is not None and self.vocabulary.is_own(tree):
                return tree
        return first or ONE

    def guard(self, tree: Tree) -> Tree:
        """A denominator that cannot vanish."""
        return Call("max", (number(self.vocabulary.floor(tree)), tree))

    def carrier(self, rng: random.Random, word: Term) -> Tree:
        """A term that grows with a word: the word itself, or gated by a phase."""
        phase = self.phase(rng) if rng.random() < 0.3 else None
        return word if phase is None else multiply([word, phase])

    def _like_pair(self, rng: random.Random) -> tuple[Term, Term] | None:
        word = self.word(rng, own=True)
        mate = None if word is None else self.other(rng, word)
        return None if word is None or mate is None else (word, mate)


def _plain(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    return word


def _pair(grammar: Grammar, rng: random.Random, word: Term) -> tuple[Term, Term] | None:
    """A word and another of its unit, in either order."""
    mate = grammar.other(rng, word)
    if mate is None:
        return None
    return (word, mate) if rng.random() < 0.5 else (mate, word)


def _ratio(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    pair = _pair(grammar, rng, word)
    return None if pair is None else divide(pair[0], grammar.guard(pair[1]))


def _scaled(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    ratio = _ratio(grammar, rng, grammar.word(rng) or word)
    return None if ratio is None else multiply([word, ratio])


def _gated(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    phase = grammar.phase(rng)
    return None if phase is None or phase == word else multiply([word, phase])


def _beyond(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    pair = _pair(grammar, rng, word)
    if pair is None:
        return None
    return Call("max", (ZERO, add([(1.0, pair[0]), (-1.0, pair[1])])))


def _bound(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    mate = grammar.other(rng, word)
    return None if mate is None else Call(rng.choice(["max", "min"]), (word, mate))


def _distance(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    mate = grammar.other(rng, word)
    return None if mate is None else Call("abs", (add([(1.0, word), (-1.0, mate)]),))


def _log(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    return Call("math.log1p", (Call("max", (ZERO, word)),))


def _product(grammar: Grammar, rng: random.Random, word: Term) -> Tree | None:
    mate = grammar.word(rng, (("count", 1),))
    return None if mate is None or mate == word else multiply([word, mate])


FORMS: list[tuple[Callable[[Grammar, random.Random, Term], Tree | None], float]] = [
    (_plain, 0.30),
    (_ratio, 0.22),
    (_scaled, 0.08),
    (_gated, 0.12),
    (_beyond, 0.10),
    (_bound, 0.04),
    (_distance, 0.04),
    (_log, 0.05),
    (_product, 0.05),
]
