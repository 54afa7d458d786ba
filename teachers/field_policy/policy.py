"""What the policy reads of an action and how it scores it, in NumPy.

The linear part has fixed units, so that a program which sees one action at a time can repeat it:
what a step of a field is worth may depend on the fields of the state alone. What is the same for
all actions of a state cannot change a choice by itself. How far a rollout has come is read from a
state's own fields (a step, what is left), if at all: no problem says how long it will be.
The hidden layer reads fields standardised among the actions of a state.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import parent_process
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

import problems
from problems.base import Problem, rollout, visited
from problems.errors import InvalidAction, UserError
from problems.promises import compile_program
from teachers.base import TIE

Table = Mapping[str, Sequence[float]]
"""What `Problem.table` returns."""

Place = tuple[str, int]
"""An instance: the name of its set, and its number there."""

SMALL = 1e-9
WALKS = 4
"""Training instances on which the fields are looked at."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The names read: `actions` differ among the actions of a state, `states` never do.

    `units` are the mean standard deviations of the former within a state; `centres` and `spreads`
    the means and standard deviations of the latter among states.
    """

    actions: tuple[str, ...]
    states: tuple[str, ...]
    units: tuple[float, ...]
    centres: tuple[float, ...]
    spreads: tuple[float, ...]


class Weights(NamedTuple):
    """Of A fields of actions, S of states, H hidden units (none: 0).

    `linear` [A, 1 + S], `enter` [H, A + S], `bias` [H], `leave` [H].
    """

    linear: np.ndarray
    enter: np.ndarray
    bias: np.ndarray
    leave: np.ndarray


def look_at_fields(problem: Problem, instances: Sequence[Any]) -> Fields:
    """The fields of a problem, as its first seed program meets them on some instances.

    Fields of unit `id` are names, not sizes, and are left out. Raises UserError for a problem
    without decisions, and for one whose actions differ in no number.
    """
    if problem.contract.whole:
        told = "return whole solutions: there are no decisions to learn"
        raise UserError(f"programs of {problem.name} {told}")
    tables = list(_tables(problem, instances[:WALKS]))
    labels = {f.name for a in problem.contract.arguments for f in a.fields if f.unit == "id"}
    known = set.intersection(*map(set, tables)) if tables else set()
    names = [name for name in (tables[0] if tables else ()) if name in known - labels]
    columns = {name: [np.array(table[name], float) for table in tables] for name in names}
    units = {name: fmean(float(c.std()) for c in column) for name, column in columns.items()}
    first = {name: np.array([c[0] for c in column]) for name, column in columns.items()}
    actions = tuple(name for name in names if units[name] > SMALL)
    if not actions:
        raise UserError(
            f"{problem.name}: fields() tells its actions apart by no number (ids aside), "
            "so there is nothing to learn from; teacher rollout needs none"
        )
    states = tuple(n for n in names if n not in actions and first[n].std() > SMALL)
    return Fields(
        actions,
        states,
        tuple(units[name] for name in actions),
        tuple(float(first[name].mean()) for name in states),
        tuple(float(first[name].std()) for name in states),
    )


def score(fields: Fields, weights: Weights, table: Table) -> np.ndarray:
    """The scores [n] of the n actions of a state, from the table of their fields."""
    steps = np.array([table[name] for name in fields.actions], dtype=float).T / fields.units
    state = np.array([table[name][0] for name in fields.states], dtype=float)
    state = (state - fields.centres) / fields.spreads
    found: np.ndarray = steps @ (weights.linear[:, 0] + weights.linear[:, 1:] @ state)
    if len(weights.leave):
        among = (steps - steps.mean(axis=0)) / (steps.std(axis=0) + SMALL)
        reads = len(fields.actions)
        bias = weights.bias + weights.enter[:, reads:] @ state
        found = found + np.tanh(among @ weights.enter[:, :reads].T + bias) @ weights.leave
    return found


def follow(problem: Problem, instance: Any, fields: Fields, weights: Weights) -> float:
    """The minimised cost of a greedy rollout; infinite where a score is not finite."""
    state = problem.start(instance)
    while actions := problem.actions(state):
        if len(actions) == 1:
            state = problem.step(state, actions[0])
            continue
        scores = score(fields, weights, problem.table(state, actions))
        if not np.isfinite(scores).all():
            return float("inf")
        margin = scores.max() - TIE * (scores.max() - scores.min())
        state = problem.step(state, actions[int((scores >= margin).argmax())])
    return problem.cost(state)


@cache
def load_problem(name: str) -> Problem:
    """A problem, once in a process."""
    return problems.load(name)


@cache
def load_set(name: str, instances: str) -> tuple[Any, ...]:
    """A set of a problem, once in a process."""
    return load_problem(name).load(instances)


def end_with_parent() -> None:
    """Let this process end when the one that started it does, killed or not.

    Those of a ProcessPoolExecutor would wait for work from each other.
    """
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def follow_at(task: tuple[str, Fields, Weights, Place]) -> float:
    """What a policy for a problem costs on an instance; small, to travel between processes."""
    name, fields, weights, (instances, number) = task
    return follow(load_problem(name), load_set(name, instances)[number], fields, weights)


def solve_at(task: tuple[str, str, Place]) -> float:
    """What a seed program or a rule of a problem costs on an instance; infinite where it fails."""
    name, wanted, (instances, number) = task
    problem = load_problem(name)
    instance = load_set(name, instances)[number]
    rule = next(r for r in (*problem.seeds(), *problem.rules()) if r.name == wanted)
    try:
        if rule.solve is not None:
            return problem.replay(instance, rule.solve(instance))
        return rollout(problem, compile_program(problem, rule), instance).cost
    except InvalidAction:
        return float("inf")


def _tables(problem: Problem, instances: Sequence[Any]) -> Iterator[Table]:
    """The fields of all actions, for every state with a choice."""
    function = compile_program(problem, problem.seeds()[0])
    for instance in instances:
        for state in visited(problem, instance, rollout(problem, function, instance).actions):
            if len(actions := problem.actions(state)) > 1:
                yield problem.table(state, actions)
