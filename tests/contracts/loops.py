"""Programs of nested loops over numbers, as language models write them; compiled where it pays."""

# mypy: disable-error-code="no-untyped-def, operator"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

import math


def remote_first(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Near from here and far from the rest, by sums written out."""
    best_node, best_score = -1, float("inf")
    count = len(unvisited_nodes)
    for node in unvisited_nodes:
        total = 0.0
        for other in unvisited_nodes:
            if other != node:
                total += distance_matrix[node, other]
        remoteness = total / max(1, count - 1)
        way_back = distance_matrix[node, destination_node]
        score = distance_matrix[current_node, node] - 0.3 * remoteness**0.9 + 0.1 * way_back
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def two_steps_ahead(current_node, destination_node, unvisited_nodes, distance_matrix):
    """The shortest two steps from here, ties by the lowest number."""
    best_node, best_score = None, math.inf
    for i in range(len(unvisited_nodes)):
        node = int(unvisited_nodes[i])
        nearest = None
        for j in range(len(unvisited_nodes)):
            if i == j:
                continue
            way = distance_matrix[node][unvisited_nodes[j]]
            if nearest is None or way < nearest:
                nearest = way
        score = distance_matrix[current_node][node] + 0.7 * nearest
        if best_node is None or score < best_score or (score == best_score and node < best_node):
            best_node, best_score = node, score
    return best_node


def crowded_last(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Leave nodes with many neighbours nearby for later, over lists and squares."""
    spread = sum(distance_matrix[current_node, node] for node in unvisited_nodes)
    radius = spread / len(unvisited_nodes)
    scores = []
    for node in unvisited_nodes:
        crowd = sum([1 for other in unvisited_nodes if distance_matrix[node, other] < radius])
        scores.append(distance_matrix[current_node, node] ** 2 + 0.01 * math.log1p(crowd) ** 3)
    best = 0
    k = 1
    while k < len(scores):
        if scores[k] < scores[best]:
            best = k
        k += 1
    return unvisited_nodes[best]


def seed_and_neighbours(
    current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix
):
    """Near from here, far from the depot, with demand nearby that still fits."""
    best_node, best_score = depot, -float("inf")
    for node in unvisited_nodes:
        left = rest_capacity - demands[node]
        pull = 0.0
        for other in unvisited_nodes:
            if other != node and demands[other] <= left:
                pull += demands[other] * math.exp(-4.0 * distance_matrix[node, other])
        score = (
            0.05 * pull + distance_matrix[node, depot] - 1.7 * distance_matrix[node, current_node]
        )
        if score > best_score:
            best_node, best_score = node, score
    if current_node != depot and distance_matrix[current_node, best_node] > 0.8:
        return depot
    return best_node


def fill_the_vehicle(
    current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix
):
    """The customer after which the fewest units stay in the vehicle, by whole numbers."""
    best, best_rest, best_way = unvisited_nodes[0], 10**9, 0.0
    for node in unvisited_nodes:
        rest = int(rest_capacity - demands[node])
        fits = True
        while fits and rest > 0:
            fits = False
            for other in unvisited_nodes:
                if other != node and 0 < demands[other] <= rest:
                    rest -= int(demands[other])
                    fits = True
                    break
        way = distance_matrix[current_node, node]
        if rest < best_rest or (rest == best_rest and way < best_way):
            best, best_rest, best_way = node, rest, way
    return best


def aged_gain(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain by sums written out, less a penalty that fades with age."""
    n = len(spins)
    last = [-max_steps] * n
    for moment in range(len(flip_history)):
        last[flip_history[moment]] = moment
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(n):
        gain = 0.0
        for other in range(n):
            gain += adjacency[vertex, other] * spins[vertex] * spins[other]
        age = step - last[vertex]
        score = gain - 2.5 / age**0.5
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def tabu_by_loops(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Tabu search with a tenure that grows, the latest flips looked through for each vertex."""
    tenure = 3 + step * 5 // max_steps
    recent = flip_history[-tenure:]
    choice, best_gain = step % len(spins), -1e18
    for vertex in range(len(spins)):
        gain = sum(adjacency[vertex][u] for u in range(len(spins)) if spins[u] == spins[vertex])
        gain -= sum(adjacency[vertex][u] for u in range(len(spins)) if spins[u] != spins[vertex])
        if vertex in recent and current_cut + gain <= best_cut:
            continue
        if gain > best_gain:
            choice, best_gain = vertex, gain
    return choice


PROGRAMS = {
    "tsp": (remote_first, two_steps_ahead, crowded_last),
    "cvrp": (seed_and_neighbours, fill_the_vehicle),
    "maxcut": (aged_gain, tabu_by_loops),
}
