"""What a schedule leaves to gain: its bound, idle time, and exchanges on its critical path."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from problems.jssp.simulator import seek

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.jssp.sets.data import Instance

    Operation = tuple[int, int]
    """A job and the number of its operation."""

    Lines = list[list[Operation]]
    """The operations of every machine in order of time."""


def leftover(instance: Instance, actions: Sequence[int]) -> Mapping[str, float]:
    """Shares of the makespan and of idle time, in per cent; `actions` are a whole rollout."""
    (state,) = seek(instance, actions, [len(actions)])
    lines = [[(placed.job, placed.operation) for placed in line] for line in state.machines]
    starts = {(p.job, p.operation): p.start for line in state.machines for p in line}
    makespan = state.makespan
    bound = max(_machine_bounds(instance) + _job_bounds(instance))
    pairs = _critical_pairs(instance, lines, starts)
    reached = [found for pair in pairs if (found := _exchange(instance, lines, pair)) is not None]
    best = min(reached, default=makespan)
    busiest = max(range(len(lines)), key=lambda k: _load(instance, lines[k]))
    end = max((placed.end for placed in state.machines[busiest]), default=0)
    idle = end - _load(instance, lines[busiest])
    return {
        "makespan above its lower bound (%)": 100 * (makespan - bound) / bound if bound else 0.0,
        "the busiest machine is idle before its last end (%)": 100 * idle / end if end else 0.0,
        "the best exchange of neighbours on a critical path would save (%)": 100
        * max(0, makespan - best)
        / (makespan or 1),
    }


def traits(instance: Instance) -> Mapping[str, float]:
    """What the lower bound comes from: below 1 from a machine, above 1 from a job."""
    machine = max(_machine_bounds(instance))
    return {"longest job over busiest machine": max(_job_bounds(instance)) / (machine or 1)}


def _job_bounds(instance: Instance) -> list[int]:
    return [sum(row) for row in instance.durations]


def _machine_bounds(instance: Instance) -> list[int]:
    """By machine: its work, the least time before any of it, and the least time after."""
    heads: list[list[int]] = [[] for _ in range(instance.machine_count)]
    tails: list[list[int]] = [[] for _ in range(instance.machine_count)]
    work = [0] * instance.machine_count
    for durations, machines in zip(instance.durations, instance.machines, strict=True):
        done = 0
        for duration, machine in zip(durations, machines, strict=True):
            heads[machine].append(done)
            done += duration
            tails[machine].append(sum(durations) - done)
            work[machine] += duration
    parts = zip(heads, work, tails, strict=True)
    return [min(head, default=0) + busy + min(tail, default=0) for head, busy, tail in parts]


def _load(instance: Instance, line: Sequence[Operation]) -> int:
    return sum(instance.durations[job][operation] for job, operation in line)


def _critical_pairs(
    instance: Instance, lines: Lines, starts: Mapping[Operation, int]
) -> list[tuple[Operation, Operation]]:
    """Neighbours on a machine along one critical path, the last operations of it first.

    Operations without a duration may stand before each other in turn; a path ends at the second
    sight of one.
    """
    ends = {(j, o): start + instance.durations[j][o] for (j, o), start in starts.items()}
    before = {b: a for line in lines for a, b in pairwise(line)}
    current: Operation | None = max(ends, key=lambda one: (ends[one], one), default=None)
    pairs = []
    seen: set[Operation] = set()
    while current is not None and starts[current] and current not in seen:
        seen.add(current)
        job, operation = current
        own = (job, operation - 1) if operation else None
        other = before.get(current)
        if other is not None and ends[other] == starts[current]:
            if other[0] != job:
                pairs.append((other, current))
            own = other
        current = own
    return pairs


def _exchange(instance: Instance, lines: Lines, pair: tuple[Operation, Operation]) -> int | None:
    """The makespan after two neighbours on a machine change places, None where they cannot."""
    first, second = pair
    machine = instance.machines[first[0]][first[1]]
    line = list(lines[machine])
    place = line.index(first)
    line[place : place + 2] = [second, first]
    return _makespan([*lines[:machine], line, *lines[machine + 1 :]], instance)


def _makespan(lines: Lines, instance: Instance) -> int | None:
    """The makespan of an order of operations on every machine, None where it contradicts a job."""
    job_ready = [0] * instance.jobs
    machine_ready = [0] * len(lines)
    next_op = [0] * instance.jobs
    place = [0] * len(lines)
    waiting = list(range(len(lines)))
    while waiting:
        machine = waiting.pop()
        while place[machine] < len(lines[machine]):
            job, operation = lines[machine][place[machine]]
            if next_op[job] != operation:
                break
            end = max(job_ready[job], machine_ready[machine]) + instance.durations[job][operation]
            job_ready[job] = machine_ready[machine] = end
            next_op[job] += 1
            place[machine] += 1
            if operation + 1 < len(instance.machines[job]):
                waiting.append(instance.machines[job][operation + 1])
    return max(job_ready) if sum(place) == instance.size else None
