"""The words of a task: every number a program may use, with its unit, from contract and seeds."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.llm.builtin.skeleton import Draft, read_program
from engine.llm.builtin.trees import ONE, Call, Product, Ratio, Sum, Term, Tree, terms
from engine.llm.builtin.writing import name_term

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from problems.base import Contract, Rule

Unit = tuple[tuple[str, int], ...]
"""Base units with their powers, by name; () is a plain number."""

UNIT_FREE = ("ratio", "flag")
NO_QUANTITY = ("", "id")
"""Units of lists and labels, with which nothing is computed."""


@dataclass(frozen=True, slots=True)
class Word:
    """A number of the task: its Python text, unit, and readable name.

    `own` says that it may differ from one action to another of the same state.
    """

    source: str
    unit: Unit
    name: str
    own: bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a task, the contract's fields first."""

    words: tuple[Word, ...]
    names: tuple[tuple[str, str], ...]

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
                return self._combined([(factor, 1) for factor in factors])
            case Ratio(over=over, under=under):
                return self._combined([(over, 1), (under, -1)])
            case Call(name="math.log1p"):
                return ()
            case Call(arguments=arguments):
                return self._common(a for a in arguments if terms(a))

    def is_own(self, tree: Tree) -> bool:
        """Whether a tree may differ between the actions of a state."""
        found = (self.find(source) for source in terms(tree))
        return any(word is None or word.own for word in found)

    def _common(self, trees: Iterable[Tree]) -> Unit | None:
        units = {self.unit(tree) for tree in trees}
        return () if not units else units.pop() if len(units) == 1 else None

    def _combined(self, powers: Sequence[tuple[Tree, int]]) -> Unit | None:
        total: dict[str, int] = {}
        for tree, power in powers:
            unit = self.unit(tree)
            if unit is None:
                return None
            for base, exponent in unit:
                total[base] = total.get(base, 0) + power * exponent
        return tuple(sorted((base, n) for base, n in total.items() if n))


def learn(contract: Contract, seeds: Sequence[Rule]) -> Vocabulary:
    """The vocabulary of a task: its numeric fields, and the opaque terms of its seeds."""
    drafts = [d for seed in seeds if (d := read_program(seed.code or "", contract)) is not None]
    fields = _fields(contract)
    known = {word.source for word in fields}
    names = {source: name for draft in drafts for source, name in draft.names}
    found = dict.fromkeys(s for draft in drafts for s in terms(draft.score) if s not in known)
    opaque = tuple(_opaque(source, contract, names) for source in found)
    return Vocabulary((*fields, *opaque), tuple(names.items()))


def readable_seeds(contract: Contract, seeds: Sequence[Rule]) -> tuple[Draft, ...]:
    """The seeds in which a score was found."""
    drafts = (read_program(seed.code or "", contract) for seed in seeds)
    return tuple(draft for draft in drafts if draft is not None)


def _fields(contract: Contract) -> tuple[Word, ...]:
    return tuple(
        Word(
            f"{argument.name}.{field.name}",
            () if field.unit in UNIT_FREE else ((field.unit, 1),),
            name_term(field.name),
            own=contract.answer == "action" or argument is contract.arguments[0],
        )
        for argument in contract.arguments
        for field in argument.fields
        if field.unit not in NO_QUANTITY
    )


def _opaque(source: str, contract: Contract, names: dict[str, str]) -> Word:
    """A seed's expression: a count if it is a length, else in the unit of the list it reads."""
    lists = [
        name
        for argument in contract.arguments
        for name in (f"{argument.name}.{f.name}" for f in argument.fields if not f.unit)
    ] + [argument.name for argument in contract.arguments if not argument.fields]
    read = next((name for name in lists if re.search(rf"\b{re.escape(name)}\b", source)), source)
    unit = "count" if source.startswith("len(") else read
    loaded = {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)}
    own = contract.answer == "action" or contract.arguments[0].name in loaded
    return Word(source, ((unit, 1),), names.get(source) or name_term(source), own)
