"""Travelling salesman instances: the value, its distances, as a record, drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum, isqrt
from typing import TYPE_CHECKING, Any

from problems.sets.records import Record
from problems.shared import routing
from problems.tsp.sets.metrics import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


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
    if instance.metric:
        return _build_other(instance)
    return routing.build_matrix(instance.points, instance.rounded)


def _build_other(instance: Instance) -> NDArray[np.float64]:
    """All distances of an instance that are not Euclidean, 0 on the diagonal."""
    import numpy as np

    if instance.weights:
        table = np.zeros((instance.size, instance.size))
        table[np.triu_indices(instance.size, 1)] = instance.weights
        table += table.T
        return np.frombuffer(table.tobytes()).reshape(table.shape)
    points = np.array(instance.points)
    nodes = np.arange(len(points))

    def build(rows: slice) -> NDArray[np.float64]:
        found = RULES[instance.metric](points[rows], points)
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
    """An instance as the library keeps it: its tables as `tsplib.read` has them."""
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
