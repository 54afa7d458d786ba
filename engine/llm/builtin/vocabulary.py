"""The words of a task, with their units, and random terms that respect the units."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.llm.builtin.programs import Draft
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
    add,
    divide,
    free_names,
    multiply,
    name_term,
    number,
    parts_of,
    terms,
    walk,
)
from problems.base import Contract

Unit = tuple[tuple[str, int], ...]
"""Base units with their powers, by name; () is a plain number."""

UNIT_FREE = ("ratio", "flag")
NO_QUANTITY = ("", "id")
"""Units of lists and labels, with which nothing is computed."""

FLOOR = 1.0
"""What denominators are kept above where the seeds do not show it."""


@dataclass(frozen=True, slots=True)
class Word:
    """A number of the task: its Python text, unit, and readable name.

    `own` says that it may differ from one action to another of the same state.
    """

    source: str
    unit: Unit
    name: str
    own: bool

    @property
    def is_size(self) -> bool:
        """Whether it is the length of a list, which differs from instance to instance."""
        return self.source.startswith("len(")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a task, the contract's fields first, and what its seeds make of them.

    `names` are the seeds' names for expressions, `stock` the signed parts of their scores,
    `phases` plain numbers that change along the way, `floors` what a unit's denominators are kept
    above.
    """

    words: tuple[Word, ...]
    names: tuple[tuple[str, str], ...] = ()
    stock: tuple[Part, ...] = ()
    phases: tuple[Tree, ...] = ()
    floors: tuple[tuple[Unit, float], ...] = ()

    def find(self, source: str) -> Word | None:
        """The word of a source, None for what a program made up itself."""
        return next((word for word in self.words if word.source == source), None)

    def unit(self, tree: Tree) -> Unit | None:
        """The unit of a tree; None where it mixes units or holds unknown words."""
        match tree:
            case Term(source=source):
                word = self.find(source)
                return None if word is None else word.unit
            case Sum(parts=parts):
                return self._common(part for _, part in parts if part != ONE)
            case Product(factors=factors):
                return self._combine([(factor, 1) for factor in factors])
            case Ratio(over=over, under=under):
                return self._combine([(over, 1), (under, -1)])
            case Call(name="math.log1p"):
                return ()
            case Call(arguments=arguments):
                return self._common(argument for argument in arguments if terms(argument))

    def is_own(self, tree: Tree) -> bool:
        """Whether a tree may differ between the actions of a state."""
        found = (self.find(source) for source in terms(tree))
        return any(word is None or word.own for word in found)

    def floor(self, tree: Tree) -> float:
        """What this denominator is kept above."""
        return dict(self.floors).get(self.unit(tree) or (), FLOOR)

    def within(self, bound: frozenset[str]) -> Vocabulary:
        """The part of it that can be written where only some names are bound."""

        def writable(tree: Tree) -> bool:
            return all(free_names(source) <= bound for source in terms(tree))

        return Vocabulary(
            tuple(word for word in self.words if free_names(word.source) <= bound),
            self.names,
            tuple(part for part in self.stock if writable(part[1])),
            tuple(phase for phase in self.phases if writable(phase)),
            self.floors,
        )

    def _common(self, trees: Iterable[Tree]) -> Unit | None:
        units = {self.unit(tree) for tree in trees}
        return () if not units else units.pop() if len(units) == 1 else None

    def _combine(self, powers: Sequence[tuple[Tree, int]]) -> Unit | None:
        total: dict[str, int] = {}
        for tree, power in powers:
            unit = self.unit(tree)
            if unit is None:
                return None
            for base, exponent in unit:
                total[base] = total.get(base, 0) + power * exponent
        return tuple(sorted((base, n) for base, n in total.items() if n))


def learn(contract: Contract, seeds: Sequence[Draft]) -> Vocabulary:
    """The vocabulary of a task: its numeric fields, and what its seeds are made of."""
    fields = _fields(contract)
    known = {word.source for word in fields}
    names = {source: name for seed in seeds for source, name in seed.names}
    found = dict.fromkeys(s for seed in seeds for s in terms(seed.score) if s not in known)
    words = Vocabulary((*fields, *(_opaque(source, contract, names) for source in found)))
    scores = [seed.score for seed in seeds]
    signed = (((1.0 if w > 0 else -1.0), p) for s in scores for w, p in parts_of(s) if p != ONE)
    own_phases = (Term(word.source) for word in words.words if word.unit == ())
    return Vocabulary(
        words.words,
        tuple(names.items()),
        tuple(dict.fromkeys(signed)),
        tuple(dict.fromkeys([*own_phases, *(p for s in scores for p in _phases(s, words))])),
        tuple({unit: floor for s in scores for unit, floor in _floors(s, words)}.items()),
    )


def _fields(contract: Contract) -> tuple[Word, ...]:
    return tuple(
        Word(
            f"{argument.name}.{field.name}",
            () if field.unit in UNIT_FREE else ((field.unit, 1),),
            name_term(field.name),
            own=contract.answer != "score" or argument is contract.arguments[0],
        )
        for argument in contract.arguments
        for field in argument.fields
        if field.unit not in NO_QUANTITY
    )


def _opaque(source: str, contract: Contract, names: dict[str, str]) -> Word:
    """A seed's expression: a count if it is a length, else in the unit of the list it reads.

    The unit of a list is the one that the contract gives it, else its own. An expression is shared
    by all actions if it reads nothing but what a state's actions have in common.
    """
    shared = {a.name for a in contract.arguments[contract.answer == "score" :]}
    dotted = (f"{a.name}.{f.name}" for a in contract.arguments for f in a.fields if not f.unit)
    lists = [*dotted, *(a.name for a in contract.arguments if not a.fields)]
    places = [(m.start(), name) for name in lists if (m := re.search(rf"\b{name}\b", source))]
    unit = "count" if source.startswith("len(") else min(places)[1] if places else source
    unit = next((a.unit for a in contract.arguments if a.name == unit and a.unit), unit)
    own = not free_names(source) <= shared
    return Word(source, ((unit, 1),), names.get(source) or name_term(source), own)


def _phases(score: Tree, words: Vocabulary) -> Iterator[Tree]:
    """What a seed multiplies parts by, if it is a plain number; the x of `1 - x`."""
    for node in walk(score):
        for factor in node.factors if isinstance(node, Product) else ():
            for _, part in parts_of(factor):
                bare = words.unit(part) == () or isinstance(factor, Sum)
                if bare and part != ONE and not isinstance(part, Call) and _starts_at_one(factor):
                    yield part


def _starts_at_one(factor: Tree) -> bool:
    return not isinstance(factor, Sum) or (1.0, ONE) in factor.parts


def _floors(score: Tree, words: Vocabulary) -> Iterator[tuple[Unit, float]]:
    """The constants that keep a seed's denominators from vanishing, by unit."""
    for node in walk(score):
        match node:
            case Ratio(under=Call(name="max", arguments=inside)):
                constants = [parts_of(a)[0][0] for a in inside if not terms(a) and parts_of(a)]
            case Ratio(under=Sum(parts=parts)):
                constants = [weight for weight, part in parts if part == ONE]
            case _:
                continue
        unit = words.unit(node.under)
        if constants and unit is not None:
            yield unit, constants[0]


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
