"""Simulated annealing on whole graphs, compiled: the source of our reference cuts.

S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", 1983.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from problems.maxcut.sets.data import Instance

COLDEST = 0.25
"""Last temperature, in units of the smallest weight: a loss of one unit is then rare."""


def anneal(instance: Instance, runs: int, sweeps: int, seed: int = 0) -> tuple[bytes, int]:
    """The sides of the best cut of some runs, and that cut.

    Every run starts from random sides, and lets every vertex `sweeps` times change sides by
    chance, at temperatures that fall geometrically.
    """
    import numpy as np

    from problems.maxcut.heuristics.kernel import compiled

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
    import numpy as np

    sizes = [sum(w * w for w in weights) for weights in instance.weights]
    smallest = min((abs(w) for w in chain(*instance.weights)), default=1)
    return np.geomspace(max(max(sizes) ** 0.5, 1), COLDEST * smallest, sweeps)
