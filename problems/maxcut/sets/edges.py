"""A graph's edges as three arrays, vertex by vertex, and what flips gain; no matrix anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.maxcut.sets.data import Instance


@dataclass(frozen=True, slots=True)
class Edges:
    """Vertex `v` has edges to `neighbours[starts[v]:starts[v + 1]]`, ascending, of `weights[...]`.

    Every edge stands there twice, once from each end. The arrays are read-only for good: they lie
    in bytes objects.
    """

    starts: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    weights: NDArray[np.float64]

    def gains(self, spins: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the cut gains when a vertex is flipped, for all of them; sums of whole numbers."""
        import numpy as np

        terms = self.weights * spins[self.neighbours]
        sums = np.concatenate([[0.0], terms.cumsum()])
        found: NDArray[np.float64] = spins * (sums[self.starts[1:]] - sums[self.starts[:-1]])
        return found

    def flip(self, spins: NDArray[np.float64], gains: NDArray[np.float64], vertex: int) -> None:
        """Flip a spin, and keep the gains those of the spins: only neighbours' ones change."""
        ends = slice(self.starts[vertex], self.starts[vertex + 1])
        others = self.neighbours[ends]
        gains[others] -= 2 * spins[vertex] * self.weights[ends] * spins[others]
        gains[vertex] = -gains[vertex]
        spins[vertex] = -spins[vertex]


def build_edges(instance: Instance) -> Edges:
    """The edges of a graph."""
    import numpy as np

    counts = [0, *map(len, instance.neighbours)]
    neighbours = np.fromiter(chain(*instance.neighbours), np.int64)
    weights = np.fromiter(chain(*instance.weights), np.float64)
    kept = (np.frombuffer(a.tobytes(), a.dtype) for a in (np.cumsum(counts), neighbours, weights))
    return Edges(*kept)


@lru_cache(maxsize=1)
def edges(instance: Instance) -> Edges:
    """The edges of the instance that was asked for last."""
    return build_edges(instance)


def flip_records(flips: Sequence[int], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By vertex the step of its last flip, -1 for none, and how often it was flipped."""
    import numpy as np

    done = np.array(flips, dtype=np.int64)
    last = np.full(size, -1)
    last[done] = np.arange(len(done))
    return last, np.bincount(done, minlength=size)
