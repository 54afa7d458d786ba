"""A teacher on its own: greedy rollouts, all instances in lockstep, one query a step."""

from __future__ import annotations

import math
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any

from problems.base import Decision, Rollout
from problems.errors import TeacherUnavailable, UserError
from teachers.training.progress import TrainingProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from problems.base import Problem
    from teachers.base import Teacher


def rollouts(teacher: Teacher, problem: Problem, instances: Sequence[Any]) -> list[Rollout | None]:
    """Follow the teacher's preferred actions to the end of every instance.

    One rollout an instance, in order; `seconds` shares the wall time evenly. None where the
    teacher preferred nothing at some step.
    """
    started = time.perf_counter()
    states = {index: problem.start(instance) for index, instance in enumerate(instances)}
    taken: list[list[int]] = [[] for _ in instances]
    while open_decisions := _decisions(problem, states):
        for decision, verdict in zip(
            open_decisions, teacher.verdicts(open_decisions), strict=True
        ):
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


def at_hand(problem: Problem, sets: Iterable[str]) -> list[str]:
    """Those of the sets that load: published ones may not be imported."""
    return [name for name in sets if _loads(problem, name)]


def _loads(problem: Problem, name: str) -> bool:
    try:
        problem.load(name)
    except UserError:
        return False
    return True


def measure(
    teacher: Teacher,
    problem: Problem,
    sets: Collection[str],
    report: Callable[[TrainingProgress], None],
) -> dict[str, float]:
    """Mean cost of greedy rollouts on each set. Raises TeacherUnavailable without preference."""
    figures = dict[str, float]()
    started = time.monotonic()
    for count, key in enumerate(sets, start=1):
        figures[key] = mean_cost(teacher, problem, problem.load(key))
        if math.isinf(figures[key]):
            raise TeacherUnavailable(f"{teacher.name} gave scores that are not finite on {key}")
        left = (time.monotonic() - started) * (len(sets) / count - 1)
        report(TrainingProgress(f"measuring {key}", count / len(sets), left))
    return figures


def _decisions(problem: Problem, states: dict[int, Any]) -> list[Decision]:
    """The unfinished states as decisions; `chosen` is a placeholder that no teacher reads."""
    decisions = []
    for index, state in states.items():
        if actions := problem.actions(state):
            decisions.append(Decision(index, 0, state, actions, actions[0]))
    return decisions
