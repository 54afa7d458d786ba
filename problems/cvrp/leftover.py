"""What routes leave to gain: what the classical moves would still save, and vehicles too many."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT, arrays
from problems.cvrp.vehicle import Vehicle
from problems.shared.tours import LEAST, share_saved, two_opt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.cvrp.sets.data import Instance

    Table = list[list[float]]


def leftover(instance: Instance, actions: Sequence[int]) -> Mapping[str, float]:
    """Shares of the total length, in per cent, and routes; `actions` are a whole rollout."""
    routes = list_routes(instance, actions)
    distances = arrays(instance)[0]
    table: Table = distances.tolist()
    own = _length(table, routes)
    turned = [two_opt(distances, [DEPOT, *route])[1:] for route in routes]
    loads = [sum(instance.demands[node] for node in route) for route in routes]
    fewest = -(-sum(loads) // instance.capacity)
    return {
        "2-opt inside routes would still save (%)": share_saved(own, _length(table, turned)),
        "moving customers to other routes, each once, would save (%)": share_saved(
            own, _length(table, _move_customers(table, instance, routes))
        ),
        "the best exchange of two customers would save (%)": share_saved(
            own, own - _best_exchange(table, instance, routes, loads)
        ),
        "routes beyond the fewest that the demand fills": len(routes) - fewest,
    }


def traits(instance: Instance) -> Mapping[str, float]:
    """How many customers a full route has in the mean, and where the depot lies."""
    customers = instance.size - 1
    demand = sum(instance.demands)
    x, y = instance.points[DEPOT]
    centre = [sum(values) / len(values) for values in zip(*instance.points, strict=True)]
    return {
        "customers a full route": customers * instance.capacity / demand if demand else customers,
        "depot from the middle": ((x - centre[0]) ** 2 + (y - centre[1]) ** 2) ** 0.5,
    }


def list_routes(instance: Instance, actions: Sequence[int]) -> list[list[int]]:
    """The customers of every route in order. Raises InvalidAction as the replay does."""
    vehicle = Vehicle(instance)
    for action in actions:
        vehicle.go(action)
    routes: list[list[int]] = [[]]
    for node in vehicle.way[1:]:
        if node == DEPOT:
            routes.append([])
        else:
            routes[-1].append(node)
    return [route for route in routes if route]


def _length(table: Table, routes: Sequence[Sequence[int]]) -> float:
    ways = ([DEPOT, *route, DEPOT] for route in routes)
    return sum(table[a][b] for way in ways for a, b in pairwise(way))


def _move_customers(
    table: Table, instance: Instance, routes: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Every customer in turn goes to the other route where it saves most, if it saves there."""
    moved = [list(route) for route in routes]
    rooms = [instance.capacity - sum(instance.demands[n] for n in route) for route in routes]
    for node in range(1, instance.size):
        home = next(k for k, route in enumerate(moved) if node in route)
        place = moved[home].index(node)
        gain = _detour(table, node, *_ends(moved[home], place))
        demand = instance.demands[node]
        found = [
            (_detour(table, node, *_gap(route, at)), k, at)
            for k, route in enumerate(moved)
            if k != home and demand <= rooms[k]
            for at in range(len(route) + 1)
        ]
        if found and (best := min(found))[0] < gain - LEAST * gain:
            del moved[home][place]
            moved[best[1]].insert(best[2], node)
            rooms[home] += demand
            rooms[best[1]] -= demand
    return moved


def _best_exchange(
    table: Table, instance: Instance, routes: Sequence[Sequence[int]], loads: Sequence[int]
) -> float:
    """What is saved where two customers of different routes take each other's place, at most."""
    best = 0.0
    for (one, load), (other, weight) in combinations(zip(routes, loads, strict=True), 2):
        for place, a in enumerate(one):
            ends = _ends(one, place)
            own = _detour(table, a, *ends)
            for at, b in enumerate(other):
                more = instance.demands[b] - instance.demands[a]
                if load + more > instance.capacity or weight - more > instance.capacity:
                    continue
                there = _ends(other, at)
                before = own + _detour(table, b, *there)
                after = _detour(table, b, *ends) + _detour(table, a, *there)
                best = max(best, before - after)
    return best


def _ends(route: Sequence[int], place: int) -> tuple[int, int]:
    """The nodes before and behind a customer of a route."""
    behind = route[place + 1] if place + 1 < len(route) else DEPOT
    return (route[place - 1] if place else DEPOT), behind


def _gap(route: Sequence[int], place: int) -> tuple[int, int]:
    """The nodes between which a customer comes that is inserted at a place."""
    behind = route[place] if place < len(route) else DEPOT
    return (route[place - 1] if place else DEPOT), behind


def _detour(table: Table, node: int, before: int, behind: int) -> float:
    """What a visit to a node adds to the way between two others."""
    return table[before][node] + table[node][behind] - table[before][behind]
