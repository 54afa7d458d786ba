"""The named sets: generated ones, which are always there, and published ones to be imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from problems.base import InstanceSet, split_selection
from problems.sets.library import Published
from problems.tsp.sets.data import Instance, random_points

if TYPE_CHECKING:
    from problems.sets.records import Record
    from problems.shared.routing import Points

OWN = {"design": (7002, 256), "selection": (7003, 256), "design-64": (7001, 64)}
"""Seed and size of the sets that searches look at."""

SEEDS_FROM = 5_000_000
"""The seed of `tspN` is N more."""

GENERATED = (
    InstanceSet("design", 256, "256 random TSP50, for searches", design=True),
    InstanceSet("selection", 256, "256 more, to choose a run's winner", design=True),
    InstanceSet("design-64", 64, "64 random TSP50, once the design set", design=True),
    InstanceSet("tsp50", 100, "100 random TSP50, uniform in the unit square", "substitute"),
    InstanceSet("tsp200", 128, "128 random TSP200, uniform in the unit square", "substitute"),
)
SIZES = {50: 100}
"""Instances in `tspN`; 128 for other N up to `MANY`, `FEW` for larger ones."""

MANY = 5000
FEW = 4
LARGEST = 10_000
"""The largest N of `tspN`."""

GITHUB = "https://raw.githubusercontent.com"
LEHD = f"{GITHUB}/CIAM-Group/NCO_code/8d5a5fa73b4c6116c4b835000cdcd10dd4617f42"
EOH = f"{GITHUB}/FeiLiu36/EoH/a27784a071fd86bd3de14fe60cea00b38bce3b0a"
TSPLIB = "https://github.com/mastqe/tsplib/archive/775541365dc3f7f3cd6faa8d0e206036d2c45e0e.zip"


def in_tsplib70(record: Record) -> bool:
    """Whether it is one of the paper's TSPLIB instances."""
    return "metric" not in record.tables and 50 < len(record.tables["coords"]) <= 5000


PUBLISHED = (
    Published(
        InstanceSet("tsp50-paper", 100, "EoH's 100 TSP50"),
        "c1d28dd7cdf0f6544e0a1df2774b4c8ac499347ecab4fdfa890e4dd9b75bb685",
        f"{EOH}/examples/tsp_construct/evaluation/testingdata/instance_data_50.pkl",
    ),
    Published(
        InstanceSet("tsp200-paper", 128, "LEHD's 128 TSP200"),
        "2ed6ef8f305bf2988e2fc426151ccab074421485ba20d1225147bf917606d113",
        f"{LEHD}/single_objective/LEHD/TSP/data/test_TSP200_n128.txt",
    ),
    Published(
        InstanceSet("tsplib", 70, "TSPLIB, EUC_2D, 50 < n <= 5000; optima of rounded distances"),
        "4c89ef39f865275f631d302abe81570f3384fa10794dc392b6c3ef87d918a6bc",
        TSPLIB,
        in_tsplib70,
    ),
)


def generated(name: str) -> tuple[Instance, ...]:
    """The instances of a generated set, none for other names; `tspN` exists from 3 to 10000.

    `selection-tspN` is drawn as `tspN` is, from another seed.
    """
    if name in OWN:
        return _drawn(name, *OWN[name], 50)
    like, apart = split_selection(name)
    if like == "design-64":
        return _drawn(name, OWN[like][0] + apart, 64, 50)
    found = re.fullmatch(r"tsp([1-9]\d*)", like)
    if found is None or not 3 <= (nodes := int(found[1])) <= LARGEST:
        return ()
    size = SIZES.get(nodes, 128 if nodes <= MANY else FEW)
    return _drawn(name, SEEDS_FROM + nodes + apart, size, nodes)


METRICS = ("", "CEIL_2D", "ATT", "GEO")
"""Of the instances drawn with distances in whole numbers, by turns; the first is rounded."""

MIXED = {"design-metrics": (7011, 128), "selection-metrics": (7012, 128), "metrics-20": (7013, 8)}
"""Seed and size of the sets of all metrics."""

GENERATED_MIXED = (
    InstanceSet(
        "design-metrics",
        128,
        "128 random TSP50, for searches: by turns distances EUC_2D, CEIL_2D, ATT, GEO",
        design=True,
    ),
    InstanceSet("selection-metrics", 128, "128 more, to choose a run's winner", design=True),
)


def generated_mixed(name: str) -> tuple[Instance, ...]:
    """The instances of a generated set of all metrics, none for other names."""
    if name not in MIXED:
        return ()
    seed, size = MIXED[name]
    drawn = random_points(seed, size, 20 if name == "metrics-20" else 50)
    turns = zip(range(size), METRICS * (size // len(METRICS)), drawn, strict=True)
    return tuple(
        Instance(f"{name}/{index}", _on_grid(points, metric == "GEO"), metric=metric)
        for index, metric, points in turns
    )


def _on_grid(points: Points, on_earth: bool) -> Points:
    """Points of the unit square at whole numbers up to 1,000, or at degrees.minutes up to 60."""
    if on_earth:
        return tuple((_in_minutes(x), _in_minutes(y)) for x, y in points)
    return tuple((float(int(1000 * x)), float(int(1000 * y))) for x, y in points)


def _in_minutes(share: float) -> float:
    degrees, minutes = divmod(int(3600 * share), 60)
    return degrees + minutes / 100


def _drawn(name: str, seed: int, size: int, nodes: int) -> tuple[Instance, ...]:
    drawn = random_points(seed, size, nodes)
    return tuple(Instance(f"{name}/{index}", points) for index, points in enumerate(drawn))
