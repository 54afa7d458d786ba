"""The teacher `rollout`: in each state some actions are tried, and a program continues from each.

It is a policy improved by one step and needs no training and no network. An action's score is
minus the cost at the end; of actions that end alike a program's own is as good as any.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice

from engine.diagnosis.facts import ACTIONS, Habit, Observation, find_habit
from engine.diagnosis.field_profile import FieldReader, thin_out
from engine.diagnosis.sampling import Sample
from engine.domain.values import Prefix
from problems.base import Decision, Problem
from teachers.base import TIE, Verdict, verdict

STATES = 128
"""States of a program that it comments on, besides those of its scenes."""

TRIED = 12
"""Actions of a state that are tried, half of them those that the program's habit puts first."""


def narrow(problem: Problem, sampled: Sample, seen: Observation) -> tuple[Sample, Observation]:
    """The states that are commented on, each with the actions that are tried there.

    Those of scenes come first: time may be over before the last.
    """
    count = len(sampled.decisions)
    others = range(0, count, math.ceil(count / STATES))
    indices = list(dict.fromkeys([*seen.places, *others]))
    rows = zip(seen.places, seen.facts.scenes, strict=True)
    shown = {place: {row.action for row in scene.rows} for place, scene in rows}
    habit = find_habit(seen.facts.profile)
    decisions = tuple(
        _narrow(problem, sampled.decisions[k], habit, shown.get(k, ())) for k in indices
    )
    lengths = tuple(sampled.lengths[k] for k in indices)
    places = tuple(indices.index(place) for place in seen.places)
    reader = FieldReader(problem, decisions)
    return Sample(decisions, lengths, sampled.dropped), Observation(seen.facts, places, reader)


def list_trials(sampled: Sample, rollouts: Sequence[Sequence[int]]) -> tuple[Prefix, ...]:
    """Where a program is to continue: after every action of every decision, in their order.

    `rollouts` are the actions that led to the decisions.
    """
    return tuple(
        Prefix(decision.instance, (*rollouts[decision.instance][: decision.step], action))
        for decision in sampled.decisions
        for action in decision.actions
    )


def rate(sampled: Sample, reached: Sequence[float | None]) -> list[Verdict]:
    """Verdicts from the costs after `list_trials`.

    An action after which the program failed is as bad as the worst; where it always failed, there
    is no preference.
    """
    costs = iter(reached)
    return [_rate(d, [*islice(costs, len(d.actions))]) for d in sampled.decisions]


def _rate(decision: Decision, costs: Sequence[float | None]) -> Verdict:
    worst = max((cost for cost in costs if cost is not None), default=math.inf)
    found = verdict(decision.actions, [-worst if cost is None else -cost for cost in costs])
    if found.scores is None:
        return found
    own = found.scores[decision.actions.index(decision.chosen)]
    margin = TIE * (max(found.scores) - min(found.scores))
    return (
        replace(found, preferred=decision.chosen) if own >= max(found.scores) - margin else found
    )


def _narrow(
    problem: Problem, decision: Decision, habit: Habit, shown: Collection[int]
) -> Decision:
    """The decision with the chosen action, those `shown`, the usual ones and some of the rest."""
    among = thin_out(decision, ACTIONS, shown)
    orders = {action: habit.order(problem.fields(decision.state, action)) for action in among}
    ranked = sorted(among, key=lambda action: (orders[action], action))
    kept = {decision.chosen, *shown}
    kept.update(ranked[: TRIED // 2])
    rest = [action for action in ranked if action not in kept]
    room = min(len(rest), max(0, TRIED - len(kept)))
    kept.update(rest[k * len(rest) // room] for k in range(room))
    return replace(decision, actions=tuple(sorted(kept)))
