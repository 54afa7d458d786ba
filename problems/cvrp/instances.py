"""Vehicle routing instances: the value, its arrays, as a record, the named sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from problems.base import InstanceSet, split_selection
from problems.sets.library import Published, Record
from problems.shared import routing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float64]"

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


CENTRE50 = CvrpGenerator(50, "centre", (50, 50))
RANDOM50 = CvrpGenerator(50, "random", (30, 80))
RANDOM200 = CvrpGenerator(200, "random", (80, 80))

OWN = {"design": ((7103, 7104), 256), "selection": ((7105, 7106), 256)}
"""Seeds of the two halves, and size, of the sets that searches look at."""

FORMER_SEEDS = (7101, 7102)
CVRP50_SEED = 5_100_050
CVRP200_SEED = 1234
"""The instances of another version of the file in LEHD's repository that `cvrp200-paper` is."""
SEEDS_FROM = 5_200_000
"""The seed of `random-N` is N more."""

GENERATED = (
    InstanceSet(
        "design",
        256,
        "256 random CVRP50, for searches: by turns a centre depot and Q = 50, a random depot and "
        "Q from 30 to 80",
        design=True,
    ),
    InstanceSet("selection", 256, "256 more, to choose a run's winner", design=True),
    InstanceSet("design-64", 64, "64 random CVRP50, once the design set", design=True),
    InstanceSet("cvrp50", 100, "100 random CVRP50, centre depot, Q = 50", "substitute"),
    InstanceSet("cvrp200", 128, "128 random CVRP200, random depot, Q = 80", "substitute"),
    InstanceSet("random-100", 100, "100 random CVRP100, options depot and capacity", "substitute"),
)

GITHUB = "https://raw.githubusercontent.com/CIAM-Group/NCO_code"
LEHD = "single_objective/LEHD/CVRP/data"


def in_vrplib192(record: Record) -> bool:
    """Whether it is one of the paper's CVRPLIB instances: seven sets but for one instance."""
    return (
        re.fullmatch(r"[ABEFMPX]-n\d+-k\d+", record.name) is not None
        and record.name != "P-n55-k8"  # the same customers as P-n55-k7
    )


PUBLISHED = (
    Published(
        InstanceSet("cvrp200-paper", 128, "LEHD's 128 CVRP200, random depot, Q = 80", "likely"),
        "5de5c7dc09eb8262568c85def88cc8f3cecab4287b738cf0755dfd2de31d099d",
        f"{GITHUB}/57b1daa932c92a6b50340292d161ab8aa48d3c28/{LEHD}/vrp200_test_lkh.txt",
    ),
    Published(
        InstanceSet(
            "vrplib", 192, "CVRPLIB's sets A, B, E, F, M, P, X; best known of rounded distances"
        ),
        "bae444dc5bf02bb657e61f311bcaa5b472d74f2d5cf96532afbbd7511f9eb39c",
        f"{GITHUB}/959da4f3b050fb86938d03cedfde73d628855a77/{LEHD}/vrplib_192instances.txt",
        in_vrplib192,
    ),
)


def generated(name: str, custom: CvrpGenerator) -> tuple[Instance, ...]:
    """The instances of a generated set, none for other names.

    `random-N` exists for every N from 2 to 5000; `custom` says how it is drawn, for any N. With
    `selection-` before its name a set is drawn the same way from other seeds.
    """
    if name in OWN:
        return _by_turns(name, *OWN[name])
    like, apart = split_selection(name)
    match like:
        case "design-64":
            one, other = FORMER_SEEDS
            return _numbered(name, _geometries((one + apart, other + apart), 32))
        case "cvrp50":
            return tuple(draw(name, CVRP50_SEED + apart, 100, CENTRE50))
        case "cvrp200":
            return tuple(draw(name, CVRP200_SEED + apart, 128, RANDOM200))
    found = re.fullmatch(r"random-([1-9]\d*)", like)
    if found is None or not 2 <= (customers := int(found[1])) <= 5000:
        return ()
    seed = SEEDS_FROM + customers + apart
    return tuple(draw(name, seed, 100, replace(custom, customers=customers)))


def _by_turns(name: str, seeds: tuple[int, int], size: int) -> tuple[Instance, ...]:
    """Both geometries by turns, so that the first instances stand for all of them."""
    return _numbered(name, zip(*_geometries(seeds, size // 2), strict=True))


def _geometries(seeds: tuple[int, int], size: int) -> tuple[tuple[Instance, ...], ...]:
    """`size` instances of each of two geometries: rules tuned on one do not transfer."""
    kinds = zip(seeds, (CENTRE50, RANDOM50), strict=True)
    return tuple(tuple(draw("", seed, size, kind)) for seed, kind in kinds)


def _numbered(name: str, groups: Iterable[Iterable[Instance]]) -> tuple[Instance, ...]:
    drawn = (one for group in groups for one in group)
    return tuple(replace(one, name=f"{name}/{index}") for index, one in enumerate(drawn))
