"""What cases show of a term: whether it differs among actions, and by how much.

They are the teacher's where there is one, else states of the programs' own rollouts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.trees import Call, Product, Ratio, Sum, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.domain.values import Candidate, Case, ChoiceProfile, Facts
    from engine.llm.builtin.expressions.trees import Tree
    from engine.llm.builtin.expressions.vocabulary import Vocabulary

Numbers = dict[str, float]
"""Values of terms by their source."""

State = tuple[Numbers, ...]
"""Some actions of a state, the program's choice and the teacher's among them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """The states of some cases, and the words that never differed among a state's actions."""

    states: tuple[State, ...] = ()
    constant: frozenset[str] = frozenset()
    _cache: dict[Tree, list[list[float]]] = field(default_factory=dict, repr=False)

    def spread(self, tree: Tree) -> float | None:
        """Median range of a tree in a state that it tells apart; None where there is none."""
        values = self._values(tree)
        found = [gap for state in values if state and (gap := max(state) - min(state))]
        return median(found) if found else None

    def spread_ratio(self, one: Tree, other: Tree) -> float | None:
        """How many times larger the first spread is; None where one of them is unknown."""
        ours = self.spread(one)
        theirs = self.spread(other)
        return None if ours is None or theirs is None else ours / theirs

    def agree(self, one: Tree, other: Tree) -> bool:
        """Whether two scores are known to put the actions of every state in the same order."""
        pairs = zip(self._values(one), self._values(other), strict=True)
        known = [(a, b) for a, b in pairs if a and b]
        return bool(known) and all(_order(a) == _order(b) for a, b in known)

    def _values(self, tree: Tree) -> list[list[float]]:
        """A tree's values by state; none for a state where it cannot be evaluated."""
        if tree not in self._cache:
            self._cache[tree] = [_evaluate_all(tree, state) for state in self.states]
        return self._cache[tree]


def _evaluate_all(tree: Tree, state: State) -> list[float]:
    try:
        return [evaluate(tree, numbers) for numbers in state]
    except (KeyError, ArithmeticError, ValueError):
        return []


def _order(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=lambda k: -values[k])


def disagreements(candidates: Iterable[Candidate]) -> list[Case]:
    """All cases in which a program and the teacher chose different actions."""
    known = [c.diagnostics for c in candidates if c.diagnostics is not None]
    return [case for d in known for case in d.cases if case.chosen != case.preferred]


def measure(candidates: Iterable[Candidate], vocabulary: Vocabulary) -> Measure:
    """The measure that the diagnostics of some candidates give, or their facts without any."""
    candidates = tuple(candidates)
    sources = {word.name: word.source for word in vocabulary.words}
    profiles = [c.diagnostics.profile for c in candidates if c.diagnostics is not None]
    if not profiles:
        return _measure_facts([c.facts for c in candidates if c.facts is not None], sources)
    states = tuple(_state(case, sources) for case in disagreements(candidates))
    return Measure(states, _find_still([p for p in profiles if p is not None], sources))


def _measure_facts(facts: Sequence[Facts], sources: Mapping[str, str]) -> Measure:
    """The same from states that were chosen without a teacher."""
    states = tuple(
        tuple(_numbers(scene.names, row.values, sources) for row in scene.rows)
        for found in facts
        for scene in found.scenes
    )
    return Measure(states, _find_still([found.profile for found in facts], sources))


def _find_still(profiles: Iterable[ChoiceProfile], sources: Mapping[str, str]) -> frozenset[str]:
    """The terms that never differ among a state's actions."""
    fields = [field for profile in profiles for field in profile.fields]
    moving = {f.name for f in fields if any(span and span.spread for span in f.phases)}
    still = {sources[f.name] for f in fields if f.name in sources and f.name not in moving}
    return frozenset(still)


def _state(case: Case, sources: Mapping[str, str]) -> State:
    """The actions of a case as values of terms."""
    names = [name for name, _ in case.chosen_fields]
    rows = [alternative.values for alternative in case.alternatives] or [
        tuple(value for _, value in fields)
        for fields in (case.chosen_fields, case.preferred_fields)
    ]
    return tuple(_numbers(names, row, sources) for row in rows)


def _numbers(names: Sequence[str], values: Sequence[float], sources: Mapping[str, str]) -> Numbers:
    """One action as values of terms."""
    return {
        sources[name]: value
        for name, value in zip(names, values, strict=True)
        if sources.get(name)
    }


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
