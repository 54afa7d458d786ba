"""Where two programs part: the first state of an instance in which they choose otherwise.

Both have been in that state, so their action lists tell all; no program is run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from engine.diagnosis.cases import find_rivals
from engine.diagnosis.facts import Habit, find_habit, show
from engine.domain.values import Evaluation, Facts, Parting
from problems.base import Decision, Problem, visited

SHARE = 3
"""One of so many instances on which a program loses is looked at, the largest losses first."""


def find_parting(
    problem: Problem,
    instances: Sequence[Any],
    ours: Evaluation,
    theirs: Evaluation,
    facts: Facts | None = None,
) -> Parting | None:
    """Where one program parts from another: late on the way, on an instance where it loses much.

    `facts` are those of the first, whose habit orders the actions. None where it nowhere ends at
    a higher cost than the other, and of whole solutions, which hold no choices.
    """
    found = None if problem.contract.whole else _latest(ours, theirs)
    if found is None:
        return None
    index, step = found
    own = ours.actions[index]
    other = theirs.actions[index]
    state = next(islice(visited(problem, instances[index], own), step, None))
    decision = Decision(index, step, state, problem.actions(state), own[step])
    habit = Habit("", low=True) if facts is None else find_habit(facts.profile)
    also = find_rivals(problem, decision, other[step])
    scene = show(problem, decision, len(own), habit, (other[step], *also))
    costs = (ours.costs[index], theirs.costs[index])
    assert costs[0] is not None and costs[1] is not None
    return Parting(scene, other[step], (costs[0], costs[1]))


def _latest(ours: Evaluation, theirs: Evaluation) -> tuple[int, int] | None:
    """Of the instances of the largest losses, the one on which they part last, and the step.

    None where the first program loses on none.
    """
    losses = [
        (index, own - other)
        for index, (own, other) in enumerate(zip(ours.costs, theirs.costs, strict=False))
        if own is not None and other is not None and own > other
    ]
    losses.sort(key=lambda found: (-found[1], found[0]))
    large = [index for index, _ in losses[: max(1, len(losses) // SHARE)]]
    steps = {k: _first_difference(ours.actions[k], theirs.actions[k]) for k in large}
    latest = max(steps, key=lambda k: (steps[k], -k), default=None)
    return None if latest is None else (latest, steps[latest])


def _first_difference(own: Sequence[int], other: Sequence[int]) -> int:
    """The first step at which two action lists differ; those of different cost do."""
    return next(k for k, (a, b) in enumerate(zip(own, other, strict=False)) if a != b)
