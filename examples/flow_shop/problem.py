"""The permutation flow shop as a whole function: `solve(times) -> order`, by its makespan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, InstanceSet, InvalidAction, Rule, WholeFunction

from .data import Instance, list_sets, load_set
from .programs import RULES, SEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTRACT = Contract(
    task=(
        "Every job passes all machines in the same order, 0, 1, 2 and so on, and all machines do "
        "the jobs in one order. A machine does one job at a time; a job is on one machine at a "
        "time. Find an order after which the last machine is done early."
    ),
    function="solve",
    arguments=(
        Argument("times", "tuple of tuples of int: times[job][machine], 1 to 99", unit="time"),
    ),
    answer="solution",
    result="a list of the numbers of the jobs, from 0, each once, in the order they are done",
    objective="minimise the makespan, the time at which the last job leaves the last machine",
    sizes="20 jobs on 5 or 10 machines, 50 jobs on 5 machines",
)


SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
COLUMNS = 78


@dataclass(frozen=True, slots=True)
class Problem(WholeFunction):
    """A solution is an order of the jobs."""

    name: str = Path(__file__).parent.name
    contract: Contract = CONTRACT
    design: str = "design"
    selection: str = "selection"

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets."""
        return list_sets()

    def load(self, name: str) -> tuple[Instance, ...]:
        """The instances of a set. Raises UnknownName."""
        return load_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return RULES

    def arguments(self, instance: Instance) -> tuple[Any, ...]:
        """The times of all jobs on all machines."""
        return (instance.times,)

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """The makespan of an order. Raises InvalidAction for what is no order of the jobs."""
        jobs = len(instance.times)
        if sorted(solution) != list(range(jobs)):
            raise InvalidAction(f"not an order of the jobs 0 to {jobs - 1}")
        return float(_schedule(instance, solution)[-1][-1])

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """When which job is on each machine, by a sign for each."""
        ends = _schedule(instance, solution)
        scale = COLUMNS / ends[-1][-1]
        rows = [[" "] * COLUMNS for _ in ends[0]]
        for job, row in zip(solution, ends, strict=True):
            for machine, end in enumerate(row):
                begin = end - instance.times[job][machine]
                for column in range(int(scale * begin), int(scale * end)):
                    rows[machine][column] = SIGNS[job % len(SIGNS)]
        return "\n".join("".join(row).rstrip() for row in rows)

    def longest(self, instance: Instance) -> int:
        """One number for each job."""
        return len(instance.times)

    def objective(self, cost: float) -> float:
        """The makespan itself."""
        return cost


def build() -> Problem:
    """The problem."""
    return Problem()


def _schedule(instance: Instance, order: Sequence[int]) -> list[list[int]]:
    """When the jobs of an order leave the machines, a row for each job."""
    ends = []
    ready = [0] * len(instance.times[0])
    for job in order:
        before = 0
        for machine, time in enumerate(instance.times[job]):
            before = max(before, ready[machine]) + time
            ready[machine] = before
        ends.append([*ready])
    return ends
