"""The mutable shop behind the fast rollout and the trusted replay, equal to `state.py`."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from problems.errors import InvalidAction
from problems.jssp.view import Feature, PaperState, WideState, finite, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from problems.jssp.data import Instance

FIXED = frozenset(
    {*(f"feature.{name}" for name in Feature._fields)}
    | {"state.instance", "state.instance.durations", "state.instance.machines"}
)
"""What changes only for the operations that a dispatch touches."""


class Shop:
    """A schedule under construction, changed in place."""

    __slots__ = ("durations", "ends", "instance", "job_ready", "machines", "next_op", "starts")

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.durations, self.machines = instance.durations, instance.machines
        self.next_op, self.job_ready = [0] * instance.jobs, [0] * instance.jobs
        self.starts: list[list[int]] = [[] for _ in range(instance.machine_count)]
        self.ends: list[list[int]] = [[] for _ in range(instance.machine_count)]

    def slot(self, machine: int, ready: int, duration: int) -> tuple[int, int]:
        """`left_shift`: only gaps that end late enough for the operation are looked at."""
        starts, ends = self.starts[machine], self.ends[machine]
        for place in range(bisect_left(starts, ready + duration), len(starts)):
            start = ends[place - 1] if place and ends[place - 1] > ready else ready
            if start + duration <= starts[place]:
                return start, place
        return (ends[-1] if ends and ends[-1] > ready else ready), len(starts)

    def place(self, job: int) -> int:
        """Place the next operation of an unfinished job; returns its machine."""
        operation = self.next_op[job]
        machine, duration = self.machines[job][operation], self.durations[job][operation]
        start, place = self.slot(machine, self.job_ready[job], duration)
        self.starts[machine].insert(place, start)
        self.ends[machine].insert(place, start + duration)
        self.job_ready[job] = start + duration
        self.next_op[job] = operation + 1
        return machine


def replay(instance: Instance, actions: Sequence[int]) -> int:
    """The makespan of an action list. Raises InvalidAction as the plain replay does."""
    shop = Shop(instance)
    left = [len(row) for row in instance.durations]
    for step, job in enumerate(actions):
        if type(job) is not int or not 0 <= job < len(left) or not left[job]:
            raise InvalidAction(f"step {step}: {job!r} is no unfinished job")
        left[job] -= 1
        shop.place(job)
    if any(left):
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return max(shop.job_ready)


class Scoreboard(Shop):
    """A shop that keeps what a program is shown of every candidate."""

    __slots__ = ("left", "tails", "waiting", "wide")

    def __init__(self, instance: Instance, wide: bool) -> None:
        super().__init__(instance)
        self.wide = wide
        self.tails = [[*accumulate(row[::-1])][::-1] for row in instance.durations]
        self.waiting: list[set[int]] = [set() for _ in self.starts]
        self.left = [0] * len(self.starts)
        for job, row in enumerate(instance.machines):
            self.waiting[row[0]].add(job)
            for machine, duration in zip(row, instance.durations[job], strict=True):
                self.left[machine] += duration

    def dispatch(self, job: int) -> Iterable[int]:
        """Place a job's next operation; returns the candidates that changed, ascending.

        These are the ones on its machine, the job's next operation and those on its machine.
        """
        machine = self.place(job)
        operation = self.next_op[job]
        self.left[machine] -= self.durations[job][operation - 1]
        changed = self.waiting[machine]
        changed.discard(job)
        if operation < len(self.machines[job]):
            target = self.waiting[self.machines[job][operation]]
            target.add(job)
            changed = changed | target
        return sorted(changed)

    def feature(self, job: int) -> Feature:
        """The candidate of an unfinished job, as `view.feature` has it."""
        operation, ready = self.next_op[job], self.job_ready[job]
        machine, duration = self.machines[job][operation], self.durations[job][operation]
        start, _ = self.slot(machine, ready, duration)
        ends, tail = self.ends[machine], self.tails[job][operation]
        return Feature(
            job,
            operation,
            machine,
            duration,
            tail,
            start,
            start + duration,
            ready,
            ends[-1] if ends else 0,
            self.left[machine],
            len(self.waiting[machine]),
            operation / len(self.durations[job]),
            start + tail,
        )

    def view(self, makespan: int, step: int) -> PaperState | WideState:
        """The state, as `view.paper_state` and `view.wide_state` have it."""
        if not self.wide:
            return PaperState(shown(self.instance), makespan, step)
        ready = tuple(ends[-1] if ends else 0 for ends in self.ends)
        lists = tuple(self.next_op), tuple(self.job_ready), ready
        return WideState(shown(self.instance), makespan, step, *lists)


def rollout(
    function: Callable[[Any, Any], object],
    instance: Instance,
    reads: frozenset[str] | None,
    wide: bool,
) -> list[int]:
    """The actions of the plain rollout; `reads` as `problems.base.FastRollout` explains it."""
    board = Scoreboard(instance, wide)
    others = {"anything"} if reads is None else reads - FIXED
    everything, moves = bool(others - {"state.makespan"}), "state.makespan" in others
    features = {job: board.feature(job) for job in range(instance.jobs)}
    scores, makespan, taken = [0.0] * instance.jobs, 0, []
    stale: Iterable[int] = features
    for step in range(sum(map(len, instance.durations))):
        view = board.view(makespan, step)
        for job in stale:
            scores[job] = finite(function(features[job], view), job)
        best = scores.index(max(scores))
        taken.append(best)
        stale = board.dispatch(best)
        if board.next_op[best] == len(instance.durations[best]):
            scores[best] = float("-inf")
            del features[best]
        for job in stale:
            features[job] = board.feature(job)
        moved = board.job_ready[best] > makespan
        makespan = max(makespan, board.job_ready[best])
        if everything or (moves and moved):
            stale = features
    return taken
