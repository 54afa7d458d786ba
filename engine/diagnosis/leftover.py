"""What the whole solutions of a program leave to gain, from its recorded rollouts alone.

Of a program that plans, this tells more than its single decisions do; no program is run again.
"""

from __future__ import annotations

import math
from statistics import fmean, median, variance
from typing import TYPE_CHECKING

from engine.domain.values import NOTHING, Figure, Half, Leftover
from problems.base import Improvable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from engine.domain.values import Evaluation
    from problems.base import Problem

LOOKED_AT = 64
"""Instances whose solutions are looked at: the first of a design set stand for all of it."""

CLEAR = 3.0
"""Standard errors from which on a difference between two halves of a set is told."""


def find_leftover(
    problem: Problem, instances: Sequence[Any], evaluation: Evaluation
) -> Leftover | None:
    """What is left to gain in the solutions of a complete evaluation.

    None where the problem does not tell, or tells other words of one instance than of another.
    """
    if not isinstance(problem, Improvable) or evaluation.failure is not None:
        return None
    pairs = zip(instances[:LOOKED_AT], evaluation.actions, strict=False)
    told = [problem.leftover(instance, actions) for instance, actions in pairs]
    names = list(told[0]) if told else []
    if any(list(one) != names for one in told):
        return None
    figures = tuple(_summarise(name, [float(one[name]) for one in told]) for name in names)
    gaps = list_gaps(problem, instances, evaluation.costs)
    return Leftover(len(told), figures, gaps, _split(problem, instances, gaps))


def list_gaps(
    problem: Problem, instances: Sequence[Any], costs: Sequence[float | None]
) -> tuple[float, ...]:
    """By instance, how far a cost lies above the best known one, in per cent of that.

    Empty where that is unknown, or nothing, on any instance.
    """
    gaps = []
    for instance, cost in zip(instances, costs, strict=True):
        if instance.reference is None or cost is None:
            return ()
        known = problem.objective(float(instance.reference))
        if abs(known) <= NOTHING:
            return ()
        gaps.append(100 * (cost - known) / abs(known))
    return tuple(gaps)


def _summarise(name: str, values: Sequence[float]) -> Figure:
    return Figure(name, fmean(values), sum(abs(value) > NOTHING for value in values))


def _split(
    problem: Improvable, instances: Sequence[Any], gaps: Sequence[float]
) -> tuple[Half, ...]:
    """By trait, where the gaps of one half of the instances differ clearly from the others."""
    if not gaps:
        return ()
    told = [problem.traits(instance) for instance in instances]
    names = set(told[0]).intersection(*told)
    found = (_halve(name, [one[name] for one in told], gaps) for name in told[0] if name in names)
    return tuple(half for half in found if half is not None)


def _halve(name: str, values: Sequence[float], gaps: Sequence[float]) -> Half | None:
    middle = median(values)
    low = [gap for value, gap in zip(values, gaps, strict=True) if value <= middle]
    high = [gap for value, gap in zip(values, gaps, strict=True) if value > middle]
    if len(low) < 2 or len(high) < 2:
        return None
    error = math.sqrt(variance(low) / len(low) + variance(high) / len(high))
    if abs(fmean(low) - fmean(high)) <= CLEAR * error:
        return None
    return Half(name, middle, fmean(low), fmean(high))
