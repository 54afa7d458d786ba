"""The rules of the maximum cut problem: flip the spins of a graph with a program.

An instance is the number of vertices, the edges as triples (vertex, vertex, weight), the spins
at the start of every attempt, and the number of flips in an attempt. The best cut counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Edges = tuple[tuple[int, int, int], ...]
Spins = tuple[int, ...]


def solve(
    choose: Callable[..., Any], instance: tuple[int, Edges, tuple[Spins, ...], int]
) -> tuple[list[int], float]:
    """The vertices that the program flips, in order, and minus the best cut on the way."""
    size, edges, starts, max_steps = instance
    adjacency = np.zeros((size, size))
    for u, v, weight in edges:
        adjacency[u, v] = adjacency[v, u] = weight
    adjacency.flags.writeable = False
    flips: list[int] = []
    best_cuts = []
    for start in starts:
        spins = np.array(start, dtype=float)
        flip_history: tuple[int, ...] = ()
        current_cut = best_cut = cut(spins, adjacency)
        for step in range(max_steps):
            state = (current_cut, best_cut, step, max_steps, flip_history)
            vertex = int(choose(spins.copy(), adjacency, *state))
            spins[vertex] = -spins[vertex]
            flip_history += (vertex,)
            current_cut = cut(spins, adjacency)
            best_cut = max(best_cut, current_cut)
        flips += flip_history
        best_cuts.append(best_cut)
    return flips, -max(best_cuts)


def cut(spins: np.ndarray, adjacency: np.ndarray) -> float:
    """The sum of the weights of all edges whose ends have different spins."""
    return float((adjacency.sum() - spins @ adjacency @ spins) / 4)
