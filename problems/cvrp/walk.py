"""The walks of a vehicle: programs on whole instances, the trusted replay, routes as actions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from problems.base import Decision
from problems.cvrp.instances import DEPOT, Instance, build_arrays
from problems.cvrp.standalone import Vehicle
from problems.cvrp.state import State, refuse
from problems.errors import InvalidAction
from problems.shared.programs import as_index


def drive(instance: Instance, actions: Iterable[object] = ()) -> Vehicle:
    """A vehicle after some actions. Raises InvalidAction for one that is not feasible."""
    vehicle = Vehicle(instance.demands, instance.capacity)
    for action in actions:
        go(vehicle, instance, action)
    return vehicle


def go(vehicle: Vehicle, instance: Instance, action: object) -> int:
    """Do what an action says, which is returned as a node. Raises InvalidAction."""
    node = action if type(action) is int else as_index(action)
    if not vehicle.go(node):
        is_visited = 0 < node < len(vehicle.left) and not vehicle.left[node]
        raise refuse(vehicle.steps, action, instance, is_visited)
    return node


def rollout(
    function: Callable[..., object],
    instance: Instance,
    reads: frozenset[str] | None,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout; what the program reads makes no difference.

    What customers need is kept in an array, for the program's list; visited ones need more than
    any vehicle has, and so does the depot.
    """
    matrix, demands = build_arrays(instance)
    need = demands.copy()
    need[DEPOT] = math.inf
    vehicle = drive(instance)
    taken = list[int]()
    while not vehicle.is_done:
        if len(taken) < len(forced):
            answer: object = forced[len(taken)]
        else:
            rest = float(vehicle.rest)
            fitting = (need <= rest).nonzero()[0]
            try:
                answer = function(vehicle.way[-1], DEPOT, fitting, rest, demands, matrix)
            except Exception as error:
                error.add_note(f"step {len(taken)}")
                raise
        node = go(vehicle, instance, answer)
        if node != DEPOT:
            need[node] = math.inf
        taken.append(node)
    return taken


def seek(instance: Instance, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
    """The states before these steps, which ascend; `actions` are feasible."""
    vehicle = drive(instance)
    states = []
    for step in steps:
        for action in actions[vehicle.steps : step]:
            go(vehicle, instance, action)
        way = tuple(vehicle.way)
        visited = sum(1 << node for node in way if node != DEPOT)
        states.append(State(instance, way, visited, vehicle.rest, vehicle.unused, step))
    return states


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The length of all routes of an action list. Raises InvalidAction as the plain replay."""
    vehicle = drive(instance, actions)
    if not vehicle.is_done:
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return instance.length(vehicle.way)


def same_later(
    instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
) -> list[frozenset[int]]:
    """By decision: at the depot the other customers with which routes from there on begin or end.

    `actions` are a whole rollout. Routes may come in any order, and either way round; anywhere
    else every other node makes other routes.
    """
    vehicle = drive(instance, actions)
    return [
        frozenset(_ends(vehicle.way[len(decision.state.way) - 1 :]) - {decision.chosen})
        if decision.state.current == DEPOT
        else frozenset()
        for decision in decisions
    ]


def _ends(way: Sequence[int]) -> set[int]:
    """The first and the last customer of every route of a way that begins at the depot."""
    return {b or a for a, b in pairwise(way) if DEPOT in (a, b)}


def as_actions(instance: Instance, routes: Iterable[Sequence[int]]) -> list[int]:
    """Routes, each a list of customers, as the actions that lead along them.

    Raises InvalidAction for routes that are none.
    """
    vehicle = drive(instance)
    actions = list[int]()
    for route in routes:
        if vehicle.way[-1] != DEPOT:
            actions.append(DEPOT)
            go(vehicle, instance, DEPOT)
        for customer in route:
            actions.append(customer)
            go(vehicle, instance, customer)
    return actions
