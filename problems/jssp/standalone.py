"""The rules of the job shop in plain Python, which need nothing else.

An instance is a pair of tables: operation `o` of job `j` takes `durations[j][o]` on machine
`machines[j][o]`. Operations are placed one at a time, the next one of a job: it starts in
the earliest idle interval of its machine, after its job's previous operation, that is long
enough for it. A program scores the next operation of each unfinished job, and the highest
score is placed, ties going to the lowest job; or it returns the jobs in the order they are
placed.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

Table = tuple[tuple[int, ...], ...]


class InstanceView(NamedTuple):
    """A job shop, as a program sees it."""

    durations: Table
    machines: Table


class PaperState(NamedTuple):
    """The schedule so far, as a program sees it."""

    instance: InstanceView
    makespan: int
    step: int
    smallest_start: int
    mean_remaining_work: float


class Feature(NamedTuple):
    """The next operation of an unfinished job, as a program sees it."""

    job_id: int
    op_index: int
    machine_id: int
    processing_time: int
    remaining_work: int
    earliest_start: int
    earliest_finish: int
    job_ready_time: int
    machine_ready_time: int
    machine_total_work: int
    machine_queue_len: int
    job_progress: float
    lower_bound_after: int
    next_machine_total_work: int
    next_machine_queue_len: int


def find_slot(
    starts: Sequence[int], ends: Sequence[int], ready: int, duration: int
) -> tuple[int, int]:
    """Where an operation goes on a machine: its start, and its place in the order of time.

    `starts` and `ends` are those of the operations placed there, which never move. It goes
    into the first gap that is long enough after `ready`, the one before the first operation
    included, else behind the last one; gaps that end too early are not looked at.
    """
    for place in range(bisect_left(starts, ready + duration), len(starts)):
        start = ends[place - 1] if place and ends[place - 1] > ready else ready
        if start + duration <= starts[place]:
            return start, place
    return (ends[-1] if ends and ends[-1] > ready else ready), len(starts)


class Shop:
    """A schedule under construction, changed in place; `starts` and `ends` are by machine."""

    def __init__(self, durations: Table, machines: Table) -> None:
        self.durations = durations
        self.machines = machines
        self.makespan = 0
        self.next_op = [0] * len(durations)
        self.job_ready = [0] * len(durations)
        self.starts: list[list[int]] = [[] for _ in range(1 + max(map(max, machines)))]
        self.ends: list[list[int]] = [[] for _ in self.starts]

    def place(self, job: int) -> tuple[int, int]:
        """Place the next operation of an unfinished job: its machine, and its rank there."""
        operation = self.next_op[job]
        machine = self.machines[job][operation]
        duration = self.durations[job][operation]
        starts = self.starts[machine]
        ends = self.ends[machine]
        start, place = find_slot(starts, ends, self.job_ready[job], duration)
        self.job_ready[job] = end = start + duration
        starts.insert(place, start)
        ends.insert(place, end)
        self.makespan = max(self.makespan, end)
        self.next_op[job] = operation + 1
        return machine, place


class Board(Shop):
    """A shop that keeps what a program is shown of every candidate.

    `waiting[k]` are the jobs whose next operation needs machine `k`, `left[k]` is the work
    not yet placed on it, `tails[j][o]` the work of job `j` from operation `o` on.
    """

    def __init__(self, durations: Table, machines: Table, next_op: Sequence[int] = ()) -> None:
        super().__init__(durations, machines)
        self.next_op = [*next_op] or self.next_op
        self.shown = InstanceView(durations, machines)
        self.tails = [[*accumulate(row[::-1])][::-1] for row in durations]
        self.waiting: list[set[int]] = [set() for _ in self.starts]
        self.left = [0] * len(self.starts)
        for job, first in enumerate(self.next_op):
            row = machines[job][first:]
            if row:
                self.waiting[row[0]].add(job)
            for machine, duration in zip(row, durations[job][first:], strict=True):
                self.left[machine] += duration

    def place(self, job: int) -> tuple[int, int]:
        """As of a shop."""
        operation = self.next_op[job]
        machine, place = super().place(job)
        self.left[machine] -= self.durations[job][operation]
        self.waiting[machine].discard(job)
        for following in self.machines[job][operation + 1 : operation + 2]:
            self.waiting[following].add(job)
        return machine, place

    def feature(self, job: int) -> Feature:
        """What a program sees of the next operation of an unfinished job."""
        operation = self.next_op[job]
        ready = self.job_ready[job]
        machine = self.machines[job][operation]
        duration = self.durations[job][operation]
        ends = self.ends[machine]
        start, _ = find_slot(self.starts[machine], ends, ready, duration)
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

    def state(self, step: int, features: Collection[Feature]) -> PaperState:
        """What a program sees of the schedule; without `features` its last values are 0."""
        if not features:
            return PaperState(self.shown, self.makespan, step, 0, 0.0)
        smallest = min(one.earliest_start for one in features)
        mean = sum(one.remaining_work for one in features) / len(features)
        return PaperState(self.shown, self.makespan, step, smallest, mean)


def solve(
    score: Callable[[Feature, PaperState], float], tables: tuple[Table, Table]
) -> tuple[list[int], int]:
    """The jobs in the order in which the program's scores place them, and the makespan."""
    board = Board(*tables)
    taken: list[int] = []
    for step in range(sum(map(len, board.durations))):
        shown = {job: board.feature(job) for job in sorted(set().union(*board.waiting))}
        state = board.state(step, shown.values())
        scores = {job: float(score(one, state)) for job, one in shown.items()}
        taken.append(max(scores, key=scores.__getitem__))
        board.place(taken[-1])
    return taken, board.makespan


def solve_whole(program: Callable[..., Any], tables: tuple[Table, Table]) -> tuple[list[int], int]:
    """The jobs in the order in which the program returns them, and the makespan."""
    order = [int(job) for job in program(pad(tables[0], 0), pad(tables[1], -1))]
    if sorted(order) != [job for job, row in enumerate(tables[0]) for _ in row]:
        raise ValueError("not an order of all operations")
    shop = Shop(*tables)
    for job in order:
        shop.place(job)
    return order, shop.makespan


def pad(rows: Table, fill: int) -> Any:
    """A table as a read-only array whose rows are filled up."""
    import numpy as np

    table = np.full((len(rows), max(map(len, rows))), fill, dtype=np.int64)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return np.frombuffer(table.tobytes(), dtype=np.int64).reshape(table.shape)
