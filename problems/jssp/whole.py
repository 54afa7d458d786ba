"""The job shop of the kind `whole`: an order of operations, and the programs to start from."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from problems.base import Argument, Contract
from problems.jssp.contract import CONTRACT as RULE
from problems.jssp.instances import Instance
from problems.jssp.standalone import pad
from problems.jssp.state import gantt
from problems.jssp.walk import replay, seek
from problems.shared.programs import as_rule
from problems.shared.task import Given, WholeTask


def most_work_remaining(durations, machines):
    """Place the next operation of the job with the most work left (MWKR)."""
    times = [
        [t for t, k in zip(row, line, strict=True) if k >= 0]
        for row, line in zip(durations.tolist(), machines.tolist(), strict=True)
    ]
    next_op = [0] * len(times)
    work_left = [sum(row) for row in times]
    order = []
    for _ in range(sum(map(len, times))):
        waiting = [j for j, row in enumerate(times) if next_op[j] < len(row)]
        job = max(waiting, key=lambda j: work_left[j])
        work_left[job] -= times[job][next_op[job]]
        next_op[job] += 1
        order.append(job)
    return order


# fmt: off
# (the texts below go into prompts as they stand)


def dispatch(times, machines, weight):
    """An active schedule (Giffler and Thompson 1960): its makespan and its order."""
    next_op = [0] * len(times)
    job_ready = [0] * len(times)
    machine_ready = [0] * (1 + max(map(max, machines)))
    work_left = [sum(row) for row in times]
    waiting = [j for j in range(len(times)) if times[j]]
    order = []
    while waiting:
        starts = {
            j: max(job_ready[j], machine_ready[machines[j][next_op[j]]]) for j in waiting
        }
        soonest, first = min((starts[j] + times[j][next_op[j]], j) for j in waiting)
        machine = machines[first][next_op[first]]
        job, best_score = first, -float("inf")
        for j in waiting:
            if machines[j][next_op[j]] != machine or starts[j] >= soonest:
                continue
            score = weight * work_left[j] - starts[j] - times[j][next_op[j]]
            if score > best_score:
                job, best_score = j, score
        end = starts[job] + times[job][next_op[job]]
        job_ready[job] = machine_ready[machine] = end
        work_left[job] -= times[job][next_op[job]]
        next_op[job] += 1
        order.append(job)
        if next_op[job] == len(times[job]):
            waiting.remove(job)
    return max(job_ready), order


def active_schedule(durations, machines):
    """Among the operations that compete for the machine that is free first, the one that starts
    early and leaves much work."""
    times = durations.tolist()
    places = machines.tolist()
    times = [row[: len(row) - line.count(-1)] for row, line in zip(times, places, strict=True)]
    return dispatch(times, places, 0.2)[1]


def best_of_weights(durations, machines):
    """The shortest of the active schedules by several weights of the work left."""
    times = durations.tolist()
    places = machines.tolist()
    times = [row[: len(row) - line.count(-1)] for row, line in zip(times, places, strict=True)]
    weights = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6)
    best = min(weights, key=lambda weight: dispatch(times, places, weight))
    return dispatch(times, places, best)[1]


# fmt: on

SEEDS = (
    as_rule(most_work_remaining, "solve"),
    as_rule(active_schedule, "solve", dispatch),
    as_rule(best_of_weights, "solve", dispatch),
)


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

    folder = Path(__file__).parent
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
