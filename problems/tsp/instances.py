"""Travelling salesman instances: the value, its distances, as a record, the named sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum, isqrt
from typing import TYPE_CHECKING, Any

from problems.base import InstanceSet, split_selection
from problems.sets.library import Published, Record
from problems.shared import routing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PI = 3.141592
"""TSPLIB's own, which its published optima depend on."""

RADIUS = 6378.388
"""Of the earth, in kilometres."""

EXPLICIT = "EXPLICIT"
"""The word for distances that stand in the file."""


WHOLE_METRICS = ("CEIL_2D", "ATT", "GEO", "MAN_2D", "MAX_2D")
"""TSPLIB's words for distances besides the rounded Euclidean ones, whole numbers by rules of their
own."""


def measure(metric: str, points: Floats, others: Floats) -> Floats:
    """Distances `[i, j]` of points to others, both `[node, 2]`, by one of `WHOLE_METRICS`.

    G. Reinelt, "TSPLIB95", 1995, sections 2.1 and 2.2; of degrees its programs take the whole
    part, where the text says that they are rounded. Of GEO, x is the latitude and y the longitude.
    """
    import numpy as np

    if metric == "GEO":  # degrees.minutes
        pair = ((at, np.trunc(at)) for at in (points, others))
        points, others = (PI * (whole + 5.0 * (at - whole) / 3.0) / 180.0 for at, whole in pair)
    x, y = (np.subtract.outer(one, other) for one, other in zip(points.T, others.T, strict=True))
    found: Floats
    match metric:
        case "CEIL_2D":
            found = np.ceil(np.sqrt(x * x + y * y))
        case "ATT":  # the root of a tenth of the squared distance, rounded, and never down
            root = np.sqrt((x * x + y * y) / 10.0)
            nearest = np.floor(root + 0.5)
            found = np.where(nearest < root, nearest + 1, nearest)
        case "MAN_2D":
            found = np.floor(abs(x) + abs(y) + 0.5)
        case "MAX_2D":
            found = np.maximum(np.floor(abs(x) + 0.5), np.floor(abs(y) + 0.5))
        case _:
            together = np.cos(np.add.outer(points[:, 0], others[:, 0]))
            east = np.cos(y)
            cosine = 0.5 * ((1.0 + east) * np.cos(x) - (1.0 - east) * together)
            found = np.floor(RADIUS * np.arccos(cosine.clip(-1, 1)) + 1.0)
    return found


@dataclass(frozen=True, slots=True)
class Instance(routing.PlaneInstance):
    """Nodes to be visited; `reference` is the length of the best known tour, if any is known.

    `metric` is TSPLIB's word for distances that are not Euclidean, else empty. EXPLICIT ones are
    the `weights` of nodes i < j, row by row; their `points` are for show, or there are none.
    """

    name: str
    points: routing.Points
    rounded: bool = False
    reference: float | None = None
    metric: str = ""
    weights: tuple[float, ...] = ()

    def __hash__(self) -> int:
        """By name and size: hashing all nodes would take longer than a step of a walk."""
        return hash((self.name, self.size, self.rounded))

    @property
    def size(self) -> int:
        """Number of nodes; of a table the one that has as many pairs."""
        return (1 + isqrt(1 + 8 * len(self.weights))) // 2 if self.weights else len(self.points)

    @property
    def is_roundable(self) -> bool:
        """Whether distances in whole numbers mean anything."""
        return bool(self.metric) or routing.is_roundable(self.points)

    def distance(self, node: int, other: int) -> float:
        """The distance of two nodes, bit for bit that of the matrix."""
        if self.metric:
            return float(matrix(self)[node, other])
        return routing.distance(self.points, node, other, self.rounded)

    def length(self, tour: Sequence[int]) -> float:
        """The length of a closed tour, correctly rounded: where it starts makes no difference."""
        closed = [*tour, tour[0]]
        if self.metric:
            return fsum(self.distance(*leg) for leg in pairwise(closed))
        return routing.length(self.points, closed, self.rounded)


def build_matrix(instance: Instance) -> NDArray[np.float64]:
    """All distances, read-only for good: the array lies in a bytes object."""
    import numpy as np

    if not instance.metric:
        return routing.build_matrix(instance.points, instance.rounded)
    if instance.weights:
        table = np.zeros((instance.size, instance.size))
        table[np.triu_indices(instance.size, 1)] = instance.weights
        table += table.T
        return np.frombuffer(table.tobytes()).reshape(table.shape)
    points = np.array(instance.points)
    nodes = np.arange(len(points))

    def build(rows: slice) -> NDArray[np.float64]:
        found = measure(instance.metric, points[rows], points)
        found[nodes[rows, None] == nodes] = 0
        return found

    return routing.stack(len(points), build)


@lru_cache(maxsize=1)
def matrix(instance: Instance) -> NDArray[np.float64]:
    """The distances of the instance that was asked for last."""
    return build_matrix(instance)


def random_points(seed: int, size: int, nodes: int) -> list[routing.Points]:
    """`size` times `nodes` points, uniform in the unit square, from NumPy's legacy generator."""
    from numpy.random import RandomState

    drawn = RandomState(seed).random_sample((size, nodes, 2)).tolist()
    return [tuple((x, y) for x, y in points) for points in drawn]


def as_record(instance: Instance) -> Record:
    """An instance as the library keeps it: its tables as `formats.read_tsplib` has them."""
    import numpy as np

    tables: dict[str, NDArray[Any]] = {"coords": np.array(instance.points).reshape(-1, 2)}
    if instance.metric:
        tables["metric"] = np.array([instance.metric], dtype="<U8")
    if instance.weights:
        tables["weights"] = np.array(instance.weights)
    return Record(tables, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """An instance that the library kept."""
    points = tuple((x, y) for x, y in record.tables["coords"].tolist())
    metric = str(record.tables["metric"][0]) if "metric" in record.tables else ""
    weights = tuple(record.tables["weights"].tolist()) if "weights" in record.tables else ()
    return Instance(record.name, points, False, record.reference, metric, weights)


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


def _on_grid(points: routing.Points, on_earth: bool) -> routing.Points:
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
