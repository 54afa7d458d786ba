"""Job shop instances: the value, as a record, random ones, Taillard's, the named sets.

E. Taillard, "Benchmarks for basic scheduling problems", 1993. Bounds as collected by
ScheduleOpt/benchmarks, June 2026.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from problems.base import SELECTION, InstanceSet, split_selection
from problems.sets.library import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """A job shop: operation `o` of job `j` takes `durations[j][o]` on `machines[j][o]`.

    Jobs, operations and machines are numbered from 0 and times are integers. `lower` and `upper`
    are the best known bounds on the makespan, None where nothing is known.
    """

    name: str
    durations: tuple[tuple[int, ...], ...]
    machines: tuple[tuple[int, ...], ...]
    lower: int | None = None
    upper: int | None = None

    @property
    def reference(self) -> int | None:
        """The best known makespan, or None."""
        return self.upper

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.durations)

    @property
    def machine_count(self) -> int:
        """Number of machines."""
        return 1 + max(max(row) for row in self.machines)

    @property
    def size(self) -> int:
        """Number of operations, which is the number of decisions."""
        return sum(map(len, self.durations))


def random_instances(name: str, seed: int, size: int, jobs: int, machines: int) -> list[Instance]:
    """`size` instances named `name/0`, `name/1`, ... with durations from 1 to 98.

    The recipe behind the random sets of the paper's tables (seed 300): NumPy's legacy generator
    draws the durations of an instance, then uniforms whose order along a job gives its machines.
    """
    from numpy.random import RandomState

    rng = RandomState(seed)
    instances = []
    for index in range(size):
        durations = rng.randint(1, 99, (jobs, machines))
        orders = rng.random_sample((jobs, machines)).argsort(axis=1)
        instances.append(Instance(f"{name}/{index}", as_rows(durations), as_rows(orders)))
    return instances


def as_rows(array: NDArray[Any]) -> tuple[tuple[int, ...], ...]:
    """A table as an instance holds it."""
    return tuple(tuple(row) for row in array.tolist())


def as_record(instance: Instance) -> Record:
    """An instance as the library keeps it: `durations` and `machines` job by job, `jobs`."""
    import numpy as np

    tables = {
        "durations": np.array(instance.durations, dtype=np.int64).ravel(),
        "machines": np.array(instance.machines, dtype=np.int64).ravel(),
        "jobs": np.array([instance.jobs]),
    }
    return Record(tables, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """An instance that the library kept."""
    jobs = int(record.tables["jobs"][0])
    durations, machines = (
        as_rows(record.tables[name].reshape(jobs, -1)) for name in ("durations", "machines")
    )
    upper = None if record.reference is None else round(record.reference)
    return Instance(record.name, durations, machines, upper=upper)


MODULUS = 2**31 - 1


@dataclass(slots=True)
class Stream:
    """Taillard's linear congruential generator, in the 32-bit form that he published."""

    seed: int

    def draw(self, low: int, high: int) -> int:
        """The next integer from `low` to `high`, both included."""
        quotient, remainder = divmod(self.seed, 127773)
        self.seed = 16807 * remainder - 2836 * quotient
        if self.seed < 0:
            self.seed += MODULUS
        return low + int(self.seed / MODULUS * (high - low + 1))


def taillard_instances(jobs: int, machines: int) -> list[Instance]:
    """The ten instances of one class, named ta01 to ta80. Raises KeyError for another size."""
    first = 1 + 10 * list(CLASSES).index((jobs, machines))
    return [
        Instance(f"ta{number:02}", *_tables(jobs, machines, time_seed, machine_seed), lower, upper)
        for number, (time_seed, machine_seed, lower, upper) in enumerate(
            CLASSES[jobs, machines], start=first
        )
    ]


def _tables(
    jobs: int, machines: int, time_seed: int, machine_seed: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    times = Stream(time_seed)
    swaps = Stream(machine_seed)
    durations = tuple(tuple(times.draw(1, 99) for _ in range(machines)) for _ in range(jobs))
    return durations, tuple(_order(machines, swaps) for _ in range(jobs))


def _order(machines: int, swaps: Stream) -> tuple[int, ...]:
    order = list(range(machines))
    for i in range(machines):
        j = swaps.draw(i, machines - 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


CLASSES: dict[tuple[int, int], tuple[tuple[int, int, int, int], ...]] = {
    (15, 15): (
        (840612802, 398197754, 1231, 1231),
        (1314640371, 386720536, 1244, 1244),
        (1227221349, 316176388, 1218, 1218),
        (342269428, 1806358582, 1175, 1175),
        (1603221416, 1501949241, 1224, 1224),
        (1357584978, 1734077082, 1238, 1238),
        (44531661, 1374316395, 1227, 1227),
        (302545136, 2092186050, 1217, 1217),
        (1153780144, 1393392374, 1274, 1274),
        (73896786, 1544979948, 1241, 1241),
    ),
    (20, 15): (
        (533484900, 317419073, 1357, 1357),
        (1894307698, 1474268163, 1367, 1367),
        (874340513, 509669280, 1342, 1342),
        (1124986343, 1209573668, 1345, 1345),
        (1463788335, 529048107, 1339, 1339),
        (1056908795, 25321885, 1360, 1360),
        (195672285, 1717580117, 1462, 1462),
        (961965583, 1353003786, 1396, 1396),
        (1610169733, 1734469503, 1332, 1332),
        (532794656, 998486810, 1348, 1348),
    ),
    (20, 20): (
        (1035939303, 773961798, 1642, 1642),
        (5997802, 1872541150, 1600, 1600),
        (1357503601, 722225039, 1557, 1557),
        (806159563, 1166962073, 1644, 1644),
        (1902815253, 1879990068, 1595, 1595),
        (1503184031, 1850351876, 1643, 1643),
        (1032645967, 99711329, 1680, 1680),
        (229894219, 1158117804, 1603, 1603),
        (823349822, 108033225, 1625, 1625),
        (1297900341, 489486403, 1562, 1584),
    ),
    (30, 15): (
        (98640593, 1981283465, 1764, 1764),
        (1839268120, 248890888, 1774, 1783),
        (573875290, 2081512253, 1791, 1791),
        (1670898570, 788294565, 1828, 1828),
        (1118914567, 1074349202, 2007, 2007),
        (178750207, 294279708, 1819, 1819),
        (1549372605, 596993084, 1771, 1771),
        (798174738, 151685779, 1673, 1673),
        (553410952, 1329272528, 1795, 1795),
        (1661531649, 1173386294, 1658, 1669),
    ),
    (30, 20): (
        (1841414609, 1357882888, 1926, 2005),
        (2116959593, 1546338557, 1900, 1937),
        (796392706, 1230864158, 1809, 1846),
        (532496463, 254174057, 1961, 1978),
        (2020525633, 978943053, 1997, 1997),
        (524444252, 185526083, 1976, 2002),
        (1569394691, 487269855, 1827, 1889),
        (1460267840, 1631446539, 1921, 1937),
        (198324822, 1937476577, 1938, 1960),
        (38071822, 1541985579, 1848, 1923),
    ),
    (50, 15): (
        (17271, 718939, 2760, 2760),
        (660481279, 449650254, 2756, 2756),
        (352229765, 949737911, 2717, 2717),
        (1197518780, 166840558, 2839, 2839),
        (1376020303, 483922052, 2679, 2679),
        (2106639239, 955932362, 2781, 2781),
        (1765352082, 1209982549, 2943, 2943),
        (1105092880, 1349003108, 2885, 2885),
        (907248070, 919544535, 2655, 2655),
        (2011630757, 1845447001, 2723, 2723),
    ),
    (50, 20): (
        (8493988, 2738939, 2868, 2868),
        (1991925010, 709517751, 2869, 2869),
        (342093237, 786960785, 2755, 2755),
        (1634043183, 973178279, 2702, 2702),
        (341706507, 286513148, 2725, 2725),
        (320167954, 1411193018, 2845, 2845),
        (1089696753, 298068750, 2825, 2825),
        (433032965, 1589656152, 2784, 2784),
        (615974477, 331205412, 3071, 3071),
        (236150141, 592292984, 2995, 2995),
    ),
    (100, 20): (
        (302034063, 1203569070, 5464, 5464),
        (1437643198, 1692025209, 5181, 5181),
        (1792475497, 1039908559, 5568, 5568),
        (1647273132, 1012841433, 5339, 5339),
        (696480901, 1689682358, 5392, 5392),
        (1785569423, 1092647459, 5342, 5342),
        (117806902, 739059626, 5436, 5436),
        (1639154709, 1319962509, 5394, 5394),
        (2007423389, 749368241, 5358, 5358),
        (682761130, 262763021, 5183, 5183),
    ),
}
"""(jobs, machines): ten rows of time seed, machine seed, best known lower and upper bound."""


OWN = {"design": (701, 128), "selection": (702, 128), "design-64": (700, 64)}
"""Seed and size of the sets that searches look at, all 20x20."""

SEEDS = {"random": 300, "validation": 900}
USUAL_SIZES = ((10, 10), (15, 15), (20, 20), (30, 20), (50, 20))


def described() -> tuple[InstanceSet, ...]:
    """All sets by name. `random-NxM` and `validation-NxM` exist for every N and M."""
    return (
        InstanceSet("design", 128, "128 random 20x20, for searches", design=True),
        InstanceSet("selection", 128, "128 more, to choose a run's winner", design=True),
        InstanceSet("design-64", 64, "64 random 20x20, once the design set", design=True),
        InstanceSet("validation-20x20", 100, "100 random 20x20, to choose teachers", design=True),
        *(
            InstanceSet(f"random-{n}x{m}", 100, f"100 random {n}x{m}, durations 1 to 98")
            for n, m in USUAL_SIZES
        ),
        *(
            InstanceSet(f"taillard-{n}x{m}", 10, f"Taillard ta{i}1 to ta{i + 1}0, {n}x{m}")
            for i, (n, m) in enumerate(CLASSES)
        ),
    )


def selection_like(design: str) -> str:
    """The set to choose a winner on after a search on `design`; empty where none is like it."""
    if design in OWN:
        return "selection" if design != "selection" else ""
    name = f"{SELECTION}{design}"
    return name if generated(name) else ""


def generated(name: str) -> tuple[Instance, ...]:
    """The instances of a generated set, none for other names.

    `selection-random-NxM` is drawn as `random-NxM` is, from another seed.
    """
    if name in OWN:
        return tuple(random_instances(name, *OWN[name], 20, 20))
    like, apart = split_selection(name)
    if match := re.fullmatch(r"(random|validation)-([1-9]\d*)x([1-9]\d*)", like):
        seed = SEEDS[match[1]] + apart
        return tuple(random_instances(name, seed, 100, int(match[2]), int(match[3])))
    for jobs, machines in CLASSES:
        if name == f"taillard-{jobs}x{machines}":
            return tuple(taillard_instances(jobs, machines))
    return ()
