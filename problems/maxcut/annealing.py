"""Simulated annealing on whole graphs, compiled: the source of our reference cuts.

S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", 1983. Import it
only to run it: it loads numba.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from problems.maxcut.instances import Instance


def _anneal(
    ends: NDArray[Any],
    neighbours: NDArray[Any],
    weights: NDArray[Any],
    temperatures: NDArray[Any],
    runs: int,
    seed: int,
    best: NDArray[Any],
) -> None:
    """Put the sides of the best cut into `best`; vertex `v` has edges `ends[v]` to `ends[v + 1]`.

    Cuts count from that of `best` as it comes, all vertices on side 0, which is 0.
    """
    np.random.seed(seed)
    best_cut = 0.0
    for _ in range(runs):
        spins = 2.0 * np.random.randint(0, 2, len(best)) - 1.0
        gains = np.zeros(len(best))
        cut = 0.0
        for v in range(len(best)):
            for k in range(ends[v], ends[v + 1]):
                gains[v] += weights[k] * spins[v] * spins[neighbours[k]]
                cut += weights[k] * (1.0 - spins[v] * spins[neighbours[k]]) / 4.0
        for temperature in temperatures:
            for v in range(len(best)):
                if gains[v] >= 0 or np.random.random() < np.exp(gains[v] / temperature):
                    for k in range(ends[v], ends[v + 1]):
                        gains[neighbours[k]] -= 2.0 * weights[k] * spins[v] * spins[neighbours[k]]
                    cut += gains[v]
                    spins[v] = -spins[v]
                    gains[v] = -gains[v]
            if cut > best_cut:
                best_cut = cut
                best[:] = spins < 0


def compile_once() -> Callable[..., None]:
    """The compiled loop, kept on disk for the next process where there is a place for it."""
    try:
        kept: Callable[..., None] = njit(cache=True)(_anneal)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        kept = njit(_anneal)
    return kept


compiled = compile_once()


COLDEST = 0.25
"""Last temperature, in units of the smallest weight: a loss of one unit is then rare."""


def anneal(instance: Instance, runs: int, sweeps: int, seed: int = 0) -> tuple[bytes, int]:
    """The sides of the best cut of some runs, and that cut.

    Every run starts from random sides, and lets every vertex `sweeps` times change sides by
    chance, at temperatures that fall geometrically.
    """
    ends = np.cumsum([0, *map(len, instance.neighbours)])
    neighbours = np.array([*chain(*instance.neighbours)], dtype=np.int64)
    weights = np.array([*chain(*instance.weights)], dtype=np.float64)
    temperatures = _temperatures(instance, sweeps)
    best = np.zeros(instance.size, dtype=np.uint8)
    compiled(ends, neighbours, weights, temperatures, runs, seed, best)
    sides = best.tobytes()
    return sides, instance.cut(sides)


def _temperatures(instance: Instance, sweeps: int) -> NDArray[np.float64]:
    """Down from the root of the largest sum of squared weights at a vertex, a large change."""
    sizes = [sum(w * w for w in weights) for weights in instance.weights]
    smallest = min((abs(w) for w in chain(*instance.weights)), default=1)
    return np.geomspace(max(max(sizes) ** 0.5, 1), COLDEST * smallest, sweeps)
