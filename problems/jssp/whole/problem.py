"""The job shop of the kind `whole`: an order in which the operations are placed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from problems.base import Argument, Contract
from problems.jssp.contract import CONTRACT as RULE
from problems.jssp.standalone import pad
from problems.jssp.state import gantt
from problems.jssp.walk import replay, seek
from problems.jssp.whole.programs import SEEDS
from problems.shared.task import WholeTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.jssp.sets.data import Instance
    from problems.shared.task import Given

TASK = """\
Job shop scheduling. Every job is a fixed sequence of operations; each operation needs one given
machine for a given time, and a machine does one operation at a time. The program returns a list of
jobs, in which every job stands as often as it has operations. From the first to the last, the next
operation of the job named is placed: it starts at the earliest idle interval of its machine, after
its job's previous operation, that is long enough for it (before the first operation and between
operations already placed, which never move), or else after the last operation of the machine. All
times are integers in the same unit; jobs and machines are numbered from 0."""

CONTRACT = Contract(
    task=TASK,
    function="solve",
    arguments=(
        Argument(
            "durations",
            "durations[job, op] is the time of an operation, a 2-D NumPy array of int64, "
            "read-only; 0 behind the last operation of a job",
            unit="time",
        ),
        Argument(
            "machines",
            "machines[job, op] is the machine that it needs, an array like durations; -1 behind "
            "the last operation of a job",
            unit="id",
        ),
    ),
    answer="solution",
    result="the jobs in the order in which their operations are placed, a list of int or a 1-D "
    "NumPy array of int64",
    objective=RULE.objective,
    sizes="winners are judged on 10 jobs on 10 machines, on 20 on 20, and on up to 50 on 20",
)


@dataclass(frozen=True)
class WholeJssp(WholeTask):
    """A solution is a list of jobs, an operation for each, in the order they are placed."""

    contract: Contract = CONTRACT

    folder = Path(__file__).parents[1]
    seed_rules = SEEDS

    def arguments(self, instance: Instance) -> Given:
        """The tables, padded."""
        return tables(instance)

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """The makespan. Raises InvalidAction for what is no order of all operations."""
        return replay(instance, solution)

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """A Gantt chart."""
        (finished,) = seek(instance, solution, [len(solution)])
        return gantt(finished)

    def follow(self, instance: Instance, actions: Sequence[int]) -> list[int]:
        """The actions themselves."""
        return list(actions)

    def longest(self, instance: Instance) -> int:
        """The operations of all jobs."""
        return instance.size


@lru_cache(maxsize=1)
def tables(instance: Instance) -> Given:
    """Durations and machines of the instance that was asked for last, read-only for good."""
    return pad(instance.durations, 0), pad(instance.machines, -1)
