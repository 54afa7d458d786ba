"""The fast walks: a program on a whole instance, and the length of an action list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from problems.base import Decision
from problems.errors import InvalidAction
from problems.shared.programs import as_index
from problems.tsp.instances import Instance, matrix
from problems.tsp.standalone import Tour, sort_nearest
from problems.tsp.state import START, complaint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Sort = Literal["stable", "quicksort"]

ROWS = 64
"""Rows of distances looked at together."""


def choose_sort(distances: NDArray[np.float64]) -> Sort:
    """How to sort nodes by distance: the faster way where no node has two equal distances."""
    import numpy as np

    for first in range(0, len(distances), ROWS):
        rows = np.sort(distances[first : first + ROWS], axis=1)
        if (rows[:, 1:] == rows[:, :-1]).any():
            return "stable"
    return "quicksort"


def rollout(
    function: Callable[..., object],
    instance: Instance,
    reads: frozenset[str] | None,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout; what the program reads makes no difference."""
    import numpy as np

    distances = matrix(instance)
    kind = choose_sort(distances)
    tour = Tour(instance.size)
    is_left = np.frombuffer(tour.left, dtype=np.bool_)
    for step in range(instance.size - 2):
        if step < len(forced):
            action: object = forced[step]
        else:
            current = tour.nodes[-1]
            unvisited = sort_nearest(is_left.nonzero()[0], distances[current], kind)
            try:
                action = function(current, START, unvisited, distances)
            except Exception as error:
                error.add_note(f"step {step}")
                raise
        if not tour.go(int(action) if type(action) is np.int64 else as_index(action)):
            raise InvalidAction(complaint(step, action))
    return tour.nodes[1:]


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The tour length of an action list. Raises InvalidAction as the plain replay does."""
    tour = Tour(instance.size)
    for step, action in enumerate(actions):
        if not tour.go(action if type(action) is int else as_index(action)):
            raise InvalidAction(complaint(step, action))
    if not tour.is_done:
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return instance.length(tour.close())


def same_later(
    instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
) -> list[frozenset[int]]:
    """By decision: at the start the node from which the tour returns, which reverses it.

    `actions` are a whole rollout. Anywhere else every other node makes another tour.
    """
    last = frozenset(range(instance.size)) - {START, *actions}
    return [last if decision.state.current == START else frozenset() for decision in decisions]
