"""Random graphs: the recipes of the generated sets.

A.-L. Barabási, R. Albert, "Emergence of scaling in random networks", 1999; P. Erdős, A. Rényi,
"On random graphs I", 1959.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray


def barabasi_albert(dice: RandomState, size: int, links: int) -> NDArray[Any]:
    """The ends of (size - links) * links edges, a row each.

    Vertices come one by one, with `links` edges each.

    The first to come is joined to all before it, later ones to vertices drawn by their degree.
    """
    ends = [*range(links), *[links] * links]
    for vertex in range(links + 1, size):
        chosen: set[int] = set()
        while len(chosen) < links:
            chosen.add(ends[dice.randint(len(ends))])
        ends += [*sorted(chosen), *[vertex] * links]
    return np.array(ends).reshape(-1, 2, links).swapaxes(1, 2).reshape(-1, 2)


def erdos_renyi(dice: RandomState, size: int, chance: float) -> NDArray[Any]:
    """The ends of the edges, a row each; every pair of vertices is joined with the same chance."""
    pairs = np.column_stack(np.triu_indices(size, 1))
    return pairs[dice.random_sample(len(pairs)) < chance]


def signs(dice: RandomState, edges: int) -> NDArray[Any]:
    """Weights of +1 or -1, each with the same chance."""
    return 2 * dice.randint(2, size=edges) - 1
