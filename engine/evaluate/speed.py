"""Whether a rule is compiled on a set, and if not, why: a sentence for screens and writers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.values import Failure
from engine.evaluate.compiled.text import Unlisted, rewrite
from engine.evaluate.gate.inspect import inspect
from problems.base import Compilable, longest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Problem

FEW = 5000
"""Decisions of a set that Python is left to take: loading numba would take longer."""

LONGEST = 90
"""Characters of a reason; a program may give its functions names of any length."""


def can_compile(problem: Problem, code: str, instances: Sequence[Any]) -> bool:
    """Whether compiling a program that passes the gate may pay on these instances."""
    return not find_obstacle(problem, code, instances)


def is_worth_compiling(problem: Problem, instances: Sequence[Any]) -> bool:
    """Whether rules of a problem are compiled on these instances, where their text allows it."""
    if problem.contract.whole or not isinstance(problem, Compilable) or not problem.compiles:
        return False
    return sum(longest(problem, instance) for instance in instances) >= FEW


def find_obstacle(problem: Problem, code: str, instances: Sequence[Any]) -> str:
    """What keeps a program that passes the gate from being compiled; empty where nothing does."""
    if problem.contract.whole or not isinstance(problem, Compilable) or not problem.compiles:
        return "nothing is compiled here"
    if sum(longest(problem, instance) for instance in instances) < FEW:
        return f"fewer than {FEW} decisions"
    try:
        rewrite(code, problem.contract)
    except Unlisted as unlisted:
        return str(unlisted)
    except RecursionError:
        return "too many levels"
    return ""


def explain_speed(problem: Problem, code: str, instances: Sequence[Any]) -> str:
    """`compiled`, or `not compiled` and why.

    Empty for a program that does not pass the gate, and where nothing is ever compiled.
    """
    if not isinstance(problem, Compilable) or not problem.compiles or not instances:
        return ""
    if isinstance(inspect(code, problem.contract), Failure):
        return ""
    obstacle = find_obstacle(problem, code, instances)
    return f"not compiled: {obstacle[:LONGEST]}" if obstacle else "compiled"
