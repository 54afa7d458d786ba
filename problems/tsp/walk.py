"""The fast walks: a program on a whole instance, and the length of an action list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from problems.errors import InvalidAction
from problems.shared.answers import as_index
from problems.tsp.sets.data import matrix
from problems.tsp.state import START, complaint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.base import Decision
    from problems.tsp.sets.data import Instance

    Sort = Literal["stable", "quicksort"]

ROWS = 64
"""Rows of distances looked at together."""


def sort_nearest(
    nodes: NDArray[np.int64], row: NDArray[np.float64], kind: Sort = "stable"
) -> NDArray[np.int64]:
    """Ascending nodes as a new array, nearest first by their distances `row`, ties lowest first.

    Every node is the current one once: sorting what is left of its row, when its turn comes, costs
    less than all rows in advance, and needs no second matrix.
    """
    return nodes[row[nodes].argsort(kind=kind)]


def choose_sort(distances: NDArray[np.float64]) -> Sort:
    """How to sort nodes by distance: the faster way where no node has two equal distances."""
    import numpy as np

    for first in range(0, len(distances), ROWS):
        rows = np.sort(distances[first : first + ROWS], axis=1)
        if (rows[:, 1:] == rows[:, :-1]).any():
            return "stable"
    return "quicksort"


def rollout(
    function: Callable[..., object], instance: Instance, forced: Sequence[int] = ()
) -> list[int]:
    """The actions of the plain rollout."""
    import numpy as np

    distances = matrix(instance)
    kind = choose_sort(distances)
    left = bytearray(b"\1" * instance.size)
    is_left = np.frombuffer(left, dtype=np.bool_)
    taken = list[int]()
    current = START
    left[current] = False
    for step in range(instance.size - 2):
        if step < len(forced):
            action: object = forced[step]
        else:
            unvisited = sort_nearest(is_left.nonzero()[0], distances[current], kind)
            try:
                action = function(current, START, unvisited, distances)
            except Exception as error:
                error.add_note(f"step {step}")
                raise
        current = int(action) if type(action) is np.int64 else as_index(action)
        if not 0 <= current < len(left) or not left[current]:
            raise InvalidAction(complaint(step, action))
        left[current] = False
        taken.append(current)
    return taken


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The tour length of an action list. Raises InvalidAction as the plain replay does."""
    left = bytearray(b"\1" * instance.size)
    left[START] = False
    tour = [START]
    for step, action in enumerate(actions):
        node = action if type(action) is int else as_index(action)
        if not 0 <= node < len(left) or not left[node] or len(tour) > len(left) - 2:
            raise InvalidAction(complaint(step, action))
        left[node] = False
        tour.append(node)
    if len(tour) < len(left) - 1:
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return instance.length(tour + [node for node, is_left in enumerate(left) if is_left])


def same_later(
    instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
) -> list[frozenset[int]]:
    """By decision: at the start the node from which the tour returns, which reverses it.

    `actions` are a whole rollout. Anywhere else every other node makes another tour.
    """
    last = frozenset(range(instance.size)) - {START, *actions}
    return [last if decision.state.current == START else frozenset() for decision in decisions]
