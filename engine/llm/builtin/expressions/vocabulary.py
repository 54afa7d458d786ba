"""The words of a task: every number a program may use, with its unit, from contract and seeds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.parse import free_names
from engine.llm.builtin.expressions.trees import (
    ONE,
    Call,
    Product,
    Ratio,
    Sum,
    Term,
    name_term,
    parts_of,
    terms,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engine.llm.builtin.expressions.skeleton import Draft
    from engine.llm.builtin.expressions.trees import Part, Tree
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
