"""The rules of the maximum cut problem: flip the spins of a graph with a program.

An instance is the number of vertices, the edges as triples (vertex, vertex, weight), the spins
at the start of every attempt, and the number of flips in an attempt. The best cut counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Edges = tuple[tuple[int, int, int], ...]
Spins = tuple[int, ...]
Graph = tuple[np.ndarray, np.ndarray, np.ndarray]


def solve(
    choose: Callable[..., Any], instance: tuple[int, Edges, tuple[Spins, ...], int]
) -> tuple[list[int], float]:
    """The vertices that the program flips, in order, and minus the best cut on the way."""
    size, edges, starts, max_steps = instance
    graph = tables(size, edges)
    flips: list[int] = []
    best_cuts = []
    for start in starts:
        spins = np.array(start, dtype=float)
        last_flips = np.full(size, -1)
        flip_counts = np.zeros(size, dtype=np.int64)
        current_cut = best_cut = cut(spins, edges)
        for step in range(max_steps):
            records = (last_flips.copy(), flip_counts.copy())
            state = (*records, current_cut, best_cut, step, max_steps)
            gains = find_gains(spins, graph)
            vertex = int(choose(spins.copy(), gains, *graph, *state))
            spins[vertex] = -spins[vertex]
            last_flips[vertex] = step
            flip_counts[vertex] += 1
            flips.append(vertex)
            current_cut = cut(spins, edges)
            best_cut = max(best_cut, current_cut)
        best_cuts.append(best_cut)
    return flips, -max(best_cuts)


def tables(size: int, edges: Edges) -> Graph:
    """Where the edges of every vertex start, their other ends, ascending, their weights."""
    both = sorted([*edges, *((v, u, weight) for u, v, weight in edges)])
    counts = np.bincount([u for u, _, _ in both], minlength=size)
    neighbours = np.array([v for _, v, _ in both], dtype=np.int64)
    weights = np.array([weight for _, _, weight in both], dtype=float)
    return np.concatenate([[0], counts.cumsum()]), neighbours, weights


def find_gains(spins: np.ndarray, graph: Graph) -> np.ndarray:
    """What the cut gains when a vertex is flipped."""
    starts, neighbours, weights = graph
    gains = np.zeros(len(spins))
    for v in range(len(spins)):
        ends = slice(starts[v], starts[v + 1])
        gains[v] = spins[v] * (weights[ends] * spins[neighbours[ends]]).sum()
    return gains


def cut(spins: np.ndarray, edges: Edges) -> float:
    """The sum of the weights of all edges whose ends have different spins."""
    return float(sum(weight for u, v, weight in edges if spins[u] != spins[v]))
