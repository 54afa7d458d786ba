"""The rules of the job shop: build a schedule with a program that chooses a job at every step.

An instance is a pair of tables: operation `o` of job `j` takes `durations[j][o]` on machine
`machines[j][o]`. At every step the program chooses a job, whose next operation starts in the
earliest idle interval of its machine, after its job's previous operation, that is long enough
for it. The program is given all that the rest of the schedule depends on, in arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Table = tuple[tuple[int, ...], ...]

Line = list[tuple[int, int]]
"""The operations placed on one machine, in order of time: start and end."""

OPEN = 10**15
"""End of the idle time after the last operation of a machine."""


def solve(choose: Callable[..., Any], tables: tuple[Table, Table]) -> tuple[list[int], int]:
    """The jobs in the order in which the program chooses them, and the makespan."""
    durations, machines = tables
    fixed = fixed_arrays(durations, machines)
    next_op = [0] * len(durations)
    job_ready = [0] * len(durations)
    lines: list[Line] = [[] for _ in range(1 + max(map(max, machines)))]
    taken: list[int] = []
    while unfinished := [j for j, row in enumerate(durations) if next_op[j] < len(row)]:
        next_start = [-1] * len(durations)
        for job in unfinished:
            line = lines[machines[job][next_op[job]]]
            duration = durations[job][next_op[job]]
            next_start[job] = earliest_start(line, job_ready[job], duration)
        ready = [line[-1][1] if line else 0 for line in lines]
        changing = (next_op, job_ready, ready, next_start)
        gaps = gap_arrays(lines, tables)
        job = int(choose(np.array(unfinished), *fixed, *map(np.array, changing), *gaps))
        line = lines[machines[job][next_op[job]]]
        end = next_start[job] + durations[job][next_op[job]]
        line.append((next_start[job], end))
        line.sort()
        next_op[job] += 1
        job_ready[job] = end
        taken.append(job)
    return taken, max(job_ready)


def fixed_arrays(durations: Table, machines: Table) -> tuple[np.ndarray, ...]:
    """Durations, machines, work left, and the number of operations of each job, read-only."""
    columns = max(map(len, durations))
    times = [[*row, *[0] * (columns - len(row))] for row in durations]
    places = [[*row, *[-1] * (columns - len(row))] for row in machines]
    left = [[sum(row[k:]) for k in range(columns + 1)] for row in times]
    arrays = tuple(map(np.array, (times, places, left, [*map(len, durations)])))
    for array in arrays:
        array.flags.writeable = False
    return arrays


def earliest_start(line: Line, ready: int, duration: int) -> int:
    """The start of the first idle interval that fits; placed operations never move."""
    idle_from = 0
    for start, end in line:
        if max(ready, idle_from) + duration <= start:
            break
        idle_from = end
    return max(ready, idle_from)


def gap_arrays(lines: list[Line], tables: tuple[Table, Table]) -> tuple[np.ndarray, ...]:
    """The idle intervals of each machine: how many, their starts, their ends."""
    durations, machines = tables
    shortest = min(map(min, durations))
    needed = [machine for row in machines for machine in row]
    room = 1 + max(map(needed.count, needed))
    counts = np.zeros(len(lines), dtype=int)
    starts = np.zeros((len(lines), room), dtype=int)
    ends = np.zeros((len(lines), room), dtype=int)
    for machine, line in enumerate(lines):
        idle_from = 0
        for start, end in [*line, (OPEN, OPEN)]:
            if start - idle_from >= shortest:
                starts[machine, counts[machine]] = idle_from
                ends[machine, counts[machine]] = start
                counts[machine] += 1
            idle_from = end
    return counts, starts, ends
