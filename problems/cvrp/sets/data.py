"""Vehicle routing instances: the value, its arrays, as a record, drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from problems.sets.records import Record
from problems.shared import routing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

DEPOT = 0
"""The node where every route starts and ends."""

CENTRE = (0.5, 0.5)
"""The depot's place in the middle of the unit square."""

Depot = Literal["centre", "random"]


@dataclass(frozen=True, slots=True)
class Instance(routing.PlaneInstance):
    """A depot, node 0, and customers.

    `demands` and `capacity` are integers in the same unit, the depot's demand is 0. `reference` is
    the best known length of all routes, None where nothing is known.
    """

    name: str
    points: routing.Points
    demands: tuple[int, ...]
    capacity: int
    rounded: bool = False
    reference: float | None = None

    def length(self, way: Sequence[int]) -> float:
        """The length of a way from node to node, correctly rounded."""
        return routing.length(self.points, way, self.rounded)


@dataclass(frozen=True, slots=True)
class CvrpGenerator:
    """How instances are drawn: customers uniform in the unit square, demands from 1 to 9.

    The depot lies in the `centre` or at a `random` place, capacities are drawn from the least to
    the most, both included.
    """

    customers: int
    depot: Depot
    capacities: tuple[int, int]


def build_arrays(instance: Instance) -> tuple[Matrix, NDArray[np.float64]]:
    """All distances and all demands, read-only for good: the arrays lie in bytes objects."""
    import numpy as np

    demands = np.frombuffer(np.array(instance.demands, dtype=np.float64).tobytes())
    return routing.build_matrix(instance.points, instance.rounded), demands


@lru_cache(maxsize=1)
def arrays(instance: Instance) -> tuple[Matrix, NDArray[np.float64]]:
    """The arrays of the instance that was asked for last."""
    return build_arrays(instance)


def draw(name: str, seed: int, size: int, generator: CvrpGenerator) -> Iterator[Instance]:
    """`size` instances named `name/0`, `name/1`, ..., from NumPy's legacy generator.

    The order of the draws, depots, customers, demands, is that of W. Kool, H. van Hoof and M.
    Welling, "Attention, learn to solve routing problems!", 2019.
    """
    from numpy.random import RandomState

    rng = RandomState(seed)
    least, most = generator.capacities
    depots = rng.random_sample((size, 2)).tolist()
    customers = rng.random_sample((size, generator.customers, 2)).tolist()
    demands = rng.randint(1, 10, (size, generator.customers)).tolist()
    capacities = rng.randint(least, most + 1, size).tolist()
    for index in range(size):
        depot = CENTRE if generator.depot == "centre" else tuple(depots[index])
        points = (depot, *map(tuple, customers[index]))
        yield Instance(f"{name}/{index}", points, (0, *demands[index]), capacities[index])


def as_record(instance: Instance) -> Record:
    """An instance as the library keeps it."""
    import numpy as np

    tables = {
        "coords": np.array(instance.points),
        "demands": np.array(instance.demands),
        "capacity": np.array([instance.capacity]),
    }
    return Record(tables, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """An instance that the library kept."""
    points = tuple((x, y) for x, y in record.tables["coords"].tolist())
    demands = tuple(record.tables["demands"].tolist())
    capacity = int(record.tables["capacity"][0])
    return Instance(record.name, points, demands, capacity, reference=record.reference)
