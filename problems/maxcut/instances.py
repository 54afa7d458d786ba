"""Graphs: the value, its cuts and weights, as a record, random ones, the named sets.

A.-L. Barabási, R. Albert, "Emergence of scaling in random networks", 1999; P. Erdős, A. Rényi,
"On random graphs I", 1959.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from problems.base import InstanceSet, split_selection
from problems.maxcut.standalone import Edges
from problems.sets.library import Published, Record
from problems.shared.routing import stack

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import RandomState
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


BA200W = GraphGenerator("ba", 200, signed=True)
KINDS = (
    BA200W,
    GraphGenerator("er", 200, signed=True),
    GraphGenerator("ba", 200, signed=False),
    GraphGenerator("er", 200, signed=False),
)
MIXED = {"design": (7211, 128), "selection": (7221, 128)}
"""Seed of the first kind, one less than that of the next, and size of the sets that searches look
at: the kinds by turns."""

OWN = {"design-16": (7201, 16), "validation": (7202, 20)}
"""Seed and size of the sets of one kind that searches and training may look at."""

SEEDS_FROM = {"bau": 5_300_000, "baw": 5_400_000, "eru": 5_500_000, "erw": 5_600_000}
"""The seed of `baNu` is N more, and so on."""

BA = f"Barabási-Albert graphs, m = {LINKS}"
ER = "Erdős-Rényi graphs"
W = "weights +-1"
U = "weights 1"

GENERATED = (
    InstanceSet(
        "design",
        128,
        f"128 graphs of 200 vertices, for searches: by turns {BA}, and {ER}, p = 0.15, {W}, then "
        f"both with {U}",
        design=True,
    ),
    InstanceSet("selection", 128, "128 more, to choose a run's winner", design=True),
    InstanceSet("design-16", 16, f"16 {BA}, 200 vertices, {W}, once the design set", design=True),
    InstanceSet("validation", 20, f"20 {BA}, 200 vertices, {W}, to choose teachers", design=True),
    InstanceSet("ba200w", 100, f"100 {BA}, 200 vertices, {W}", "substitute"),
    InstanceSet("er200w", 100, f"100 {ER}, p = 0.15, 200 vertices, {W}", "substitute"),
    InstanceSet("ba800u", 20, f"20 {BA}, 800 vertices, {U}", "substitute"),
    InstanceSet("ba800w", 20, f"20 {BA}, 800 vertices, {W}", "substitute"),
    InstanceSet("er800u", 5, f"5 {ER}, p = 0.06, 800 vertices, {U}", "substitute"),
    InstanceSet("er800w", 5, f"5 {ER}, p = 0.06, 800 vertices, {W}", "substitute"),
)

ECO = (
    "https://raw.githubusercontent.com/tomdbar/eco-dqn/0e9cbb255adb0e6e1118132984562469213bd313/"
    "_graphs"
)
GSET = "https://web.stanford.edu/~yyye/yyye/Gset/"


def in_gset_u(record: Record) -> bool:
    """Whether it could be one of G1 to G5."""
    edges = record.tables["edges"]
    return len(edges) == 19176 and bool((edges[:, 2] == 1).all())


def in_gset_w(record: Record) -> bool:
    """Whether it could be one of G6 to G10, which have weights of both signs."""
    return len(record.tables["edges"]) == 19176 and not in_gset_u(record)


PUBLISHED = (
    Published(
        InstanceSet("ba200w-eco", 100, f"ECO-DQN's 100 {BA}, 200 vertices, {W}", "likely"),
        "62a926e11a8574c440d4808495c43fa1bbab320658f66116fd373d473ec34b2b",
        f"{ECO}/validation/BA_200spin_m4_100graphs.pkl",
    ),
    Published(
        InstanceSet("er200w-eco", 50, f"ECO-DQN's 50 {ER}, 200 vertices, {W}", "substitute"),
        "b0fe1b84ce0a9112e52a6b9170796a3c889ab015b8949e9e6921eac8a8aa78d9",
        f"{ECO}/testing/ER_200spin_p15_50graphs.pkl",
    ),
    Published(
        InstanceSet("gset-er800u", 5, f"Gset G1 to G5, 800 vertices, {U}", "likely"),
        "728822a2bc656b13fce551455cbc0bb5f82786b13389c1f8478ecde9498b8e82",
        GSET,
        in_gset_u,
        ("G1", "G2", "G3", "G4", "G5"),
    ),
    Published(
        InstanceSet("gset-er800w", 5, f"Gset G6 to G10, 800 vertices, {W}", "likely"),
        "4ed919f9d4304aa3d1235cbe7137e2cd5b5f59066b9e1e5de7ae2049e426207a",
        GSET,
        in_gset_w,
        ("G6", "G7", "G8", "G9", "G10"),
    ),
    Published(
        InstanceSet("physics", 10, f"ECO-DQN's 10 Ising graphs, 125 vertices, {W}"),
        "567b84940d5d891045f8adc6cd549f07021cb9b08fb17793031f9c92552b6e81",
        f"{ECO}/benchmarks/ising_125spin_graphs.pkl",
    ),
)


def described(drawn: Iterable[InstanceSet], profile: str) -> tuple[InstanceSet, ...]:
    """Generated sets and the published ones, each with the profile of walks on it."""
    sets = (*drawn, *(published.described for published in PUBLISHED))
    return tuple(replace(found, about=f"{found.about}; {profile}") for found in sets)


def generated(name: str) -> tuple[Instance, ...]:
    """The graphs of a generated set, none for other names.

    `baNu`, `baNw`, `erNu` and `erNw` exist for every N from 10 to 2000. With `selection-` before
    its name a set of one kind is drawn the same way from another seed.
    """
    if name in MIXED:
        return _mixed(name, *MIXED[name])
    like, apart = split_selection(name)
    if like in OWN:
        seed, size = OWN[like]
        return BA200W.draw(name, seed + apart, size)
    found = re.fullmatch(r"(ba|er)([1-9]\d*)([uw])", like)
    if found is None or not 10 <= (vertices := int(found[2])) <= 2000:
        return ()
    is_ba = found[1] == "ba"
    seed = SEEDS_FROM[found[1] + found[3]] + vertices + apart
    size = 100 if vertices < LARGE else 20 if is_ba else 5
    generator = GraphGenerator("ba" if is_ba else "er", vertices, signed=found[3] == "w")
    return generator.draw(name, seed, size)


SPARSE_KINDS = tuple(
    GraphGenerator(family, 200, signed=signed)
    for signed in (True, False)
    for family in ("ba", "sparse")
)
MIXED_SPARSE = {"design-sparse": (7231, 64), "selection-sparse": (7241, 64)}
SPARSE_FROM = 5_700_000
"""The seed of `sparse-N` is N more."""

GENERATED_SPARSE = (
    InstanceSet(
        "design-sparse",
        64,
        f"64 graphs of 200 vertices, for searches: by turns {BA}, and random ones of 2.5 edges a "
        f"vertex, {W}, then both with {U}",
        design=True,
    ),
    InstanceSet("selection-sparse", 64, "64 more, to choose a run's winner", design=True),
    InstanceSet("sparse-1000", 5, f"5 random graphs, 1,000 vertices, 2,500 edges, {W}"),
    InstanceSet("sparse-5000", 1, f"1 random graph, 5,000 vertices, 12,500 edges, {W}"),
)


def generated_sparse(name: str) -> tuple[Instance, ...]:
    """The graphs of a set under `state=sparse`, none for other names.

    `sparse-N` exists for every N from 10 to 20000, from 5000 on with one graph.
    """
    if name in MIXED_SPARSE:
        return _mixed(name, *MIXED_SPARSE[name], kinds=SPARSE_KINDS)
    like, apart = split_selection(name)
    found = re.fullmatch(r"sparse-([1-9]\d*)", like)
    if found is None or not 10 <= (vertices := int(found[1])) <= 20000:
        return ()
    generator = GraphGenerator("sparse", vertices, signed=True)
    return generator.draw(name, SPARSE_FROM + vertices + apart, 5 if vertices < 5000 else 1)


def _mixed(
    name: str, seed: int, size: int, kinds: tuple[GraphGenerator, ...] = KINDS
) -> tuple[Instance, ...]:
    """As many graphs of each kind, by turns, so that the first ones stand for all of them."""
    each = size // len(kinds)
    drawn = (kind.draw("", seed + place, each) for place, kind in enumerate(kinds))
    turns = (graph for turn in zip(*drawn, strict=True) for graph in turn)
    return tuple(replace(graph, name=f"{name}/{index}") for index, graph in enumerate(turns))
