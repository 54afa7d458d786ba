"""The named sets: generated ones, which are always there, and published ones to be imported."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from problems.base import InstanceSet, split_selection
from problems.maxcut.sets.graphs import LARGE, LINKS, GraphGenerator
from problems.sets.library import Published

if TYPE_CHECKING:
    from problems.maxcut.profile import WalkProfile
    from problems.maxcut.sets.data import Instance
    from problems.sets.records import Record

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


def described(profile: WalkProfile) -> tuple[InstanceSet, ...]:
    """All sets by name, each with the profile of walks on it.

    `baNu`, `baNw`, `erNu` and `erNw` exist for every N from 10 to 2000.
    """
    sets = (*GENERATED, *(published.described for published in PUBLISHED))
    return tuple(replace(found, about=f"{found.about}; {profile.text}") for found in sets)


def generated(name: str) -> tuple[Instance, ...]:
    """The graphs of a generated set, none for other names.

    With `selection-` before its name a set of one kind is drawn the same way from another seed.
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


def described_sparse(profile: WalkProfile) -> tuple[InstanceSet, ...]:
    """All sets under `state=sparse`, as by `described`."""
    sets = (*GENERATED_SPARSE, *(published.described for published in PUBLISHED))
    return tuple(replace(found, about=f"{found.about}; {profile.text}") for found in sets)


def _mixed(
    name: str, seed: int, size: int, kinds: tuple[GraphGenerator, ...] = KINDS
) -> tuple[Instance, ...]:
    """As many graphs of each kind, by turns, so that the first ones stand for all of them."""
    each = size // len(kinds)
    drawn = (kind.draw("", seed + place, each) for place, kind in enumerate(kinds))
    turns = (graph for turn in zip(*drawn, strict=True) for graph in turn)
    return tuple(replace(graph, name=f"{name}/{index}") for index, graph in enumerate(turns))
