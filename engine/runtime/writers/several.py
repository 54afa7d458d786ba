"""Which of several writers makes a child: by its operator, or drawn by what came of earlier ones.

A draw depends on closed generations and on the slot alone, so that a run that is resumed, or that
asks many at once, asks the same writers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.budget_plan import step_operators
from engine.search.methods.types import Method


def list_operators(method: Method, settings: Settings) -> tuple[str, ...]:
    """The operators of a run that ask a writer, in the order in which they take turns."""
    turns = [name for step in method.steps for name in step_operators(step, settings)]
    return tuple(name for name in dict.fromkeys(turns) if name not in method.callless)


def writer_of(writers: Sequence[str], operators: Sequence[str], operator: str, slot: int) -> str:
    """The writer of an operator: they take them in turn; of first programs, they take slots."""
    place = operators.index(operator) if operator in operators else slot
    return writers[place % len(writers)]


def draw_writers(writers: Sequence[str], seen: Sequence[Candidate], count: int) -> tuple[str, ...]:
    """The writers of a generation's first slots by UCB1 over the children of earlier ones.

    A child's reward is what it gained over its best parent, as a share of the largest gain seen; a
    failure's is 0. Writers that were drawn for an earlier slot count as asked, without a reward.
    Ties go to the writer named first. (Auer, Cesa-Bianchi and Fischer, Machine Learning 47, 2002.)
    """
    costs = {one.id: one.cost for one in seen}
    gains = {
        name: [_gain(one, costs) for one in seen if one.writer == name and one.parents]
        for name in writers
    }
    most = max((gain for found in gains.values() for gain in found), default=0.0) or 1.0
    rewards = {name: sum(found) / most / max(1, len(found)) for name, found in gains.items()}
    asked = {name: len(found) for name, found in gains.items()}
    drawn: list[str] = []
    for _ in range(count):
        total = sum(asked.values())
        bounds = {name: rewards[name] + _bonus(asked[name], total) for name in writers}
        drawn.append(max(writers, key=bounds.__getitem__))
        asked[drawn[-1]] += 1
    return tuple(drawn)


def _bonus(asked: int, total: int) -> float:
    """How far the mean reward of a writer asked so often may lie below what is to be expected."""
    return math.sqrt(2 * math.log(total) / asked) if asked else math.inf


def _gain(child: Candidate, costs: dict[str, float | None]) -> float:
    """The share of its best parent's cost that a child saves; 0 where it saves nothing."""
    before = [cost for parent in child.parents if (cost := costs.get(parent)) is not None]
    if child.cost is None or child.failure or not before or min(before) == 0:
        return 0.0
    return max(0.0, (min(before) - child.cost) / abs(min(before)))
