"""The text contract that tours and routes share: choose the next node by distances."""

from __future__ import annotations

from problems.base import Argument, Contract


def routing_contract(
    task: str,
    arguments: tuple[Argument, ...],
    nodes: str,
    result: str,
    objective: str,
    rounded: bool,
) -> Contract:
    """The contract of `select_next_node`; the last argument are the distances between `nodes`."""
    kind = "Euclidean, rounded to the nearest integer" if rounded else "Euclidean"
    distances = Argument(
        "distance_matrix",
        f"distance_matrix[i, j] is the distance between {nodes}, {kind}, "
        "a 2-D NumPy array of float64, read-only",
    )
    return Contract(
        task=task,
        function="select_next_node",
        arguments=(*arguments, distances),
        answer="action",
        result=result,
        objective=objective,
    )
