"""Programs, rules and exported texts as the tests of all problems run them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from problems.base import Decision, Problem, visited


def compiled(code: str) -> Callable[..., Any]:
    """The function that a program text defines last."""
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    return [value for value in namespace.values() if isinstance(value, FunctionType)][-1]


def decisions_of(problem: Problem, instance: Any, actions: Sequence[int]) -> list[Decision]:
    """Every decision of a rollout."""
    states = enumerate(visited(problem, instance, actions))
    return [Decision(0, k, state, problem.actions(state), actions[k]) for k, state in states]


def solve_alone(problem: Problem, code: str, instance: Any) -> Any:
    """Actions and minimised cost by the text that goes into exported files."""
    rules: dict[str, Any] = {}
    exec(problem.simulator(), rules)
    return rules["solve"](compiled(code), ast.literal_eval(problem.literal(instance)))


def mean_objective(problem: Any, name: str, instances: Sequence[Any]) -> float:
    """What a classical rule reaches on instances, in the natural sense."""
    (rule,) = (rule for rule in problem.rules() if rule.name == name)
    if rule.solve is None:
        function = compiled(rule.code)
        taken = [problem.rollout(function, instance, None) for instance in instances]
    else:
        taken = [rule.solve(instance) for instance in instances]
    costs = map(problem.replay, instances, taken)
    return float(problem.objective(sum(costs) / len(instances)))
