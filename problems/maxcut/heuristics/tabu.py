"""Tabu search as it is usual: the best flip, none twice within a tenure, unless to a new best.

F. Glover, "Tabu search - part I", 1989; one walk, as long as a program's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.maxcut.sets.data import as_spins
from problems.maxcut.sets.edges import build_edges

if TYPE_CHECKING:
    from problems.maxcut.sets.data import Instance

TENURE = 50


def search(instance: Instance, sides: bytes, steps: int, tenure: int = TENURE) -> list[int]:
    """The vertices flipped on a walk of some steps; among equal ones the lowest is flipped."""
    import numpy as np

    graph = build_edges(instance)
    spins = as_spins(sides)
    gains = graph.gains(spins)
    free_from = np.zeros(instance.size)
    cut = 0.0
    best = 0.0
    taken = list[int]()
    for step in range(steps):
        allowed = (free_from <= step) | (cut + gains > best)
        vertex = int(np.where(allowed, gains, -np.inf).argmax())
        cut += gains[vertex]
        best = max(best, cut)
        graph.flip(spins, gains, vertex)
        free_from[vertex] = step + 1 + tenure
        taken.append(vertex)
    return taken
