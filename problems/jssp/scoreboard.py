"""The fast rollout: score again only the candidates that a dispatch may have changed."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from problems.jssp.answer import finite
from problems.jssp.simulator import Shop
from problems.jssp.view import Feature, PaperState, shown
from problems.jssp.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from problems.jssp.sets.data import Instance
    from problems.jssp.watch import Watch


class Scoreboard(Shop):
    """A shop that keeps what a program is shown of every candidate.

    `waiting[k]` are the jobs whose next operation needs machine `k`, `left[k]` is the work not
    yet placed on it, `tails[j][o]` the work of job `j` from operation `o` on.
    """

    __slots__ = ("left", "shown", "tails", "waiting")

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.shown = shown(instance)
        self.tails = [[*accumulate(row[::-1])][::-1] for row in instance.durations]
        self.waiting: list[set[int]] = [set() for _ in self.starts]
        self.left = [0] * len(self.starts)
        for job, row in enumerate(instance.machines):
            self.waiting[row[0]].add(job)
            for machine, duration in zip(row, instance.durations[job], strict=True):
                self.left[machine] += duration

    def dispatch(self, job: int, watched: Watch) -> list[int]:
        """Place a job's next operation; returns the candidates that changed, ascending."""
        machine, _ = self.place(job)
        operation = self.next_op[job]
        self.left[machine] -= self.durations[job][operation - 1]
        self.waiting[machine].discard(job)
        changed = set(self.waiting[machine]) if watched.machine else set()
        if watched.others:
            changed = set().union(*self.waiting)
        if operation < len(self.machines[job]):
            queue = self.waiting[self.machines[job][operation]]
            queue.add(job)
            changed.add(job)
            if watched.queue:
                changed |= queue
        return sorted(changed)

    def feature(self, job: int) -> Feature:
        """The candidate of an unfinished job, as `view.feature` has it."""
        operation = self.next_op[job]
        ready = self.job_ready[job]
        machine = self.machines[job][operation]
        duration = self.durations[job][operation]
        start, _ = self.slot(machine, ready, duration)
        ends = self.ends[machine]
        tail = self.tails[job][operation]
        later = self.machines[job][operation + 1 : operation + 2]
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
            sum(self.left[k] for k in later),
            sum(len(self.waiting[k]) for k in later),
        )

    def paper_state(self, step: int, features: Collection[Feature]) -> PaperState:
        """The state, as `view.paper_state` has it; without features its last values are 0."""
        if not features:
            return PaperState(self.shown, self.makespan, step, 0, 0.0)
        smallest = min(one.earliest_start for one in features)
        mean = sum(one.remaining_work for one in features) / len(features)
        return PaperState(self.shown, self.makespan, step, smallest, mean)


def rollout(
    function: Callable[[Any, Any], object],
    instance: Instance,
    reads: frozenset[str] | None,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout; `reads` as `Problem.rollout` explains it.

    A score is kept until something that the program reads for it may have changed.
    """
    board = Scoreboard(instance)
    watched = watch(reads)
    features = {job: board.feature(job) for job in range(instance.jobs)}
    scores = [0.0] * instance.jobs
    taken = list[int]()
    stale: Iterable[int] = features
    for step in range(sum(map(len, instance.durations))):
        state = board.paper_state(step, features.values() if watched.others else ())
        makespan = board.makespan
        if step < len(forced):
            best = forced[step]
        else:
            try:
                for job in features if step == len(forced) else stale:
                    scores[job] = finite(function(features[job], state), job)
            except Exception as error:
                error.add_note(f"step {step}")
                raise
            best = scores.index(max(scores))
        taken.append(best)
        stale = board.dispatch(best, watched)
        for job in stale:
            features[job] = board.feature(job)
        if best not in stale:
            scores[best] = -math.inf
            del features[best]
        if watched.everything or (watched.makespan and board.makespan > makespan):
            stale = features
    return taken
