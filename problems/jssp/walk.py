"""Programs on whole job shops: the fast rollout, the trusted replay, and what a state shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from problems.base import Decision
from problems.errors import InvalidAction
from problems.jssp.instances import Instance
from problems.jssp.standalone import Board, Feature, PaperState, Shop
from problems.jssp.state import Placed, State, left_shift
from problems.shared.programs import as_index

INSTANCE = {"state.instance.durations", "state.instance.machines"}
OWN = {
    "feature.job_id",
    "feature.op_index",
    "feature.machine_id",
    "feature.processing_time",
    "feature.remaining_work",
    "feature.job_ready_time",
    "feature.job_progress",
}
MACHINE = {
    "feature.earliest_start",
    "feature.earliest_finish",
    "feature.machine_ready_time",
    "feature.machine_total_work",
    "feature.lower_bound_after",
}
QUEUE = {"feature.machine_queue_len"}
MAKESPAN = {"state.makespan"}
OTHERS = {
    "feature.next_machine_total_work",
    "feature.next_machine_queue_len",
    "state.smallest_start",
    "state.mean_remaining_work",
}
KNOWN = frozenset(INSTANCE | OWN | MACHINE | QUEUE | MAKESPAN | OTHERS)


@dataclass(frozen=True, slots=True)
class Watch:
    """What makes a candidate's score stale, besides the dispatch of its own job.

    `machine`: an operation is placed on its machine. `queue`: a candidate joins its machine's
    queue. `makespan`: the makespan moves. `everything`: any dispatch. `others`: what a program
    reads of other machines and jobs than a candidate's own has to be kept, too.
    """

    machine: bool
    queue: bool
    makespan: bool
    everything: bool
    others: bool = False

    def find_changed(self, board: Board, job: int, machine: int) -> list[int]:
        """The candidates that placing an operation of a job on a machine changed, ascending."""
        changed = set(board.waiting[machine]) if self.machine else set()
        if self.others:
            changed = set().union(*board.waiting)
        operation = board.next_op[job]
        if operation < len(board.machines[job]):
            changed.add(job)
            if self.queue:
                changed |= board.waiting[board.machines[job][operation]]
        return sorted(changed)


def watch(reads: frozenset[str] | None) -> Watch:
    """What a program that reads these names depends on; None or an unknown name: everything."""
    if reads is None or not reads <= KNOWN:
        return Watch(machine=True, queue=True, makespan=True, everything=True, others=True)
    return Watch(
        machine=bool(reads & (MACHINE | QUEUE)),
        queue=bool(reads & QUEUE),
        makespan=bool(reads & MAKESPAN),
        everything=bool(reads & OTHERS),
        others=bool(reads & OTHERS),
    )


def finite(score: object, job: int) -> float:
    """A program's answer as a float.

    Any real number will do, NumPy's included; bool, complex, arrays and None will not. Raises
    InvalidAction, whose message starts with "non-finite score" for NaN and the infinities.
    """
    if type(score) is not float:
        if isinstance(score, bool) or not isinstance(score, Real):
            kind = type(score).__name__
            raise InvalidAction(f"score of job {job} is not a real number but {kind}: {score!r}")
        try:
            score = float(score)
        except OverflowError:
            score = math.inf
    if not math.isfinite(score):
        raise InvalidAction(f"non-finite score of job {job}: {score}")
    return score


def rollout(
    function: Callable[[Any, Any], object],
    instance: Instance,
    reads: frozenset[str] | None,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout; `reads` as `Problem.rollout` explains it.

    A score is kept until something that the program reads for it may have changed.
    """
    board = Board(instance.durations, instance.machines)
    watched = watch(reads)
    features = {job: board.feature(job) for job in range(instance.jobs)}
    scores = [0.0] * instance.jobs
    taken = list[int]()
    stale: Iterable[int] = features
    for step in range(instance.size):
        state = board.state(step, features.values() if watched.others else ())
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
        machine, _ = board.place(best)
        stale = watched.find_changed(board, best, machine)
        for job in stale:
            features[job] = board.feature(job)
        if best not in stale:
            scores[best] = -math.inf
            del features[best]
        if watched.everything or (watched.makespan and board.makespan > makespan):
            stale = features
    return taken


def look(state: State) -> tuple[PaperState, dict[int, Feature]]:
    """What a program is shown in a state: of the schedule, and of each unfinished job.

    The latest is kept, as a state is asked for each of its actions.
    """
    global _latest
    if _latest is None or _latest[0] is not state:
        board = Board(state.instance.durations, state.instance.machines, state.next_op)
        board.makespan = state.makespan
        board.job_ready = [*state.job_ready]
        board.starts = [[placed.start for placed in line] for line in state.machines]
        board.ends = [[placed.end for placed in line] for line in state.machines]
        features = {job: board.feature(job) for job in state.unfinished}
        _latest = (state, (board.state(state.step, features.values()), features))
    return _latest[1]


_latest: tuple[State, tuple[PaperState, dict[int, Feature]]] | None = None


def seek(instance: Instance, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
    """The states before these steps, which ascend; `actions` are feasible.

    Machines on which nothing was placed between two of them are the same tuples in both.
    """
    shop = Shop(instance.durations, instance.machines)
    lines: list[list[Placed]] = [[] for _ in shop.starts]
    machines: list[tuple[Placed, ...]] = [() for _ in lines]
    states = []
    before = 0
    for step in steps:
        changed = set()
        for job in actions[before:step]:
            operation = shop.next_op[job]
            machine, place = shop.place(job)
            start, end = shop.starts[machine][place], shop.ends[machine][place]
            lines[machine].insert(place, Placed(start, end, job, operation))
            changed.add(machine)
        for machine in changed:
            machines[machine] = tuple(lines[machine])
        before = step
        state = State(instance, tuple(shop.next_op), tuple(shop.job_ready), tuple(machines))
        states.append(state)
    return states


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
    return left_shift(line, state.job_ready[job], state.instance.durations[job][operation])[0]


def replay(instance: Instance, actions: Sequence[int]) -> float:
    """The makespan of an action list. Raises InvalidAction as the plain replay does."""
    shop = Shop(instance.durations, instance.machines)
    left = [len(row) for row in instance.durations]
    for step, action in enumerate(actions):
        job = action if type(action) is int else as_index(action)
        if not 0 <= job < len(left) or not left[job]:
            raise InvalidAction(f"step {step}: {action!r} is no unfinished job")
        left[job] -= 1
        shop.place(job)
    if any(left):
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return float(shop.makespan)
