"""The text contract that tours and routes share: choose the next node by distances."""

from __future__ import annotations

from problems.base import Argument, Contract, Field

EUCLIDEAN = "Euclidean"
ROUNDED = "Euclidean, rounded to the nearest integer"
"""Distances of nodes in the plane, in words."""


def routing_contract(
    task: str,
    arguments: tuple[Argument, ...],
    nodes: str,
    result: str,
    objective: str,
    sizes: str,
    shown: tuple[Field, ...],
    kind: str,
) -> Contract:
    """The contract of `select_next_node`; the last argument are the distances between `nodes`.

    `kind` says what distances they are; `sizes` and `shown` as in `Contract`.
    """
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
        sizes=sizes,
        shown=shown,
    )
