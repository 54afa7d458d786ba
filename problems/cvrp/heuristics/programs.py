"""Classical ways to choose the next customer, written as programs, all in one skeleton."""

# mypy: disable-error-code="no-untyped-def"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def nearest_neighbour(
    current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix
):
    """Nearest neighbour: go to the customer that is closest."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        score = distance_matrix[current_node, node]
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def most_saved(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Savings: go where coming from here, not from the depot, saves most."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_home = distance_matrix[node, depot]
        score = step - way_home
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def relatively_near(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Near from here for a customer that is far from the depot: the smallest ratio."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_home = distance_matrix[node, depot]
        score = step / (way_home + 1e-9)
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def least_way_per_unit(
    current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix
):
    """Least way per unit delivered: distance over demand."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        score = step / max(1.0, demands[node])
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def outskirts_first(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Weigh the step against the mean distance to all nodes, so that the rim goes first."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        remoteness = distance_matrix[node].mean()
        score = step - 0.7 * remoteness
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def turn_home(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Away from the depot while many customers fit, less so as they get fewer."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_home = distance_matrix[node, depot]
        fitting = len(unvisited_nodes) / len(demands)
        score = step - way_home * fitting
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def low_tank(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Nearest neighbour, but with little left return when the depot is closer."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        score = distance_matrix[current_node, node]
        if score < best_score:
            best_node, best_score = node, score
    is_low = rest_capacity < 2 * demands.mean()
    if is_low and current_node != depot and distance_matrix[current_node, depot] < best_score:
        return depot
    return best_node


def no_detour(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """Savings by half, but return when the next customer is closer to the depot than to here."""
    best_node, best_score = depot, float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_home = distance_matrix[node, depot]
        score = step - 0.5 * way_home
        if score < best_score:
            best_node, best_score = node, score
    is_detour = distance_matrix[best_node, depot] < distance_matrix[current_node, best_node]
    if is_detour and current_node != depot:
        return depot
    return best_node
