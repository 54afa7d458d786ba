"""Job shops of one size side by side, in compiled code: operations are placed by its rules.

A test compares them with `problems.jssp` state by state.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numba import njit

from problems.jssp.instances import Instance
from problems.jssp.state import State


class Shops(NamedTuple):
    """Partial schedules of B shops with n jobs of m operations on M machines.

    `durations` and `machines` [B, n, m]; `next_op` [B, n] counts the placed operations of a job,
    `ready` [B, n] is the end of the last of them, `left` [B, n] the work not placed yet and
    `earliest` [B, n] the start that its next operation would get. `placed` [B, M] counts the
    operations on a machine, `starts` and `ends` [B, M, P] are theirs in order of time, `load`
    [B, M] is its work not placed yet. Times are float64, counts int64.
    """

    durations: np.ndarray
    machines: np.ndarray
    next_op: np.ndarray
    ready: np.ndarray
    left: np.ndarray
    earliest: np.ndarray
    placed: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    load: np.ndarray


def empty(durations: np.ndarray, machines: np.ndarray) -> Shops:
    """Nothing placed yet, in shops of these tables [B, n, m]."""
    shops = _allocate(durations, machines)
    add_up(shops)
    return shops


def _allocate(durations: np.ndarray, machines: np.ndarray) -> Shops:
    """Room for schedules of these shops, without what `add_up` writes."""
    count, jobs, _ = durations.shape
    lines = int(machines.max()) + 1
    visits = np.arange(count)[:, None] * lines + machines.reshape(count, -1)
    room = int(np.bincount(visits.ravel()).max())
    return Shops(
        durations=np.ascontiguousarray(durations, np.float64),
        machines=np.ascontiguousarray(machines, np.int64),
        next_op=np.zeros((count, jobs), np.int64),
        ready=np.zeros((count, jobs)),
        left=np.zeros((count, jobs)),
        earliest=np.zeros((count, jobs)),
        placed=np.zeros((count, lines), np.int64),
        starts=np.zeros((count, lines, room)),
        ends=np.zeros((count, lines, room)),
        load=np.zeros((count, lines)),
    )


def recall(states: Sequence[State]) -> Shops:
    """Where schedules of one shop stand, side by side."""
    durations, machines = tables([state.instance for state in states[:1]])
    count = len(states)
    shops = _allocate(durations.repeat(count, axis=0), machines.repeat(count, axis=0))
    shops.next_op[:] = [state.next_op for state in states]
    shops.ready[:] = [state.job_ready for state in states]
    lines = [line for state in states for line in state.machines]
    shops.placed[:] = np.array([len(line) for line in lines]).reshape(count, -1)
    numbers = chain.from_iterable(chain.from_iterable(lines))
    placed = np.fromiter(numbers, np.int64).reshape(-1, 4)  # start, end, job, operation
    is_placed = np.arange(shops.starts.shape[2]) < shops.placed[:, :, None]
    shops.starts[is_placed] = placed[:, 0]
    shops.ends[is_placed] = placed[:, 1]
    add_up(shops)
    return shops


def tables(instances: Sequence[Instance]) -> tuple[np.ndarray, np.ndarray]:
    """Durations and machines of instances that share one size, [B, n, m] each."""
    return (
        np.array([instance.durations for instance in instances]),
        np.array([instance.machines for instance in instances]),
    )


@njit(cache=True, nogil=True)
def add_up(shops):  # type: ignore[no-untyped-def]
    """Write `left`, `load` and `earliest` from what is placed."""
    count, jobs, length = shops.durations.shape
    shops.left[:] = 0
    shops.load[:] = 0
    for b in range(count):
        for job in range(jobs):
            for operation in range(shops.next_op[b, job], length):
                duration = shops.durations[b, job, operation]
                shops.left[b, job] += duration
                shops.load[b, shops.machines[b, job, operation]] += duration
            if shops.next_op[b, job] < length:
                shops.earliest[b, job] = _find_gap(shops, b, job)[0]


@njit(cache=True, nogil=True)
def place(shops, chosen):  # type: ignore[no-untyped-def]
    """Place the next operation of job `chosen[b]` in each shop, in the first gap that holds it.

    The jobs must not be finished.
    """
    for b in range(len(chosen)):
        job = chosen[b]
        operation = shops.next_op[b, job]
        machine = shops.machines[b, job, operation]
        duration = shops.durations[b, job, operation]
        start, at = _find_gap(shops, b, job)
        for later in range(shops.placed[b, machine], at, -1):
            shops.starts[b, machine, later] = shops.starts[b, machine, later - 1]
            shops.ends[b, machine, later] = shops.ends[b, machine, later - 1]
        shops.starts[b, machine, at] = start
        shops.ends[b, machine, at] = start + duration
        shops.placed[b, machine] += 1
        shops.ready[b, job] = start + duration
        shops.next_op[b, job] += 1
        shops.left[b, job] -= duration
        shops.load[b, machine] -= duration
        _update(shops, b, job, machine)


@njit(cache=True, nogil=True)
def _find_gap(shops, b, job):  # type: ignore[no-untyped-def]
    """The start of a job's next operation and its place on the machine."""
    operation = shops.next_op[b, job]
    machine = shops.machines[b, job, operation]
    duration = shops.durations[b, job, operation]
    idle_from = 0.0
    for at in range(shops.placed[b, machine]):
        start = max(shops.ready[b, job], idle_from)
        if start + duration <= shops.starts[b, machine, at]:
            return start, at
        idle_from = shops.ends[b, machine, at]
    return max(shops.ready[b, job], idle_from), shops.placed[b, machine]


@njit(cache=True, nogil=True)
def _update(shops, b, placed, machine):  # type: ignore[no-untyped-def]
    """The earliest starts of the job that was placed and of those that wait for its machine."""
    length = shops.durations.shape[2]
    for job in range(shops.durations.shape[1]):
        operation = shops.next_op[b, job]
        if operation == length:
            continue
        if job == placed or shops.machines[b, job, operation] == machine:
            shops.earliest[b, job] = _find_gap(shops, b, job)[0]
