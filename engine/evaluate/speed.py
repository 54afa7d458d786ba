"""Whether a rule is compiled on a set, and if not, why: a sentence for screens and writers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engine.domain.values import Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.sandbox.collect import NOT_COMPILED
from problems.base import Problem

FEW = 2000
"""Decisions of a set that Python is left to take: loading numba would take longer."""

LONGEST = 90
"""Characters of a reason; a program may give its functions names of any length."""


def is_worth_compiling(problem: Problem, instances: Sequence[Any]) -> bool:
    """Whether rules of a problem are compiled on these instances, where their text allows it."""
    return _has_walk(problem) and _count_decisions(problem, instances) >= FEW


def limit_decisions(
    problem: Problem, instances: Sequence[Any], milliseconds: float, most: float
) -> float:
    """CPU seconds that a program may take on instances for so much time a decision.

    They are whole quarters, at least 1 and no more than `most`; `most` where programs are whole or
    a problem has no walk in machine code: then its own Python takes most of the time.
    """
    if not milliseconds or not _has_walk(problem):
        return most
    seconds = milliseconds * _count_decisions(problem, instances) / 1000
    return min(most, max(1.0, math.ceil(4 * seconds) / 4))


def _count_decisions(problem: Problem, instances: Sequence[Any]) -> int:
    """The most that there can be on all instances."""
    return sum(problem.longest(instance) for instance in instances)


def _has_walk(problem: Problem) -> bool:
    return problem.compiles and not problem.contract.whole


def explain_speed(problem: Problem, code: str, instances: Sequence[Any]) -> str:
    """`compiled`, or `not compiled` and why.

    Empty for a program that does not pass the gate, and where nothing is ever compiled.
    """
    if not _has_walk(problem) or not instances:
        return ""
    inspection = inspect(code, problem.contract)
    if isinstance(inspection, Failure):
        return ""
    few = "" if is_worth_compiling(problem, instances) else f"fewer than {FEW} decisions"
    obstacle = few or inspection.obstacle[:LONGEST]
    return f"{NOT_COMPILED}: {obstacle}" if obstacle else "compiled"
