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


PROGRAMS = {
    "tsp": (remote_first, crowded_last),
    "cvrp": (seed_and_neighbours,),
    "maxcut": (aged_gain,),
}
