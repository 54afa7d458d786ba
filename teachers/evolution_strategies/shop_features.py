"""What the network reads of each job's next operation: thirty numbers, free of any unit.

Times are in mean durations of the shop, long ones a tenth or a fifth of that. The *bound* is the
largest lower bound on the makespan, over jobs (end of the next operation and the work behind it)
and machines (end of the last operation and the work not placed). Rivals are the other jobs that
wait for the same machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numba import njit

from problems.jssp.state import State
from teachers.evolution_strategies.network import score
from teachers.evolution_strategies.shops import place, recall

FEATURES = 30
OWN, RIVALS, AHEAD, PROGRESS = 0, 13, 21, 29
"""Where groups begin: the operation, its rivals, the job's next two operations, the step."""
RULE = {OWN + 1: -1.0, OWN + 7: 1.0}
"""What can start first; of those, what has the most work behind it."""
FAR = 6.0
"""Differences are cut off here; also what stands for a rival or an operation that is not there."""


def observe(states: Sequence[State]) -> list[np.ndarray]:
    """The features of all jobs in each state, [n, 30]; zero for finished jobs."""
    alike = defaultdict[int, list[int]](list)
    for number, state in enumerate(states):
        alike[id(state.instance)].append(number)
    found = dict[int, np.ndarray]()
    for numbers in alike.values():
        shops = recall([states[number] for number in numbers])
        features = np.zeros((*shops.next_op.shape, FEATURES))
        describe(shops, features)
        found.update(zip(numbers, features, strict=True))
    return [found[number] for number in range(len(states))]


@njit(cache=True, nogil=True)
def describe(shops, features):  # type: ignore[no-untyped-def]
    """Write the features of all open jobs."""
    count, jobs, length = shops.durations.shape
    lines = shops.load.shape[1]
    free = np.zeros(lines)
    waiting = np.zeros(lines)
    for b in range(count):
        unit = max(shops.durations[b].mean(), 1e-9)
        bound, first_start, first_end, longest = _survey(shops, b, free, waiting)
        step = shops.next_op[b].sum() / (jobs * length)
        for job in range(jobs):
            if shops.next_op[b, job] == length:
                continue
            row = features[b, job]
            _describe_own(shops, b, job, row, unit, bound, free)
            row[OWN + 1] = (shops.earliest[b, job] - first_start) / unit
            row[OWN + 2] += (shops.earliest[b, job] - first_end) / unit
            row[OWN + 7] = row[OWN + 6] - longest / unit * 0.1
            _describe_rivals(shops, b, job, row, unit, bound)
            _describe_ahead(shops, b, job, row, unit, bound, free, waiting)
            row[PROGRESS] = step


@njit(cache=True, nogil=True)
def _survey(shops, b, free, waiting):  # type: ignore[no-untyped-def]
    """The bound, the earliest start and end, the most work behind an operation.

    Written are when each machine is `free` behind its last operation, and how many jobs wait.
    """
    jobs, length = shops.next_op.shape[1], shops.durations.shape[2]
    bound = first_start = first_end = longest = 0.0
    seen = False
    waiting[:] = 0
    for machine in range(len(free)):
        last = shops.placed[b, machine] - 1
        free[machine] = shops.ends[b, machine, last] if last >= 0 else 0.0
        bound = max(bound, free[machine] + shops.load[b, machine])
    for job in range(jobs):
        operation = shops.next_op[b, job]
        if operation == length:
            continue
        start = shops.earliest[b, job]
        end = start + shops.durations[b, job, operation]
        behind = shops.left[b, job] - shops.durations[b, job, operation]
        first_start = min(first_start, start) if seen else start
        first_end = min(first_end, end) if seen else end
        seen = True
        longest = max(longest, behind)
        bound = max(bound, end + behind)
        waiting[shops.machines[b, job, operation]] += 1
    return bound, first_start, first_end, longest


@njit(cache=True, nogil=True)
def _describe_own(shops, b, job, row, unit, bound, free):  # type: ignore[no-untyped-def]
    length = shops.durations.shape[2]
    operation = shops.next_op[b, job]
    machine = shops.machines[b, job, operation]
    duration = shops.durations[b, job, operation]
    start = shops.earliest[b, job]
    end = start + duration
    behind = shops.left[b, job] - duration
    load = shops.load[b, machine]
    row[OWN] = duration / unit
    row[OWN + 2] = duration / unit
    row[OWN + 3] = (start - shops.ready[b, job]) / unit
    row[OWN + 4] = max(0.0, start - free[machine]) / unit
    row[OWN + 5] = 1.0 if end <= free[machine] else 0.0
    row[OWN + 6] = behind / unit * 0.1
    row[OWN + 8] = (end + behind - bound) / unit * 0.2
    row[OWN + 9] = (free[machine] + load - bound) / unit * 0.1
    row[OWN + 10] = load / max(shops.load[b].max(), 1e-9)
    row[OWN + 11] = (length - operation) / length
    row[OWN + 12] = (max(free[machine], end) + load - duration - bound) / unit * 0.1


@njit(cache=True, nogil=True)
def _describe_rivals(shops, b, job, row, unit, bound):  # type: ignore[no-untyped-def]
    length = shops.durations.shape[2]
    machine = shops.machines[b, job, shops.next_op[b, job]]
    duration = shops.durations[b, job, shops.next_op[b, job]]
    start = shops.earliest[b, job]
    behind = shops.left[b, job] - duration
    count, work, pushed, pushes = 0, 0.0, -1e18, -1e18
    soonest, first_end, longest = 1e18, 1e18, 0.0
    for other in range(shops.next_op.shape[1]):
        operation = shops.next_op[b, other]
        if other == job or operation == length or shops.machines[b, other, operation] != machine:
            continue
        its_start = shops.earliest[b, other]
        its_duration = shops.durations[b, other, operation]
        count += 1
        work += its_duration
        soonest = min(soonest, its_start)
        first_end = min(first_end, its_start + its_duration)
        longest = max(longest, shops.left[b, other] - its_duration)
        pushes = max(pushes, max(start + duration, its_start) + shops.left[b, other])
        pushed = max(pushed, max(its_start + its_duration, start) + duration + behind)
    row[RIVALS] = (count + 1) * 0.25
    row[RIVALS + 1] = 0.0 if count else 1.0
    row[RIVALS + 2] = _near((soonest - start) / unit)
    row[RIVALS + 3] = _near((first_end - start) / unit)
    row[RIVALS + 4] = (longest - behind) / unit * 0.1 if count else 0.0
    row[RIVALS + 5] = _near((pushes - bound) / unit * 0.2)
    row[RIVALS + 6] = _near((pushed - bound) / unit * 0.2)
    row[RIVALS + 7] = work / unit * 0.2


@njit(cache=True, nogil=True)
def _describe_ahead(shops, b, job, row, unit, bound, free, waiting):  # type: ignore[no-untyped-def]
    length = shops.durations.shape[2]
    operation = shops.next_op[b, job]
    arrival = shops.earliest[b, job] + shops.durations[b, job, operation]
    for further in range(2):
        at = AHEAD + 4 * further
        following = operation + 1 + further
        if following >= length:
            row[at + 1] = -FAR
            continue
        machine = shops.machines[b, job, following]
        duration = shops.durations[b, job, following]
        row[at] = duration / unit
        row[at + 1] = _near((free[machine] - arrival) / unit * 0.5)
        row[at + 2] = (free[machine] + shops.load[b, machine] - bound) / unit * 0.1
        row[at + 3] = waiting[machine] * 0.25
        arrival = max(arrival, free[machine]) + duration


@njit(cache=True, nogil=True)
def follow(shops, layers):  # type: ignore[no-untyped-def]
    """Place the job of the highest score until all are finished; the makespans [B]."""
    count, jobs, length = shops.durations.shape
    features = np.zeros((count, jobs, FEATURES))
    hidden = np.zeros(len(layers.enter_bias))
    chosen = np.zeros(count, np.int64)
    for _ in range(jobs * length):
        describe(shops, features)
        for b in range(count):
            highest = -np.inf
            for job in range(jobs):
                if shops.next_op[b, job] == length:
                    continue
                found = score(layers, features[b, job], hidden)
                if found > highest:
                    chosen[b] = job
                    highest = found
        place(shops, chosen)
    return np.array([shops.ready[b].max() for b in range(count)])


@njit(cache=True, nogil=True)
def _near(difference):  # type: ignore[no-untyped-def]
    return min(max(difference, -FAR), FAR)
