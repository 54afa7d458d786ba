"""The arrays that a program is given: of an instance, and of a state."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from problems.jssp.plan.contract import OPEN
from problems.jssp.state import left_shift

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.jssp.sets.data import Instance
    from problems.jssp.state import Span, State

    Ints = NDArray[np.int64]


class Tables(NamedTuple):
    """What stays the same in all states of an instance; `contract.py` tells the arrays.

    They are read-only for good: they lie in bytes objects.
    """

    durations: Ints
    machines: Ints
    work_left: Ints
    op_count: Ints


class Progress(NamedTuple):
    """What changes from state to state."""

    next_op: Ints
    job_ready: Ints
    machine_ready: Ints
    next_start: Ints
    gap_count: Ints
    gap_start: Ints
    gap_end: Ints


Given = tuple["Ints", ...]
"""The arguments of a program in order."""


def given(tables: Tables, progress: Progress) -> Given:
    """The arguments of a program, the changing ones as copies of its own."""
    candidates = (progress.next_op < tables.op_count).nonzero()[0]
    return (candidates, *tables, *(array.copy() for array in progress))


@lru_cache(maxsize=1)
def tables(instance: Instance) -> Tables:
    """The tables of the instance that was asked for last."""
    columns = max(map(len, instance.durations))
    durations = [_padded(row, columns, 0) for row in instance.durations]
    work_left = [[sum(row[place:]) for place in range(columns + 1)] for row in durations]
    return Tables(
        _fixed(durations),
        _fixed([_padded(row, columns, -1) for row in instance.machines]),
        _fixed(work_left),
        _fixed([len(row) for row in instance.durations]),
    )


def empty(instance: Instance) -> Progress:
    """Nothing placed, in arrays that may be changed."""
    import numpy as np

    needed = [machine for row in instance.machines for machine in row]
    room = 1 + max(map(needed.count, set(needed)))
    machines = instance.machine_count
    progress = Progress(
        next_op=np.zeros(instance.jobs, np.int64),
        job_ready=np.zeros(instance.jobs, np.int64),
        machine_ready=np.zeros(machines, np.int64),
        next_start=np.zeros(instance.jobs, np.int64),
        gap_count=np.ones(machines, np.int64),
        gap_start=np.zeros((machines, room), np.int64),
        gap_end=np.zeros((machines, room), np.int64),
    )
    progress.gap_end[:, 0] = OPEN
    return progress


def set_gaps(progress: Progress, machine: int, idle: Iterable[Span], ready: int) -> None:
    """Enter the idle intervals of a machine, the one after its last operation included."""
    spans = [*idle, (ready, OPEN)]
    count = len(spans)
    progress.gap_count[machine] = count
    progress.gap_start[machine, :count] = [start for start, _ in spans]
    progress.gap_end[machine, :count] = [end for _, end in spans]
    progress.gap_start[machine, count:] = 0
    progress.gap_end[machine, count:] = 0


def progress(state: State) -> Progress:
    """What a program is shown of a state, reckoned from the state alone."""
    found = empty(state.instance)
    found.next_op[:] = state.next_op
    found.job_ready[:] = state.job_ready
    found.next_start[:] = [_next_start(state, job) for job in range(state.instance.jobs)]
    shortest = state.instance.shortest
    for machine in range(len(state.machines)):
        ready = state.machine_ready(machine)
        found.machine_ready[machine] = ready
        set_gaps(found, machine, state.idle(machine, shortest), ready)
    return found


def _next_start(state: State, job: int) -> int:
    if not state.waits(job):
        return -1
    operation = state.next_op[job]
    machine = state.machines[state.instance.machines[job][operation]]
    duration = state.instance.durations[job][operation]
    return left_shift(machine, state.job_ready[job], duration)[0]


def _padded(row: Sequence[int], columns: int, value: int) -> list[int]:
    return [*row, *[value] * (columns - len(row))]


def _fixed(values: Sequence[object]) -> Ints:
    import numpy as np

    array = np.array(values, dtype=np.int64)
    return np.frombuffer(array.tobytes(), dtype=np.int64).reshape(array.shape)
