"""The fast walks: a program on a whole instance, and the length of an action list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.errors import InvalidAction
from problems.routing import as_node
from problems.tsp.data import build_matrix
from problems.tsp.state import START, complaint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.tsp.data import Instance


def sort_nearest(nodes: NDArray[np.int64], row: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ascending nodes as a new array, nearest first by their distances `row`, ties lowest first.

    Every node is the current one once: sorting what is left of its row, when its turn comes, costs
    less than all rows in advance, and needs no second matrix.
    """
    return nodes[row[nodes].argsort(kind="stable")]


def rollout(function: Callable[..., object], instance: Instance) -> list[int]:
    """The actions of the plain rollout."""
    import numpy as np

    matrix = build_matrix(instance)
    left = bytearray(b"\1" * instance.size)
    marks = np.frombuffer(left, dtype=np.bool_)
    current, taken = START, list[int]()
    left[current] = False
    for step in range(instance.size - 2):
        unvisited = sort_nearest(marks.nonzero()[0], matrix[current])
        action = function(current, START, unvisited, matrix)
        current = int(action) if type(action) is np.int64 else as_node(action)
        if not 0 <= current < len(left) or not left[current]:
            raise InvalidAction(complaint(step, action))
        left[current] = False
        taken.append(current)
    return taken


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The tour length of an action list. Raises InvalidAction as the plain replay does."""
    left = bytearray(b"\1" * instance.size)
    left[START], tour = False, [START]
    for step, action in enumerate(actions):
        node = action if type(action) is int else as_node(action)
        if not 0 <= node < len(left) or not left[node] or len(tour) > len(left) - 2:
            raise InvalidAction(complaint(step, action))
        left[node] = False
        tour.append(node)
    if len(tour) < len(left) - 1:
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return instance.length(tour + [node for node, is_left in enumerate(left) if is_left])
