"""Vehicle routing of the kind `whole`: all routes, and the programs to start from."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from string import ascii_letters

from problems.base import Argument, Contract
from problems.cvrp.contract import DEMANDS
from problems.cvrp.instances import DEPOT, Instance, arrays
from problems.cvrp.walk import drive
from problems.errors import InvalidAction
from problems.shared.programs import as_rule
from problems.shared.routing import sketch
from problems.shared.task import Given, WholeTask, require_each_once, whole_contract


def nearest_neighbour(distance_matrix, demands, capacity):
    """Go to the nearest customer that fits, and home when none does."""
    distances = distance_matrix.tolist()
    needs = demands.tolist()
    left = list(range(1, len(needs)))
    rest = capacity
    way = [0]
    while left:
        fitting = [node for node in left if needs[node] <= rest]
        if not fitting:
            way.append(0)
            rest = capacity
            continue
        here = distances[way[-1]]
        node = min(fitting, key=lambda node: here[node])
        left.remove(node)
        rest -= needs[node]
        way.append(node)
    return way


# fmt: off
# (the texts below go into prompts as they stand)


def join_routes(pairs, needs, capacity):
    """Routes of one customer, joined end to end at the pairs in their order, where they fit."""
    route_of = {node: [node] for node in range(1, len(needs))}
    loads = {node: needs[node] for node in route_of}
    for a, b in pairs:
        one = route_of[a]
        two = route_of[b]
        load = loads[a] + loads[b]
        if one is two or load > capacity:
            continue
        if a not in (one[0], one[-1]) or b not in (two[0], two[-1]):
            continue
        if one[-1] != a:
            one.reverse()
        if two[0] != b:
            two.reverse()
        one += two
        for node in one:
            route_of[node] = one
            loads[node] = load
    return [r for node, r in sorted(route_of.items()) if r[0] == node]


def clarke_wright(distance_matrix, demands, capacity):
    """Join routes end to end where that saves most (Clarke and Wright 1964)."""
    d = distance_matrix.tolist()
    size = len(d)
    pairs = [(a, b) for a in range(1, size) for b in range(a + 1, size)]
    pairs = sorted(pairs, key=lambda p: d[p[0]][p[1]] - d[0][p[0]] - d[0][p[1]])
    routes = join_routes(pairs, demands.tolist(), capacity)
    return [node for route in routes for node in [*route, 0]]


def two_opt(distances, route):
    """Reverse stretches of a route while that shortens it."""
    way = [0, *route, 0]
    improved = True
    while improved:
        improved = False
        for i in range(1, len(way) - 2):
            for j in range(i + 1, len(way) - 1):
                old = distances[way[i - 1]][way[i]] + distances[way[j]][way[j + 1]]
                new = distances[way[i - 1]][way[j]] + distances[way[i]][way[j + 1]]
                if new < old - 1e-9:
                    way[i : j + 1] = way[i : j + 1][::-1]
                    improved = True
    return way[1:-1]


def plan(d, needs, capacity, weight):
    """The length and the way of joined routes, each improved by 2-opt."""
    size = len(d)
    pairs = [(a, b) for a in range(1, size) for b in range(a + 1, size)]
    pairs = sorted(pairs, key=lambda p: weight * d[p[0]][p[1]] - d[0][p[0]] - d[0][p[1]])
    way = [0]
    for route in join_routes(pairs, needs, capacity):
        way += [*two_opt(d, route), 0]
    return sum(d[way[k - 1]][way[k]] for k in range(1, len(way))), way


def best_of_savings(distance_matrix, demands, capacity):
    """The shortest of the savings solutions by several weights of the way between two customers,
    each route improved by 2-opt."""
    d = distance_matrix.tolist()
    needs = demands.tolist()
    weights = (0.8, 1.0, 1.2, 1.4)
    best = min(weights, key=lambda weight: plan(d, needs, capacity, weight))
    return plan(d, needs, capacity, best)[1]


# fmt: on

SEEDS = (
    as_rule(nearest_neighbour, "solve"),
    as_rule(clarke_wright, "solve", join_routes),
    as_rule(best_of_savings, "solve", join_routes, two_opt, plan),
)


TASK = """\
Capacitated vehicle routing problem. Customers with demands lie in the plane; a vehicle of limited
capacity starts at the depot, node 0, and delivers to each customer once, in one visit, on as many
routes as it takes, each from the depot and back. Nodes are numbered from 0, customers from 1. The
program returns the customers of all routes in order of visit, with a 0 between two routes."""


@dataclass(frozen=True)
class WholeCvrp(WholeTask):
    """A solution are the customers of all routes, with zeros between the routes."""

    folder = Path(__file__).parent
    seed_rules = SEEDS

    @property
    def contract(self) -> Contract:
        """`solve(distance_matrix, demands, capacity)`."""
        rule: Contract = self.task.contract
        return whole_contract(
            rule,
            task=TASK,
            arguments=(
                replace(rule.arguments[-1], unit="length"),
                replace(DEMANDS, unit="load"),
                Argument("capacity", "what a vehicle delivers on a route, a float", unit="load"),
            ),
            result="for example [3, 1, 0, 2] for the routes 3, 1 and 2, a list of int or a 1-D "
            "NumPy array of int64; zeros at the ends and several in a row do not matter",
            objective="minimise the total length of all routes, each closed at the depot",
            sizes="winners are judged on instances of 50 and 200 customers and of up to 1,000",
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
        way = [DEPOT, *(node for route in routes for node in (*route, DEPOT))]
        picture = sketch(instance.points, layers, way)
        return "\n".join([f"{head}; a letter a route, # depot", *picture])

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
