"""The rules of the maximum cut problem: a program puts the vertices of a graph on two sides.

An instance is the number of vertices and the edges as triples (vertex, vertex, weight).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Edges = tuple[tuple[int, int, int], ...]


def solve(program: Callable[..., Any], instance: tuple[int, Edges]) -> tuple[list[int], float]:
    """The side of every vertex by the program, and minus the cut."""
    size, edges = instance
    both = sorted([*edges, *((v, u, weight) for u, v, weight in edges)])
    counts = np.bincount([u for u, _, _ in both], minlength=size)
    starts = np.concatenate([[0], counts.cumsum()])
    neighbours = np.array([v for _, v, _ in both], dtype=np.int64)
    weights = np.array([weight for _, _, weight in both], dtype=float)
    for array in (starts, neighbours, weights):
        array.flags.writeable = False
    sides = [int(side) for side in program(starts, neighbours, weights)]
    if len(sides) != size or not ({*sides} <= {0, 1} or {*sides} <= {-1, 1}):
        raise ValueError("not a side for every vertex")
    return sides, -float(sum(weight for u, v, weight in edges if sides[u] != sides[v]))
