"""A compiled copy of the job shop's rules: states inside recorded episodes, fast enough to train.

Operations are nodes, node = job * length + operation, as in `graphs`. A test compares it with
`problems.jssp` state by state.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def snapshots(durations, machines, actions, steps, bounds, previous, next_op):  # type: ignore[no-untyped-def]
    """Replay episode after episode and record each right before step `steps[i]`.

    `durations`, `machines` [B, n, m] and `actions` [B, n * m] describe B episodes. Written are
    `bounds` [B, n, m] (end-time lower bounds), `previous` [B, n * m] (the node before on the
    machine, -1 where none) and `next_op` [B, n].
    """
    for i in range(len(steps)):
        _replay(
            durations[i], machines[i], actions[i, : steps[i]], bounds[i], previous[i], next_op[i]
        )


@njit(cache=True)
def _replay(durations, machines, actions, bounds, previous, next_op):  # type: ignore[no-untyped-def]
    jobs, length = durations.shape
    line = np.empty((machines.max() + 1, jobs), np.int64)
    count = np.zeros(machines.max() + 1, np.int64)
    start = np.zeros(jobs * length)
    end = np.zeros(jobs * length)
    ready = np.zeros(jobs)
    next_op[:] = 0
    for job in actions:
        node = job * length + next_op[job]
        machine = machines[job, next_op[job]]
        duration = durations[job, next_op[job]]
        start[node] = _insert(
            line[machine], count[machine], node, ready[job], duration, start, end
        )
        ready[job] = end[node] = start[node] + duration
        count[machine] += 1
        next_op[job] += 1
    _write_bounds(durations, line, count, end, ready, bounds, previous, next_op)


@njit(cache=True)
def _insert(line, count, node, ready, duration, start, end):  # type: ignore[no-untyped-def]
    """Put `node` into the first gap of a machine that holds it and return its start."""
    idle_from = 0.0
    place = 0
    while place < count and max(ready, idle_from) + duration > start[line[place]]:
        idle_from = end[line[place]]
        place += 1
    for at in range(count, place, -1):
        line[at] = line[at - 1]
    line[place] = node
    return max(ready, idle_from)


@njit(cache=True)
def _write_bounds(durations, line, count, end, ready, bounds, previous, next_op):  # type: ignore[no-untyped-def]
    jobs, length = durations.shape
    for job in range(jobs):
        bound = ready[job]
        for operation in range(length):
            if operation < next_op[job]:
                bounds[job, operation] = end[job * length + operation]
            else:
                bound += durations[job, operation]
                bounds[job, operation] = bound
    previous[:] = -1
    for machine in range(len(count)):
        for place in range(1, count[machine]):
            previous[line[machine, place]] = line[machine, place - 1]
