"""The rules of the job shop: place the operations of all jobs in the order of a program.

An instance is a pair of tables: operation `o` of job `j` takes `durations[j][o]` on machine
`machines[j][o]`. The program returns a list of jobs; the next operation of each starts in the
earliest idle interval of its machine, after its job's previous operation, that is long enough.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Table = tuple[tuple[int, ...], ...]


def solve(program: Callable[..., Any], tables: tuple[Table, Table]) -> tuple[list[int], int]:
    """The jobs in the order in which the program places them, and the makespan."""
    durations, machines = tables
    columns = max(map(len, durations))
    times = np.array([[*row, *[0] * (columns - len(row))] for row in durations])
    places = np.array([[*row, *[-1] * (columns - len(row))] for row in machines])
    times.flags.writeable = places.flags.writeable = False
    order = [int(job) for job in program(times, places)]
    operations = [job for job, row in enumerate(durations) for _ in row]
    if sorted(order) != operations:
        raise ValueError("not an order of all operations")
    next_op = [0] * len(durations)
    job_ready = [0] * len(durations)
    lines: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(map(max, machines)))]
    for job in order:
        line = lines[machines[job][next_op[job]]]
        duration = durations[job][next_op[job]]
        start = earliest_start(line, job_ready[job], duration)
        line.append((start, start + duration))
        line.sort()
        next_op[job] += 1
        job_ready[job] = start + duration
    return order, max(job_ready)


def earliest_start(line: list[tuple[int, int]], ready: int, duration: int) -> int:
    """The start of the first idle interval that fits; placed operations never move."""
    idle_from = 0
    for start, end in line:
        if max(ready, idle_from) + duration <= start:
            break
        idle_from = end
    return max(ready, idle_from)
