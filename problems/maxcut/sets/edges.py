"""A graph's edges as three arrays, vertex by vertex, and what flips gain; no matrix anywhere."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from problems.maxcut.standalone import Edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.maxcut.sets.data import Instance


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
