"""What cases and states show of a term: whether it differs among actions, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from engine.domain.values import Candidate, Case, ChoiceProfile
from engine.llm.builtin.programs import Draft, bound_names, write, write_program
from engine.llm.builtin.trees import Call, Product, Ratio, Sum, Term, Tree
from engine.llm.builtin.vocabulary import Vocabulary
from problems.base import Function, Problem, visited

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
            self._cache[tree] = found = []
            for state in self.states:
                try:
                    found.append([evaluate(tree, numbers) for numbers in state])
                except (KeyError, ArithmeticError, ValueError):
                    found.append([])
        return self._cache[tree]


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
        facts = [c.facts for c in candidates if c.facts is not None]  # chosen without a teacher
        scenes = [scene for found in facts for scene in found.scenes]
        seen = (tuple(_numbers(s.names, row.values, sources) for row in s.rows) for s in scenes)
        return Measure(tuple(seen), _find_still([found.profile for found in facts], sources))
    states = tuple(_state(case, sources) for case in disagreements(candidates))
    return Measure(states, _find_still([p for p in profiles if p is not None], sources))


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
            if name in ("max", "min"):
                return max(values) if name == "max" else min(values)
            return abs(values[0]) if name == "abs" else math.log1p(values[0])


DECISIONS = 6
"""Decisions of a seed's walk that are looked at, spread over it."""

ROWS = 10
"""Actions of a decision that are kept, spread over them."""

WATCH = "_watch"


def observe(
    problem: Problem, drafts: Sequence[Draft], vocabulary: Vocabulary
) -> tuple[State, ...]:
    """Values of the words that each seed can read, on its way through a design instance."""
    return tuple(
        state for draft in drafts for state in _observe_draft(problem, draft, vocabulary) if state
    )


def _observe_draft(problem: Problem, draft: Draft, vocabulary: Vocabulary) -> Iterator[State]:
    words = [word.source for word in vocabulary.within(bound_names(draft.skeleton)).words]
    rows: list[tuple[Any, ...]] = []

    def watch(values: tuple[Any, ...], score: Any) -> Any:
        rows.append(values)
        return score

    spied = f"{WATCH}(({', '.join(words)},), {write(draft.score)})"
    function = _define(write_program(replace(draft, score=Term(spied), names=())), problem, watch)
    instance = problem.load(problem.design)[0]
    plain = _define(write_program(draft), problem, watch)
    actions = problem.rollout(plain, instance, None)
    states = list(visited(problem, instance, actions))
    for state in _spread(states, DECISIONS):
        rows.clear()
        problem.decide(function, state)
        kept = _spread(rows, ROWS)
        yield tuple(dict(zip(words, map(float, row), strict=True)) for row in kept)


def _define(code: str, problem: Problem, watch: Any) -> Function:
    """The function of a program; only the problem's own seeds come here."""
    space: dict[str, Any] = {WATCH: watch, "math": math}
    exec(code, space)
    return space[problem.contract.function]


def _spread(items: Sequence[Any], most: int) -> list[Any]:
    """At most so many of some items, evenly spread, without the first and the last step."""
    if len(items) <= most:
        return list(items)
    return [items[(2 * k + 1) * len(items) // (2 * most)] for k in range(most)]
