"""The mutable shop behind the trusted replay and the fast rollout, equal to `state.py`."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from problems.errors import InvalidAction
from problems.jssp.state import Placed, State
from problems.shared.answers import as_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Decision
    from problems.jssp.sets.data import Instance


class Shop:
    """A schedule under construction, changed in place."""

    __slots__ = ("durations", "ends", "job_ready", "machines", "makespan", "next_op", "starts")

    def __init__(self, instance: Instance) -> None:
        self.durations = instance.durations
        self.machines = instance.machines
        self.makespan = 0
        self.next_op = [0] * instance.jobs
        self.job_ready = [0] * instance.jobs
        self.starts: list[list[int]] = [[] for _ in range(instance.machine_count)]
        self.ends: list[list[int]] = [[] for _ in range(instance.machine_count)]

    def slot(self, machine: int, ready: int, duration: int) -> tuple[int, int]:
        """As `left_shift` has it, without looking at gaps that end too early."""
        starts = self.starts[machine]
        ends = self.ends[machine]
        for place in range(bisect_left(starts, ready + duration), len(starts)):
            start = ends[place - 1] if place and ends[place - 1] > ready else ready
            if start + duration <= starts[place]:
                return start, place
        return (ends[-1] if ends and ends[-1] > ready else ready), len(starts)

    def place(self, job: int) -> tuple[int, int]:
        """Place the next operation of an unfinished job: its machine, and its rank there."""
        operation = self.next_op[job]
        machine = self.machines[job][operation]
        duration = self.durations[job][operation]
        start, place = self.slot(machine, self.job_ready[job], duration)
        self.job_ready[job] = end = start + duration
        self.starts[machine].insert(place, start)
        self.ends[machine].insert(place, end)
        self.makespan = max(self.makespan, end)
        self.next_op[job] = operation + 1
        return machine, place


def seek(instance: Instance, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
    """The states before these steps, which ascend; `actions` are feasible.

    Machines on which nothing was placed between two of them are the same tuples in both.
    """
    next_op = [0] * instance.jobs
    job_ready = [0] * instance.jobs
    lines: list[list[Placed]] = [[] for _ in range(instance.machine_count)]
    machines: list[tuple[Placed, ...]] = [()] * instance.machine_count
    states = []
    before = 0
    for step in steps:
        changed = set()
        for job in actions[before:step]:
            operation = next_op[job]
            machine = instance.machines[job][operation]
            duration = instance.durations[job][operation]
            start, place = _shift(lines[machine], job_ready[job], duration)
            lines[machine].insert(place, Placed(start, start + duration, job, operation))
            job_ready[job] = start + duration
            next_op[job] = operation + 1
            changed.add(machine)
        for machine in changed:
            machines[machine] = tuple(lines[machine])
        before = step
        states.append(State(instance, tuple(next_op), tuple(job_ready), tuple(machines)))
    return states


def _shift(line: Sequence[Placed], ready: int, duration: int) -> tuple[int, int]:
    """As `left_shift` has it, without looking at gaps that end too early."""
    count = len(line)
    if not line:
        return ready, 0
    if line[-1].start < ready + duration:
        return max(ready, line[-1].end), count
    first = bisect_left(line, (ready + duration,))  # a tuple that is shorter stands before
    idle_from = line[first - 1].end if first else 0
    for place in range(first, count):
        start = idle_from if idle_from > ready else ready
        if start + duration <= line[place].start:
            return start, place
        idle_from = line[place].end
    return (idle_from if idle_from > ready else ready), count


def same_later(
    instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
) -> list[frozenset[int]]:
    """By decision: the other jobs whose next operation later gets the start it would get there.

    `actions` are a whole rollout.
    """
    (finished,) = seek(instance, actions, [len(actions)])
    starts = {(p.job, p.operation): p.start for line in finished.machines for p in line}
    return [
        frozenset(
            job
            for job in decision.actions
            if job != decision.chosen
            and _start_now(decision.state, job) == starts[job, decision.state.next_op[job]]
        )
        for decision in decisions
    ]


def _start_now(state: State, job: int) -> int:
    """When the next operation of a job would start if it were placed now."""
    operation = state.next_op[job]
    line = state.machines[state.instance.machines[job][operation]]
    return _shift(line, state.job_ready[job], state.instance.durations[job][operation])[0]


def replay(instance: Instance, actions: Sequence[int]) -> int:
    """The makespan of an action list. Raises InvalidAction as the plain replay does."""
    shop = Shop(instance)
    left = [len(row) for row in instance.durations]
    for step, action in enumerate(actions):
        job = action if type(action) is int else as_index(action)
        if not 0 <= job < len(left) or not left[job]:
            raise InvalidAction(f"step {step}: {action!r} is no unfinished job")
        left[job] -= 1
        shop.place(job)
    if any(left):
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return shop.makespan
