"""Simulated annealing on edge lists: the loop that numba compiles; import it only to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def anneal(
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
        kept: Callable[..., None] = njit(cache=True)(anneal)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        kept = njit(anneal)
    return kept


compiled = compile_once()
