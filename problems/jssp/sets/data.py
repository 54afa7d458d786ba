"""Job shop instances: the value, the recipe of the paper's random sets, the JSPLIB format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.sets.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Row = tuple[int, ...]

LONGEST = 2**31 - 1
"""The longest duration in a file: sums of them stay exact."""


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


def read_jsplib(text: str, name: str) -> Instance:
    """An instance in the standard text format of JSPLIB.

    After a `#` comes a comment; then `jobs machines`, then one line a job of `machine duration`
    pairs. Two tables, a line a job of durations and then a line a job of machines, are read as
    well. Machines are numbered from 0 or from 1. Raises UserError naming the line that does not
    fit.
    """
    bare = (line.partition("#")[0].split() for line in text.splitlines())
    lines = [(f"{name}, line {number}", words) for number, words in enumerate(bare, 1) if words]
    if not lines:
        raise UserError(f"{name}: no line says how many jobs and machines there are")
    where, sizes = lines[0]
    jobs, machines = _whole(sizes, 2, where)
    if jobs < 1 or machines < 1:
        raise UserError(f"{where}: a shop needs at least one job and one machine")
    rows = lines[1:]
    if len(rows) == 2 * jobs and all(len(words) == machines for _, words in rows):
        numbers = [_whole(words, machines, at) for at, words in rows]
        return as_shop(name, numbers[:jobs], numbers[jobs:], [at for at, _ in rows[jobs:]])
    if len(rows) != jobs:
        raise UserError(f"{lines[-1][0]}: {jobs} jobs announced, {len(rows)} found")
    numbers = [_whole(words, 2 * machines, at) for at, words in rows]
    durations = [row[1::2] for row in numbers]
    return as_shop(name, durations, [row[0::2] for row in numbers], [at for at, _ in rows])


def as_shop(
    name: str, durations: Sequence[Row], machines: Sequence[Row], places: Sequence[str]
) -> Instance:
    """A shop read from a file, its machines numbered from 0 or from 1.

    `places` say where each job stands. Raises UserError for a job that does not visit each machine
    once, and for a duration out of range.
    """
    first = min(min(row) for row in machines)
    count = len(machines[0])
    if first not in (0, 1):
        first = 0
    for place, times, order in zip(places, durations, machines, strict=True):
        if sorted(order) != list(range(first, first + count)):
            last = first + count - 1
            raise UserError(f"{place}: a job must visit each machine from {first} to {last} once")
        if min(times) < 0:
            raise UserError(f"{place}: a duration is negative")
        if max(times) > LONGEST:
            raise UserError(f"{place}: a duration is longer than {LONGEST}")
    numbered = tuple(tuple(machine - first for machine in row) for row in machines)
    return Instance(name, tuple(map(tuple, durations)), numbered)


def _whole(words: list[str], count: int, where: str) -> Row:
    if len(words) != count:
        raise UserError(f"{where}: expected {count} numbers, found {len(words)}")
    try:
        return tuple(int(word) for word in words)
    except ValueError as error:
        raise UserError(f"{where}: expected whole numbers only") from error
