"""How much a term moves decisions: trees are evaluated on the teacher's cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from engine.llm.builtin.trees import Call, Product, Ratio, Sum, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.llm.builtin.trees import Tree
    from engine.llm.builtin.vocabulary import Vocabulary
    from engine.types import Candidate, Case

Numbers = dict[str, float]
"""Values of terms by their source."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Two actions of each case, the program's and the teacher's, as values of terms."""

    pairs: tuple[tuple[Numbers, Numbers], ...] = ()

    def spread(self, tree: Tree) -> float | None:
        """Median difference that a tree makes between the two, None where it is unknown or 0."""
        try:
            found = [abs(evaluate(tree, a) - evaluate(tree, b)) for a, b in self.pairs]
        except (KeyError, ArithmeticError, ValueError):
            return None
        found = [difference for difference in found if difference]
        return median(found) if found else None


def disagreements(candidates: Iterable[Candidate]) -> list[Case]:
    """All cases in which a program and the teacher chose different actions."""
    known = [c.diagnostics for c in candidates if c.diagnostics is not None]
    return [case for d in known for case in d.cases if case.chosen != case.preferred]


def measure(candidates: Iterable[Candidate], vocabulary: Vocabulary) -> Measure:
    """The measure that the cases of some candidates give."""
    sources = {word.name: word.source for word in vocabulary.words}

    def numbers(fields: Iterable[tuple[str, float]]) -> Numbers:
        return {sources[name]: value for name, value in fields if name in sources}

    return Measure(
        tuple(
            (numbers(case.chosen_fields), numbers(case.preferred_fields))
            for case in disagreements(candidates)
        )
    )


def evaluate(tree: Tree, numbers: Mapping[str, float]) -> float:
    """The value of a tree. Raises KeyError for an unknown term, else what Python raises."""
    match tree:
        case Term(source=source):
            return numbers[source]
        case Sum(parts=parts):
            return math.fsum(weight * evaluate(part, numbers) for weight, part in parts)
        case Product(factors=factors):
            return math.prod(evaluate(factor, numbers) for factor in factors)
        case Ratio(over=over, under=under):
            return evaluate(over, numbers) / evaluate(under, numbers)
        case Call(name=name, arguments=arguments):
            values = [evaluate(argument, numbers) for argument in arguments]
            return _apply(name, values)


def _apply(name: str, values: list[float]) -> float:
    match name:
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "abs":
            return abs(values[0])
        case _:
            return math.log1p(values[0])
