"""Which disagreements are real: most choices of a rollout may be made in another order.

What the program does later, to the same effect, is no alternative to what it does now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from problems.base import Decision, Problem
from teachers.base import TIE, Verdict


def find_same_later(
    problem: Problem,
    instances: Sequence[Any],
    rollouts: Sequence[Sequence[int]],
    decisions: Sequence[Decision],
) -> list[frozenset[int]] | None:
    """By decision: which of its actions the program takes later to the same effect.

    `rollouts` are its actions on every instance. None where the problem knows nothing of it.
    """
    places = defaultdict[int, list[int]](list)
    for place, decision in enumerate(decisions):
        places[decision.instance].append(place)
    found = dict[int, frozenset[int]]()
    for index, asked in places.items():
        those = [decisions[place] for place in asked]
        later = problem.same_later(instances[index], rollouts[index], those)
        if later is None:
            return None
        found.update(zip(asked, later, strict=True))
    return [found[k].intersection(decision.actions) for k, decision in enumerate(decisions)]


def leave_out(
    decision: Decision, verdict: Verdict, later: frozenset[int]
) -> tuple[Decision, Verdict]:
    """The question and its answer without what the program does `later` to the same effect.

    What comes later anyway need not be chosen now, so it is no alternative to the choice; whatever
    else the teacher prefers to the choice is. A choice that ties with the best is preferred. Where
    a teacher without scores prefers what comes later, nothing it says is against the choice.
    """
    kept = [action for action in decision.actions if action not in later]
    asked = replace(decision, actions=tuple(kept))
    if verdict.scores is None:
        preferred = decision.chosen if verdict.preferred in later else verdict.preferred
        return asked, replace(verdict, preferred=preferred)
    scores = dict(zip(decision.actions, verdict.scores, strict=True))
    left = [scores[action] for action in kept]
    margin = max(left) - TIE * (max(verdict.scores) - min(verdict.scores))
    best = (action for action in kept if scores[action] >= margin)
    preferred = decision.chosen if scores[decision.chosen] >= margin else min(best)
    return asked, Verdict(preferred, tuple(left))
