"""The programs from which a search for all routes at once starts."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from problems.shared.programs import as_rule


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
