"""Routes under construction as a small text picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT
from problems.shared.sketch import sketch

if TYPE_CHECKING:
    from problems.cvrp.state import State

PASSED = "·"
TOO_MUCH = "x"
FITS = "o"
CURRENT = "@"
HOME = "#"


def picture(state: State) -> str:
    """The nodes where they lie, at most 78 x 24; the vehicle shows even at the depot."""
    left = state.unvisited
    served = state.instance.size - 1 - len(left)
    head = (
        f"{served} of {state.instance.size - 1} customers served, {state.way[1:].count(DEPOT)} "
        f"routes closed, length {state.instance.length(state.way):.6g}, "
        f"capacity {state.rest} of {state.instance.capacity}"
    )
    key = f"{FITS} fits, {TOO_MUCH} does not, {PASSED} served, {CURRENT} vehicle, {HOME} depot"
    passed = [node for node in range(1, state.instance.size) if state.visited >> node & 1]
    layers = [
        (PASSED, passed),
        (TOO_MUCH, left),
        (FITS, state.fitting),
        (HOME, [DEPOT]),
        (CURRENT, [state.current]),
    ]
    return "\n".join([head, key, *sketch(state.instance.points, layers)])
