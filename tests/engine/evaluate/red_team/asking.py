"""A program's answers to the same decisions, asked in other orders and depths of the stack."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from problems import ProblemRef, load
from problems.base import Problem, State

SMALL = {
    "toy": (str(Path(__file__).parents[3] / "toy"), "design"),
    "jssp": ("jssp", "random-6x6"),
    "tsp": ("tsp", "tsp20"),
    "cvrp": ("cvrp", "random-20"),
    "maxcut": ("maxcut", "ba20w"),
}
"""Each contract's problem, and a set of it whose instances are small."""

DECISIONS = 6


@cache
def decisions(contract: str) -> tuple[Problem, tuple[State, ...]]:
    """A problem and the first states of one of its instances, always taking the last action."""
    name, small = SMALL[contract]
    problem = load(ProblemRef(name))
    states = [problem.start(problem.load(small)[0])]
    for _ in range(DECISIONS - 1):
        states.append(problem.step(states[-1], problem.actions(states[-1])[-1]))
    return problem, tuple(states)


def ask(contract: str, code: str, seed: int) -> list[str]:
    """What the program says to each decision, in their order; an error is an answer, too."""
    problem, states = decisions(contract)
    order = list(range(len(states)))
    random.Random(seed).shuffle(order)
    said = [""] * len(states)
    try:
        namespace: dict[str, Any] = {"__name__": "program"}
        exec(compile(code, "<program>", "exec", dont_inherit=True), namespace)
        function = namespace[problem.contract.function]
        for index in order * (1 + seed % 2):
            said[index] = _hear(problem, function, states[index], seed)
    except BaseException as error:
        said.append(type(error).__name__)
    return said


def _hear(problem: Problem, function: Callable[..., Any], state: State, depth: int) -> str:
    """The answers of all calls that one decision takes, from `depth` more levels of the stack."""
    if depth:
        return _hear(problem, function, state, depth - 1)
    heard: list[str] = []

    def listen(*arguments: object) -> object:
        answer = function(*arguments)
        heard.append(f"{answer:.17g}" if isinstance(answer, float) else str(int(answer)))
        return answer

    return f"{problem.decide(listen, state)} of {' '.join(heard)}"
