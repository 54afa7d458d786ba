"""Programs under `state=wide`: the classical choices, and one that completes the routes."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def outskirts_first(current_node, depot, unvisited_nodes, distance_matrix):
    """Weigh the step against the mean distance to all nodes, so that the rim goes first."""
    mean_distances = distance_matrix.mean(axis=1)
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        remoteness = mean_distances[node]
        score = step - 0.7 * remoteness
        if score < best_score:
            best_node, best_score = node, score
    return best_node


# fmt: off
# (the texts below go into prompts as they stand)


def complete(
    next_node, current_node, depot, customers_left, rest_capacity, capacity, demands,
    distance_matrix,
):
    """The length of all routes from here on when the vehicle goes to a node and then by a rule."""
    waiting = [int(customer) for customer in customers_left]
    length = 0.0
    while len(waiting) > 0:
        length += distance_matrix[current_node, next_node]
        rest_capacity = capacity if next_node == depot else rest_capacity - demands[next_node]
        waiting = [customer for customer in waiting if customer != next_node]
        current_node = next_node
        # the rule: the lowest score is visited next, the depot where nothing fits
        next_node, best_score = depot, float("inf")
        for node in waiting:
            if demands[node] > rest_capacity:
                continue
            step = distance_matrix[current_node, node]
            way_home = distance_matrix[node, depot]
            score = step - 0.5 * way_home
            if score < best_score:
                next_node, best_score = node, score
    return length + distance_matrix[current_node, depot]


def shortest_completion(
    current_node, depot, unvisited_nodes, customers_left, rest_capacity, capacity, demands,
    distance_matrix,
):
    """Complete all routes, by half the savings, after each of the ten closest customers and after
    a return, and go where that is shortest."""
    choices = []
    for _ in range(min(10, len(unvisited_nodes))):
        closest, least = -1, float("inf")
        for node in unvisited_nodes:
            if distance_matrix[current_node, node] < least and node not in choices:
                closest, least = int(node), distance_matrix[current_node, node]
        choices.append(closest)
    if current_node != depot:
        choices.append(depot)
    best_node, best_length = choices[0], float("inf")
    for node in choices:
        length = complete(
            node, current_node, depot, customers_left, rest_capacity, capacity, demands,
            distance_matrix,
        )
        if length < best_length:
            best_node, best_length = node, length
    return best_node


# fmt: on
