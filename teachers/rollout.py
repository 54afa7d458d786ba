"""A teacher on its own: greedy rollouts, all instances in lockstep, one query a step."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from problems.base import Decision, Problem, Rollout
from teachers.base import Teacher
from teachers.conformance import ask


def rollouts(teacher: Teacher, problem: Problem, instances: Sequence[Any]) -> list[Rollout | None]:
    """Follow the teacher's preferred actions to the end of every instance.

    One rollout an instance, in order; `seconds` shares the wall time evenly. None where the
    teacher preferred nothing at some step.
    """
    started = time.perf_counter()
    states = {index: problem.start(instance) for index, instance in enumerate(instances)}
    taken: list[list[int]] = [[] for _ in instances]
    while open_decisions := _decisions(problem, states):
        for decision, verdict in zip(open_decisions, ask(teacher, open_decisions), strict=True):
            if verdict.preferred is None:
                del states[decision.instance]
                continue
            states[decision.instance] = problem.step(decision.state, verdict.preferred)
            taken[decision.instance].append(verdict.preferred)
    seconds = (time.perf_counter() - started) / max(1, len(instances))
    return [
        Rollout(problem.cost(states[index]), tuple(actions), seconds) if index in states else None
        for index, actions in enumerate(taken)
    ]


def mean_cost(teacher: Teacher, problem: Problem, instances: Sequence[Any]) -> float:
    """Mean cost of greedy rollouts; infinity where the teacher preferred nothing at some step."""
    found = rollouts(teacher, problem, instances)
    return fmean(math.inf if rollout is None else rollout.cost for rollout in found)


def _decisions(problem: Problem, states: dict[int, Any]) -> list[Decision]:
    """The unfinished states as decisions; `chosen` is a placeholder that no teacher reads."""
    decisions = []
    for index, state in states.items():
        if actions := problem.actions(state):
            decisions.append(Decision(index, 0, state, actions, actions[0]))
    return decisions
