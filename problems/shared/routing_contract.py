"""The text contract that tours and routes share: choose the next node by distances."""

from __future__ import annotations

from problems.base import WHERE_IT_PAYS, Argument, Contract, Field

POINTS = (
    Field("x", "place", "the node's coordinates, x and y; programs get distances alone"),
    Field("from_x", "place", "those of current_node, from_x and from_y"),
)
"""What `locate_step` adds to tables of states."""


def routing_contract(
    task: str,
    arguments: tuple[Argument, ...],
    nodes: str,
    result: str,
    objective: str,
    sizes: str,
    shown: tuple[Field, ...],
    rounded: bool,
) -> Contract:
    """The contract of `select_next_node`; the last argument are the distances between `nodes`.

    `sizes` and `shown` as in `Contract`, but for the coordinates.
    """
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
        sizes=sizes,
        compiled=WHERE_IT_PAYS,
        shown=(*shown, *POINTS),
    )
