"""A partial tour as a small text picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from problems.tsp.state import State

WIDTH, HEIGHT = 78, 22
LEFT, PASSED, CURRENT, END = "o", "·", "@", "#"
"""A node not visited yet, one on the tour, the one visited last, and node 0; later ones win."""


def picture(state: State) -> str:
    """The nodes where they lie, at most 78 x 23; several in one place show as one."""
    shown = state.instance.length(state.tour) if state.finished else _walked(state)
    head = (
        f"{len(state.tour)} of {state.instance.size} visited, length {shown:.6g}; "
        f"{LEFT} left, {PASSED} visited, {CURRENT} current, {END} node 0"
    )
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for node, (column, row) in enumerate(_places(state)):
        if not state.visited >> node & 1:
            rows[row][column] = LEFT
        elif rows[row][column] == " ":
            rows[row][column] = PASSED
    for node, sign in ((state.current, CURRENT), (state.tour[0], END)):
        column, row = _places(state)[node]
        rows[row][column] = sign
    return "\n".join([head, *("".join(row).rstrip() for row in rows)])


def _walked(state: State) -> float:
    """Length of the path so far."""
    pairs = zip(state.tour, state.tour[1:], strict=False)
    return sum(state.instance.distance(node, following) for node, following in pairs)


def _places(state: State) -> list[tuple[int, int]]:
    """Column and row of every node; north is up, both axes fill the picture."""
    xs, ys = zip(*state.instance.points, strict=True)
    columns = _scale(xs, WIDTH)
    rows = [HEIGHT - 1 - row for row in _scale(ys, HEIGHT)]
    return list(zip(columns, rows, strict=True))


def _scale(values: tuple[float, ...], size: int) -> list[int]:
    low, high = min(values), max(values)
    return [round((value - low) / ((high - low) or 1) * (size - 1)) for value in values]
