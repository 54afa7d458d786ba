"""Which disagreements are real: most choices of a rollout may be made in another order.

Where the program does later what the teacher wants now, to the same effect, they agree.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from problems.base import Commuting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Decision, Problem
    from teachers.base import Verdict


def find_same_later(
    problem: Problem,
    instances: Sequence[Any],
    rollouts: Sequence[Sequence[int]],
    decisions: Sequence[Decision],
) -> list[frozenset[int]] | None:
    """By decision: which of its actions the program takes later to the same effect.

    `rollouts` are its actions on every instance. None where the problem knows nothing of it.
    """
    if not isinstance(problem, Commuting):
        return None
    places = defaultdict[int, list[int]](list)
    for place, decision in enumerate(decisions):
        places[decision.instance].append(place)
    found = dict[int, frozenset[int]]()
    for index, asked in places.items():
        those = [decisions[place] for place in asked]
        later = problem.same_later(instances[index], rollouts[index], those)
        found.update(zip(asked, later, strict=True))
    return [found[k].intersection(decision.actions) for k, decision in enumerate(decisions)]


def credit(decision: Decision, verdict: Verdict, later: frozenset[int]) -> Decision:
    """The decision as if, of all that comes to the same, the program had taken the best there.

    That is its choice or one of what it does `later`, by the teacher's scores; where it gives
    none, what it prefers, if that is among them.
    """
    if not later or decision.chosen == verdict.preferred:
        return decision
    if verdict.preferred in later:
        return replace(decision, chosen=verdict.preferred)
    if verdict.scores is None:
        return decision
    scores = dict(zip(decision.actions, verdict.scores, strict=True))
    return replace(decision, chosen=max(decision.chosen, *later, key=scores.__getitem__))
