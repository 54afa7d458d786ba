"""A bipartition as a small text picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from problems.maxcut.sets.data import Instance, Sides
    from problems.maxcut.state import State

WIDTH = 80
HEIGHT = 22
GAINS = "AB"
"""The sides of a vertex whose flip raises the cut."""
REST = "ab"
"""The sides of all others."""


def picture(state: State) -> str:
    """A state on a walk, as `draw_sides` draws it."""
    walk = f"step {state.step} of {state.max_steps}, "
    return draw_sides(state.instance, state.sides, walk, f", best {state.best_cut}")


def draw_sides(instance: Instance, sides: Sides, before: str = "", after: str = "") -> str:
    """One letter a vertex, row by row: its side, a capital where a flip raises the cut.

    `before` and `after` stand around the cut in the line above.
    """
    gains = [instance.gain(sides, vertex) for vertex in range(instance.size)]
    signs = "".join(
        (GAINS if gain > 0 else REST)[side] for gain, side in zip(gains, sides, strict=True)
    )
    head = f"{before}cut {instance.cut(sides)}{after}; a, b sides, capital: a flip gains"
    rows = [signs[first : first + WIDTH] for first in range(0, len(signs), WIDTH)]
    hidden = len(signs) - WIDTH * HEIGHT
    more = [f"and {hidden} vertices more"] if hidden > 0 else []
    return "\n".join([head, *rows[:HEIGHT], *more])
