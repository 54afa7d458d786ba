"""A partial tour as a small text picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.shared.sketch import sketch

if TYPE_CHECKING:
    from problems.tsp.state import State

LEFT = "o"
PASSED = "·"
CURRENT = "@"
END = "#"


def picture(state: State) -> str:
    """The nodes where they lie, at most 78 x 23; several in one place show as one.

    One line where nodes have no coordinates.
    """
    shown = state.instance.length(state.tour) if state.finished else _walked(state)
    head = (
        f"{len(state.tour)} of {state.instance.size} visited, length {shown:.6g}; "
        f"{LEFT} left, {PASSED} visited, {CURRENT} current, {END} node 0"
    )
    if not state.instance.points:
        return head
    layers = [
        (PASSED, state.tour),
        (LEFT, state.unvisited),
        (CURRENT, state.tour[-1:]),
        (END, state.tour[:1]),
    ]
    return "\n".join([head, *sketch(state.instance.points, layers)])


def _walked(state: State) -> float:
    """Length of the path so far."""
    pairs = zip(state.tour, state.tour[1:], strict=False)
    return sum(state.instance.distance(node, following) for node, following in pairs)
