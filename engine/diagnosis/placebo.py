"""Verdicts that say nothing: a teacher's scores, dealt out again among the actions of each state.

What a search gains from them it does not owe to what the teacher knows.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from problems.base import Decision
from teachers.base import Verdict, verdict


def shuffle_scores(
    decisions: Sequence[Decision], verdicts: Sequence[Verdict], seed: int
) -> list[Verdict]:
    """The verdicts with the scores of every state shuffled, in the same way whoever visits it.

    A teacher without scores prefers any action instead. A verdict without a preference stays.
    """
    return [
        _shuffle(decision, found, _draw(decision, seed))
        for decision, found in zip(decisions, verdicts, strict=True)
    ]


def _shuffle(decision: Decision, found: Verdict, rng: random.Random) -> Verdict:
    if found.preferred is None:
        return found
    if found.scores is None:
        return Verdict(rng.choice(decision.actions), None)
    return verdict(decision.actions, rng.sample(found.scores, len(found.scores)))


def _draw(decision: Decision, seed: int) -> random.Random:
    """A generator that depends on the state and not on what was chosen there."""
    place = (seed, decision.instance, decision.step, decision.actions)
    return random.Random(hashlib.sha256(repr(place).encode()).digest())
