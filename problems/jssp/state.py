"""The schedule under construction as a value, which teachers and pictures look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import NamedTuple, TypeVar

from problems.jssp.instances import Instance
from problems.jssp.standalone import find_slot

T = TypeVar("T")


class Placed(NamedTuple):
    """An operation in its place on a machine; it never moves again."""

    start: int
    end: int
    job: int
    operation: int


@dataclass(frozen=True, slots=True)
class State:
    """A partial schedule.

    `next_op[j]` counts the placed operations of job `j`, `job_ready[j]` is the end of the last of
    them (0 if none); `machines[k]` lists the operations placed on machine `k` in order of time.
    """

    instance: Instance
    next_op: tuple[int, ...]
    job_ready: tuple[int, ...]
    machines: tuple[tuple[Placed, ...], ...]

    @property
    def step(self) -> int:
        """Number of operations placed so far."""
        return sum(self.next_op)

    @property
    def makespan(self) -> int:
        """Latest end so far, 0 at the start."""
        return max(self.job_ready)

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The jobs with an operation left, ascending."""
        durations = self.instance.durations
        return tuple(j for j, op in enumerate(self.next_op) if op < len(durations[j]))

    def waits(self, job: int) -> bool:
        """Whether a job exists and has an operation left."""
        return 0 <= job < len(self.next_op) and self.next_op[job] < len(
            self.instance.durations[job]
        )

    def machine_ready(self, machine: int) -> int:
        """End of the last operation on a machine, 0 if it has none."""
        return self.machines[machine][-1].end if self.machines[machine] else 0

    def ends(self) -> tuple[tuple[int, ...], ...]:
        """End times of the placed operations of every job, in order of operations."""
        ends: list[list[int]] = [[0] * count for count in self.next_op]
        for placed in (operation for machine in self.machines for operation in machine):
            ends[placed.job][placed.operation] = placed.end
        return tuple(map(tuple, ends))


def empty(instance: Instance) -> State:
    """Nothing placed."""
    zeros = (0,) * instance.jobs
    return State(instance, zeros, zeros, ((),) * instance.machine_count)


def left_shift(machine: Sequence[Placed], ready: int, duration: int) -> tuple[int, int]:
    """Where an operation goes: its start, and its place in the order of the machine.

    The permissible left shift of L2D, as `standalone.find_slot` has it.
    """
    starts = [placed.start for placed in machine]
    return find_slot(starts, [placed.end for placed in machine], ready, duration)


def dispatch(state: State, job: int) -> State:
    """Place the next operation of an unfinished job."""
    instance = state.instance
    operation = state.next_op[job]
    machine = instance.machines[job][operation]
    line = state.machines[machine]
    duration = instance.durations[job][operation]
    start, place = left_shift(line, state.job_ready[job], duration)
    placed = Placed(start, start + duration, job, operation)
    return State(
        instance,
        _replaced(state.next_op, job, operation + 1),
        _replaced(state.job_ready, job, placed.end),
        _replaced(state.machines, machine, (*line[:place], placed, *line[place:])),
    )


def _replaced(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


SIGNS = digits + ascii_letters
WIDTH = 72
HEIGHT = 21
IDLE = "·"


def gantt(state: State, end: int | None = None) -> str:
    """One line a machine, one sign a job (0-9, a-z, A-Z, then again), at most 80 x 24.

    The lines reach up to the time `end`, up to the makespan without one.
    """
    total = sum(map(len, state.instance.durations))
    head = f"step {state.step} of {total}   makespan {state.makespan}"
    scale = max(1, state.makespan if end is None else end) / WIDTH
    rows = [f"m{k:<4} {_row(line, scale)}" for k, line in enumerate(state.machines[:HEIGHT])]
    hidden = len(state.machines) - HEIGHT
    more = [f"and {hidden} machines more"] if hidden > 0 else []
    return "\n".join([head, *rows, *more])


def _row(line: tuple[Placed, ...], scale: float) -> str:
    """Each column shows the job at the middle of its span of time."""
    row = [IDLE] * WIDTH
    for placed in line:
        for column in range(WIDTH):
            if placed.start <= (column + 0.5) * scale < placed.end:
                row[column] = SIGNS[placed.job % len(SIGNS)]
    return "".join(row)
