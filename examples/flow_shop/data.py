"""Flow shops: Taillard's, out of his published generator and seeds, and others like them.

E. Taillard, "Benchmarks for basic scheduling problems", 1993. The best makespans of these classes
are known to be optimal.
"""

from __future__ import annotations

from dataclasses import dataclass

from preceptor import InstanceSet, UnknownName

MODULUS = 2**31 - 1

Table = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """`times[job][machine]`; every job passes the machines in their order.

    `reference` is the least makespan, None where it is unknown.
    """

    name: str
    times: Table
    reference: float | None = None


TAILLARD = {
    "taillard-20x5": (20, 5, 1),
    "taillard-20x10": (20, 10, 11),
    "taillard-50x5": (50, 5, 31),
}
"""Jobs, machines and the number of the first of ten instances."""

ROWS = {
    1: (873654221, 1278),
    2: (379008056, 1359),
    3: (1866992158, 1081),
    4: (216771124, 1293),
    5: (495070989, 1235),
    6: (402959317, 1195),
    7: (1369363414, 1234),
    8: (2021925980, 1206),
    9: (573109518, 1230),
    10: (88325120, 1108),
    11: (587595453, 1582),
    12: (1401007982, 1659),
    13: (873136276, 1496),
    14: (268827376, 1377),
    15: (1634173168, 1419),
    16: (691823909, 1397),
    17: (73807235, 1484),
    18: (1273398721, 1538),
    19: (2065119309, 1593),
    20: (1672900551, 1591),
    31: (1328042058, 2724),
    32: (200382020, 2834),
    33: (496319842, 2621),
    34: (1203030903, 2751),
    35: (1730708564, 2863),
    36: (450926852, 2829),
    37: (1303135678, 2725),
    38: (1273398721, 2683),
    39: (587288402, 2552),
    40: (248421594, 2782),
}
"""By number of an instance its time seed and its least makespan."""

TEN = 10
GENERATED = {"design": 500_000_000, "selection": 700_000_000}
"""The first time seed of each generated set; those that follow are one larger each."""

COUNT = 32
SHAPES = ((20, 5), (20, 10))
"""Shapes of the generated shops, by turns."""


def list_sets() -> tuple[InstanceSet, ...]:
    """All sets as they are told."""
    own = tuple(
        InstanceSet(name, COUNT, f"{COUNT} shops, by turns 20x5 and 20x10, generated", design=True)
        for name in GENERATED
    )
    return own + tuple(
        InstanceSet(
            name,
            TEN,
            f"ta{first:03} to ta{first + TEN - 1:03}, {jobs} jobs on {machines} machines",
        )
        for name, (jobs, machines, first) in TAILLARD.items()
    )


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name in TAILLARD:
        jobs, machines, first = TAILLARD[name]
        return tuple(
            Instance(f"ta{number:03}", draw_times(jobs, machines, seed), makespan)
            for number in range(first, first + TEN)
            for seed, makespan in (ROWS[number],)
        )
    if name not in GENERATED:
        raise UnknownName("set", name, (*GENERATED, *TAILLARD))
    return tuple(
        Instance(f"{name}/{k}", draw_times(*SHAPES[k % len(SHAPES)], GENERATED[name] + k))
        for k in range(COUNT)
    )


def draw_times(jobs: int, machines: int, seed: int) -> Table:
    """Times from 1 to 99 by Taillard's generator, machine by machine; `[job][machine]`."""
    rows = []
    for _ in range(machines):
        row = []
        for _ in range(jobs):
            quotient, remainder = divmod(seed, 127773)
            seed = 16807 * remainder - 2836 * quotient
            seed += MODULUS if seed < 0 else 0
            row.append(1 + int(seed / MODULUS * 99))
        rows.append(row)
    return tuple(zip(*rows, strict=True))
