"""Graphs: the value, the cut of a bipartition, the weights as a matrix, as a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from problems.maxcut.standalone import Edges
from problems.sets.records import Record
from problems.shared.routing import stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

Table = tuple[tuple[int, ...], ...]

Sides = bytes | bytearray
"""The side of every vertex, one byte each: 0 for the spin +1, 1 for the spin -1."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A graph: vertex `v`, from 0, has edges to `neighbours[v]`, ascending, of `weights[v]`.

    Weights are whole numbers and none is 0, so that every way of adding them up gives the same
    cut. `reference` is the best known cut, None where nothing is known.
    """

    name: str
    neighbours: Table
    weights: Table
    reference: float | None = None

    def __hash__(self) -> int:
        """By name and size: hashing all edges would take longer than a step of a walk."""
        return hash((self.name, self.size))

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.neighbours)

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """Every edge once: its lower vertex, its higher vertex, its weight; ascending."""
        for vertex, (others, weights) in enumerate(
            zip(self.neighbours, self.weights, strict=True)
        ):
            for other, weight in zip(others, weights, strict=True):
                if vertex < other:
                    yield vertex, other, weight

    def cut(self, sides: Sides) -> int:
        """The sum of the weights of all edges between the two sides."""
        return sum(weight for u, v, weight in self.edges() if sides[u] != sides[v])

    def gain(self, sides: Sides, vertex: int) -> int:
        """What the cut gains when a vertex changes sides."""
        side = sides[vertex]
        gain = 0
        for other, weight in zip(self.neighbours[vertex], self.weights[vertex], strict=True):
            gain += weight if sides[other] == side else -weight
        return gain


def as_graph(name: str, size: int, edges: NDArray[np.int64]) -> Instance:
    """The graph with an edge for every row: two vertices and a weight; each edge once."""
    import numpy as np

    both = np.concatenate([edges, edges[:, [1, 0, 2]]])
    both = both[np.lexsort(both.T[1::-1])]
    places = np.bincount(both[:, 0], minlength=size).cumsum()[:-1]
    tables = (np.split(both[:, column], places) for column in (1, 2))
    neighbours, weights = (tuple(tuple(row.tolist()) for row in rows) for rows in tables)
    return Instance(name, neighbours, weights)


def as_spins(sides: Sides) -> NDArray[np.float64]:
    """The spin of every vertex, +1.0 or -1.0, as a new array."""
    import numpy as np

    return 1 - 2 * np.frombuffer(sides, dtype=np.uint8).astype(np.float64)


def build_adjacency(instance: Instance) -> NDArray[np.float64]:
    """All weights, 0 where there is no edge; read-only for good: it lies in a bytes object."""
    import numpy as np

    def build(rows: slice) -> NDArray[np.float64]:
        block = np.zeros((len(instance.neighbours[rows]), instance.size))
        tables = instance.neighbours[rows], instance.weights[rows]
        for row, others, weights in zip(block, *tables, strict=True):
            row[list(others)] = weights
        return block

    return stack(instance.size, build)


@lru_cache(maxsize=1)
def adjacency(instance: Instance) -> NDArray[np.float64]:
    """The weights of the instance that was asked for last."""
    return build_adjacency(instance)


def as_record(instance: Instance) -> Record:
    """A graph as the library keeps it: `n` vertices, ascending `edges` (vertices, weight)."""
    import numpy as np

    edges = np.array([*instance.edges()], dtype=np.int64).reshape(-1, 3)
    tables = {"n": np.array([instance.size]), "edges": edges}
    return Record(tables, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """A graph that the library kept."""
    size = int(record.tables["n"][0])
    return replace(as_graph(record.name, size, record.tables["edges"]), reference=record.reference)


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
