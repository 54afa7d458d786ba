"""Classical ways to choose the next node, written as programs would be, all in one skeleton."""

# mypy: disable-error-code="no-untyped-def"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def nearest_neighbour(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Nearest neighbour: go to the unvisited node that is closest."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes:
        score = distance_matrix[current_node, node]
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def far_side_first(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Close to here but far from the end: leave what lies around the end for the way back."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_back = distance_matrix[node, destination_node]
        score = step - 0.2 * way_back
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def turn_home(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Close to here, and away from the end as long as many nodes are left."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes:
        step = distance_matrix[current_node, node]
        way_back = distance_matrix[node, destination_node]
        share_left = len(unvisited_nodes) / len(distance_matrix)
        score = step - 0.3 * way_back * share_left
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def look_ahead(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Look one step ahead: the way to a near node, and some of the way on from there."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes[:10]:
        others = unvisited_nodes[unvisited_nodes != node]
        step = distance_matrix[current_node, node]
        onward = distance_matrix[node, others].min()
        score = step + 0.2 * onward
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def lonely_first(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Regret: take a near node along whose own closest neighbour is far, a detour if left."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes[:10]:
        others = unvisited_nodes[unvisited_nodes != node]
        step = distance_matrix[current_node, node]
        regret = distance_matrix[node, others].min()
        score = step - 0.5 * regret
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def outskirts_first(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Take a near node along that is far from the rest: work on the rim, not in the middle."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes[:10]:
        step = distance_matrix[current_node, node]
        remoteness = distance_matrix[node, unvisited_nodes].mean()
        score = step - 0.2 * remoteness
        if score < best_score:
            best_node, best_score = node, score
    return best_node


def relatively_near(current_node, destination_node, unvisited_nodes, distance_matrix):
    """The near node whose distance is smallest compared with its distances to the rest."""
    best_node, best_score = unvisited_nodes[0], float("inf")
    for node in unvisited_nodes[:10]:
        step = distance_matrix[current_node, node]
        remoteness = distance_matrix[node, unvisited_nodes].mean()
        score = step / max(remoteness, 1e-9)
        if score < best_score:
            best_node, best_score = node, score
    return best_node
