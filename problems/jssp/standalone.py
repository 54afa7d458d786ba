"""The rules of the job shop in plain Python: solve an instance with a program, step by step.

An instance is a pair of tables: operation `o` of job `j` takes `durations[j][o]` on machine
`machines[j][o]`. At every step the program scores the next operation of each unfinished job;
the highest score is placed, ties go to the lowest job. The operation starts in the earliest
idle interval of its machine, after its job's previous operation, that is long enough for it.
"""

from collections.abc import Callable
from typing import NamedTuple

Table = tuple[tuple[int, ...], ...]


class Instance(NamedTuple):
    """A job shop."""

    durations: Table
    machines: Table


class State(NamedTuple):
    """The schedule so far, as a program sees it."""

    instance: Instance
    makespan: int
    step: int
    smallest_start: int
    mean_remaining_work: float


class Feature(NamedTuple):
    """The next operation of an unfinished job, as a program sees it."""

    job_id: int
    op_index: int
    machine_id: int
    processing_time: int
    remaining_work: int
    earliest_start: int
    earliest_finish: int
    job_ready_time: int
    machine_ready_time: int
    machine_total_work: int
    machine_queue_len: int
    job_progress: float
    lower_bound_after: int
    next_machine_total_work: int
    next_machine_queue_len: int


Line = list[tuple[int, int]]
"""The operations placed on one machine, in order of time: start and end."""


def solve(
    score: Callable[[Feature, State], float], tables: tuple[Table, Table]
) -> tuple[list[int], int]:
    """The jobs in the order in which the program places them, and the makespan."""
    instance = Instance(*tables)
    durations, machines = instance
    next_op = [0] * len(durations)
    job_ready = [0] * len(durations)
    lines: list[Line] = [[] for _ in range(1 + max(map(max, machines)))]
    taken: list[int] = []
    while unfinished := [j for j, row in enumerate(durations) if next_op[j] < len(row)]:
        shown = {job: feature(instance, job, next_op, job_ready, lines) for job in unfinished}
        state = State(
            instance,
            max(job_ready),
            len(taken),
            min(one.earliest_start for one in shown.values()),
            sum(one.remaining_work for one in shown.values()) / len(shown),
        )
        scores = {job: float(score(shown[job], state)) for job in unfinished}
        job = max(unfinished, key=lambda job: (scores[job], -job))
        line = lines[machines[job][next_op[job]]]
        duration = durations[job][next_op[job]]
        start = earliest_start(line, job_ready[job], duration)
        line.append((start, start + duration))
        line.sort()
        next_op[job] += 1
        job_ready[job] = start + duration
        taken.append(job)
    return taken, max(job_ready)


def earliest_start(line: Line, ready: int, duration: int) -> int:
    """The start of the first idle interval that fits; placed operations never move."""
    idle_from = 0
    for start, end in line:
        if max(ready, idle_from) + duration <= start:
            break
        idle_from = end
    return max(ready, idle_from)


def feature(
    instance: Instance, job: int, next_op: list[int], job_ready: list[int], lines: list[Line]
) -> Feature:
    """What a program sees of a job's next operation."""
    durations, machines = instance
    operation = next_op[job]
    machine = machines[job][operation]
    duration = durations[job][operation]
    line = lines[machine]
    start = earliest_start(line, job_ready[job], duration)
    waiting = [rest[0] for j, row in enumerate(machines) if (rest := row[next_op[j] :])]
    later = machines[job][operation + 1 : operation + 2]

    def unplaced(k: int) -> int:
        return sum(
            durations[j][o]
            for j, row in enumerate(machines)
            for o in range(next_op[j], len(row))
            if row[o] == k
        )

    left = sum(durations[job][operation:])
    return Feature(
        job_id=job,
        op_index=operation,
        machine_id=machine,
        processing_time=duration,
        remaining_work=left,
        earliest_start=start,
        earliest_finish=start + duration,
        job_ready_time=job_ready[job],
        machine_ready_time=line[-1][1] if line else 0,
        machine_total_work=unplaced(machine),
        machine_queue_len=waiting.count(machine),
        job_progress=operation / len(durations[job]),
        lower_bound_after=start + left,
        next_machine_total_work=sum(map(unplaced, later)),
        next_machine_queue_len=sum(map(waiting.count, later)),
    )
