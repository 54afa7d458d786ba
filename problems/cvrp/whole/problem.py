"""Vehicle routing of the kind `whole`: all routes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING

from problems.base import Argument
from problems.cvrp.contract import DEMANDS
from problems.cvrp.sets.data import DEPOT, arrays
from problems.cvrp.walk import drive
from problems.cvrp.whole.programs import SEEDS
from problems.errors import InvalidAction
from problems.shared.routing import sketch
from problems.shared.task import WholeTask, require_each_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Contract
    from problems.cvrp.sets.data import Instance
    from problems.shared.task import Given

TASK = """\
Capacitated vehicle routing problem. Customers with demands lie in the plane; a vehicle of limited
capacity starts at the depot, node 0, and delivers to each customer once, in one visit, on as many
routes as it takes, each from the depot and back. Nodes are numbered from 0, customers from 1. The
program returns the customers of all routes in order of visit, with a 0 between two routes."""


@dataclass(frozen=True)
class WholeCvrp(WholeTask):
    """A solution are the customers of all routes, with zeros between the routes."""

    folder = Path(__file__).parents[1]
    seed_rules = SEEDS

    @property
    def contract(self) -> Contract:
        """`solve(distance_matrix, demands, capacity)`."""
        rule: Contract = self.task.contract
        return replace(
            rule,
            task=TASK,
            function="solve",
            arguments=(
                replace(rule.arguments[-1], unit="length"),
                replace(DEMANDS, unit="load"),
                Argument("capacity", "what a vehicle delivers on a route, a float", unit="load"),
            ),
            answer="solution",
            result="for example [3, 1, 0, 2] for the routes 3, 1 and 2, a list of int or a 1-D "
            "NumPy array of int64; zeros at the ends and several in a row do not matter",
            objective="minimise the total length of all routes, each closed at the depot",
            sizes="winners are judged on instances of 50 and 200 customers and of up to 1,000",
            shown=(),
        )

    def arguments(self, instance: Instance) -> Given:
        """All distances, all demands, the capacity."""
        matrix, demands = arrays(instance)
        return matrix, demands, float(instance.capacity)

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """The length of all routes. Raises InvalidAction for what are none."""
        routes = split_routes(solution)
        customers = (node for route in routes for node in route)
        require_each_once(customers, range(1, instance.size), "customer")
        for number, route in enumerate(routes):
            load = sum(instance.demands[node] for node in route)
            if load > instance.capacity:
                told = f"route {number} delivers {load}, more than {instance.capacity}"
                raise InvalidAction(told)
        return instance.length([DEPOT, *(n for route in routes for n in (*route, DEPOT))])

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """The customers where they lie, a letter for each route."""
        routes = split_routes(solution)
        length = self.evaluate(instance, solution)
        head = f"{len(routes)} routes of {instance.size - 1} customers, length {length:.6g}"
        layers = [*zip(cycle(ascii_letters), routes, strict=False), ("#", [DEPOT])]
        return "\n".join([f"{head}; a letter a route, # depot", *sketch(instance.points, layers)])

    def follow(self, instance: Instance, actions: Sequence[int]) -> list[int]:
        """The way, with the returns that are no choices."""
        return drive(instance, actions).way[1:-1]

    def longest(self, instance: Instance) -> int:
        """Every customer, and a return before and after each."""
        return 2 * instance.size


def split_routes(solution: Sequence[int]) -> list[list[int]]:
    """The routes between the zeros, without empty ones."""
    routes: list[list[int]] = [[]]
    for node in solution:
        if node == DEPOT:
            routes.append([])
        else:
            routes[-1].append(node)
    return [route for route in routes if route]
