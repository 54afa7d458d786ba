"""Random graphs, as the generated sets draw them.

A.-L. Barabási, R. Albert, "Emergence of scaling in random networks", 1999; P. Erdős, A. Rényi,
"On random graphs I", 1959.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from problems.maxcut.sets.data import Instance, as_graph

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

LINKS = 4
"""Edges with which a vertex comes into a Barabási-Albert graph."""

LARGE = 800
"""Vertices from which Erdős-Rényi graphs are as sparse as Gset's."""


@dataclass(frozen=True, slots=True)
class GraphGenerator:
    """A family of graphs: Barabási-Albert, Erdős-Rényi, or `sparse` with 2.5 edges a vertex.

    Weights are +1 and -1 if `signed`, else 1.
    """

    family: Literal["ba", "er", "sparse"]
    vertices: int
    signed: bool

    @property
    def chance(self) -> float:
        """The chance of an edge in an Erdős-Rényi graph."""
        return 0.15 if self.vertices < LARGE else 0.06

    def draw(self, name: str, seed: int, size: int) -> tuple[Instance, ...]:
        """`size` graphs, one after the other from NumPy's legacy generator."""
        from numpy.random import RandomState

        rng = RandomState(seed)
        drawn = (self._draw(rng) for _ in range(size))
        return tuple(
            as_graph(f"{name}/{i}", self.vertices, edges) for i, edges in enumerate(drawn)
        )

    def _draw(self, rng: RandomState) -> NDArray[Any]:
        """The edges of a graph: two vertices and a weight a row."""
        import numpy as np

        if self.family == "ba":
            pairs = barabasi_albert(rng, self.vertices)
        elif self.family == "sparse":
            pairs = sparse_random(rng, self.vertices, self.vertices * 5 // 2)
        else:
            pairs = erdos_renyi(rng, self.vertices, self.chance)
        weights = np.ones(len(pairs), dtype=np.int64)
        if self.signed:
            weights = 2 * rng.randint(2, size=len(pairs)) - 1
        return np.column_stack([pairs, weights])


def barabasi_albert(rng: RandomState, size: int) -> NDArray[Any]:
    """The ends of the edges, a row each; vertices come one by one, with `LINKS` edges each.

    The first to come is joined to all before it, later ones to vertices drawn by their degree.
    """
    import numpy as np

    ends = [*range(LINKS), *[LINKS] * LINKS]
    for vertex in range(LINKS + 1, size):
        chosen: set[int] = set()
        while len(chosen) < LINKS:
            chosen.add(ends[rng.randint(len(ends))])
        ends += [*sorted(chosen), *[vertex] * LINKS]
    return np.array(ends).reshape(-1, 2, LINKS).swapaxes(1, 2).reshape(-1, 2)


def erdos_renyi(rng: RandomState, size: int, chance: float) -> NDArray[Any]:
    """The ends of the edges, a row each; every pair of vertices is joined with the same chance."""
    import numpy as np

    pairs = np.column_stack(np.triu_indices(size, 1))
    return pairs[rng.random_sample(len(pairs)) < chance]


def sparse_random(rng: RandomState, size: int, count: int) -> NDArray[Any]:
    """The ends of `count` edges, a row each, all pairs of vertices alike; no pair twice.

    Pairs are drawn until there are enough, never listed: graphs may be large.
    """
    import numpy as np

    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        first, second = rng.randint(size, size=(2, count))
        codes = np.minimum(first, second) * size + np.maximum(first, second)
        drawn = np.concatenate([found, codes[first != second]])
        _, places = np.unique(drawn, return_index=True)
        found = drawn[np.sort(places)]
    return np.column_stack(np.divmod(found[:count], size))
