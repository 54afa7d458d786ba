"""The vehicle that changes in place, behind the trusted replay and the whole-route heuristics."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT
from problems.cvrp.state import State, refuse
from problems.errors import InvalidAction
from problems.shared.answers import as_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from problems.base import Decision
    from problems.cvrp.sets.data import Instance


class Vehicle:
    """A vehicle on its way, as `State` has it.

    `left[i]` is true for the customers not visited yet; `_smallest` lists them with the smallest
    demand last, the visited ones at its end taken off when it is looked at. `unused` is as there.
    """

    __slots__ = ("_smallest", "instance", "left", "rest", "steps", "unused", "way")

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.rest = instance.capacity
        self.unused = instance.capacity
        self.way = [DEPOT]
        self.steps = 0
        self.left = [node != DEPOT for node in range(instance.size)]
        customers = range(1, instance.size)
        self._smallest = sorted(customers, key=instance.demands.__getitem__, reverse=True)

    @property
    def is_done(self) -> bool:
        """Whether all customers have been visited."""
        return not self._smallest

    def go(self, action: object) -> None:
        """As `state.go`. Raises InvalidAction."""
        node = action if type(action) is int else as_index(action)
        if node == DEPOT != self.way[-1]:
            self._return()
        elif 0 < node < len(self.left) and self.left[node] and self._fits(node):
            self._visit(node)
        else:
            is_visited = 0 < node < len(self.left) and not self.left[node]
            raise refuse(self.steps, action, self.instance, is_visited)
        self.steps += 1

    def _visit(self, node: int) -> None:
        self.left[node] = False
        self.rest -= self.instance.demands[node]
        self.way.append(node)
        while self._smallest and not self.left[self._smallest[-1]]:
            self._smallest.pop()
        if not self._smallest or not self._fits(self._smallest[-1]):
            self._return()

    def _fits(self, node: int) -> bool:
        return self.instance.demands[node] <= self.rest

    def _return(self) -> None:
        self.unused = self.rest
        self.rest = self.instance.capacity
        self.way.append(DEPOT)


def seek(instance: Instance, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
    """The states before these steps, which ascend; `actions` are feasible."""
    vehicle = Vehicle(instance)
    states = []
    for step in steps:
        for action in actions[vehicle.steps : step]:
            vehicle.go(action)
        way = tuple(vehicle.way)
        visited = sum(1 << node for node in way if node != DEPOT)
        states.append(State(instance, way, visited, vehicle.rest, vehicle.unused, step))
    return states


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The length of all routes of an action list. Raises InvalidAction as the plain replay."""
    vehicle = Vehicle(instance)
    for action in actions:
        vehicle.go(action)
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
    vehicle = Vehicle(instance)
    for action in actions:
        vehicle.go(action)
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
    vehicle = Vehicle(instance)
    actions = list[int]()
    for route in routes:
        if vehicle.way[-1] != DEPOT:
            actions.append(DEPOT)
            vehicle.go(DEPOT)
        for customer in route:
            actions.append(customer)
            vehicle.go(customer)
    return actions
