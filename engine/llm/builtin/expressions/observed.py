"""What a task's words are worth where its seed programs go: their values at some decisions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.llm.builtin.expressions.format import write, write_program
from engine.llm.builtin.expressions.skeleton import bound_names
from engine.llm.builtin.expressions.trees import Term
from problems.base import visited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.llm.builtin.expressions.measure import State
    from engine.llm.builtin.expressions.skeleton import Draft
    from engine.llm.builtin.expressions.vocabulary import Vocabulary
    from problems.base import Function, Problem

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
