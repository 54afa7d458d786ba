"""The job shop's walk in machine code, which calls a rule in machine code."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, arg-type, assignment"
# (numba types what it compiles)

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from problems.base import Kernel
from problems.jssp.instances import Instance
from problems.jssp.standalone import Feature, InstanceView, PaperState
from problems.jssp.walk import watch

INT = types.int64
TABLE = types.Array(types.int32, 2, "C", readonly=True)
FEATURE = types.NamedTuple((*(INT,) * 11, types.float64, INT, INT, INT), Feature)
VIEW = types.NamedUniTuple(TABLE, 2, InstanceView)
STATE = types.NamedTuple((VIEW, INT, INT, INT, types.float64), PaperState)


SIGNATURE = types.float64(FEATURE, STATE)


@njit(inline="always")
def _slot(starts, ends, count, ready, duration):
    """As `standalone.find_slot` has it, on one machine with `count` operations."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if starts[middle] < ready + duration:
            low = middle + 1
        else:
            high = middle
    for place in range(low, count):
        start = ready
        if place and ends[place - 1] > ready:
            start = ends[place - 1]
        if start + duration <= starts[place]:
            return start, place
    if count and ends[count - 1] > ready:
        return ends[count - 1], count
    return ready, count


RULE = types.FunctionType(SIGNATURE)


@njit(types.void(INT[::1], RULE, TABLE, TABLE, INT[::1], types.boolean[::1]), cache=True)
def _walk(taken, score, durations, machines, forced, watched):
    """Fill `taken` with jobs; `watched` is a `Watch`. Raises ValueError for no finite score."""
    jobs, operations = durations.shape
    count_machines = machines.max() + 1
    starts = np.zeros((count_machines, jobs + 1), np.int64)
    ends = np.zeros((count_machines, jobs + 1), np.int64)
    counts = np.zeros(count_machines, np.int64)
    next_op = np.zeros(jobs, np.int64)
    ready = np.zeros(jobs, np.int64)
    left = np.zeros(count_machines, np.int64)
    queue = np.zeros(count_machines, np.int64)
    tails = np.zeros((jobs, operations + 1), np.int64)
    scores = np.zeros(jobs)
    stale = np.ones(jobs, np.bool_)
    first = np.zeros(jobs, np.int64)
    moved_start = np.ones(jobs, np.bool_)
    makespan = 0
    view = InstanceView(durations, machines)
    for job in range(jobs):
        for operation in range(operations - 1, -1, -1):
            tails[job, operation] = tails[job, operation + 1] + durations[job, operation]
            left[machines[job, operation]] += durations[job, operation]
        queue[machines[job, 0]] += 1
    for step in range(jobs * operations):
        if step < len(forced):
            best = forced[step]
        else:
            smallest = np.int64(0)
            mean = 0.0
            if watched[4]:
                total = 0
                unfinished = 0
                for job in range(jobs):
                    operation = next_op[job]
                    if operation >= operations:
                        continue
                    if moved_start[job]:
                        machine = np.int64(machines[job, operation])
                        first[job], _ = _slot(
                            starts[machine],
                            ends[machine],
                            counts[machine],
                            ready[job],
                            np.int64(durations[job, operation]),
                        )
                        moved_start[job] = False
                    if not unfinished or first[job] < smallest:
                        smallest = first[job]
                    total += tails[job, operation]
                    unfinished += 1
                mean = total / unfinished
            state = PaperState(view, makespan, step, smallest, mean)
            best = -1
            for job in range(jobs):
                operation = next_op[job]
                if operation >= operations:
                    continue
                if stale[job] or watched[3]:
                    machine = np.int64(machines[job, operation])
                    duration = np.int64(durations[job, operation])
                    start, _ = _slot(
                        starts[machine], ends[machine], counts[machine], ready[job], duration
                    )
                    last = ends[machine, counts[machine] - 1] if counts[machine] else 0
                    tail = tails[job, operation]
                    load = np.int64(0)
                    waiting = np.int64(0)
                    if operation + 1 < operations:
                        later = np.int64(machines[job, operation + 1])
                        load = left[later]
                        waiting = queue[later]
                    found = score(
                        Feature(
                            job,
                            operation,
                            machine,
                            duration,
                            tail,
                            start,
                            start + duration,
                            ready[job],
                            last,
                            left[machine],
                            queue[machine],
                            operation / operations,
                            start + tail,
                            load,
                            waiting,
                        ),
                        state,
                    )
                    if not np.isfinite(found):
                        raise ValueError("non-finite score")
                    scores[job] = found
                    stale[job] = False
                if best < 0 or scores[job] > scores[best]:
                    best = job
        taken[step] = best
        operation = next_op[best]
        machine = np.int64(machines[best, operation])
        duration = np.int64(durations[best, operation])
        start, place = _slot(
            starts[machine], ends[machine], counts[machine], ready[best], duration
        )
        for k in range(counts[machine], place, -1):
            starts[machine, k] = starts[machine, k - 1]
            ends[machine, k] = ends[machine, k - 1]
        starts[machine, place] = start
        ends[machine, place] = start + duration
        counts[machine] += 1
        ready[best] = start + duration
        next_op[best] = operation + 1
        left[machine] -= duration
        queue[machine] -= 1
        following = -1
        if operation + 1 < operations:
            following = np.int64(machines[best, operation + 1])
            queue[following] += 1
        moved = start + duration > makespan
        if moved:
            makespan = start + duration
        stale[best] = True
        moved_start[best] = True
        for job in range(jobs):
            if next_op[job] < operations:
                needed = machines[job, next_op[job]]
                if needed == machine:
                    moved_start[job] = True
                if (
                    (watched[0] and needed == machine)
                    or (watched[1] and needed == following)
                    or (watched[2] and moved)
                ):
                    stale[job] = True


class JsspKernel(Kernel):
    """See `problems.base.Kernel`."""

    signature = SIGNATURE

    def fits(self, instance: Instance) -> bool:
        """Whether all jobs have as many operations, and short times: tables are arrays."""
        sizes = set(map(len, instance.durations))
        return len(sizes) == 1 and max(map(sum, instance.durations)) < 1 << 31

    def walk(
        self,
        function: Any,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of `Jssp.rollout`. Raises what the program raises."""
        durations, machines = _tables(instance)
        taken = np.empty(durations.size, np.int64)
        seen = watch(reads)
        flags = np.array([seen.machine, seen.queue, seen.makespan, seen.everything, seen.others])
        _walk(taken, function, durations, machines, np.array(forced, np.int64), flags)
        actions: list[int] = taken.tolist()
        return actions


@lru_cache(maxsize=512)
def _tables(instance: Instance) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Durations and machines as read-only arrays."""
    tables = np.array(instance.durations, np.int32), np.array(instance.machines, np.int32)
    for table in tables:
        table.flags.writeable = False
    return tables
