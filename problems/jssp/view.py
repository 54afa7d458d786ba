"""What a program is shown: immutable values with the fields of the contract and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from problems.jssp.state import left_shift

if TYPE_CHECKING:
    from problems.jssp.sets.data import Instance
    from problems.jssp.state import State

Table = tuple[tuple[int, ...], ...]


class Feature(NamedTuple):
    """One candidate, the next operation of an unfinished job; `contract.py` tells the fields."""

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


class InstanceView(NamedTuple):
    """The shop without its name and bounds."""

    durations: Table
    machines: Table


class PaperState(NamedTuple):
    """The schedule so far, as the paper's programs read it."""

    instance: InstanceView
    makespan: int
    step: int
    smallest_start: int
    mean_remaining_work: float


def shown(instance: Instance) -> InstanceView:
    """What a program sees of an instance."""
    return InstanceView(instance.durations, instance.machines)


class Overview(NamedTuple):
    """What the candidates of a state are shown of it: by machine, and by unfinished job."""

    work: list[int]
    """Total duration of the operations not yet placed on each machine."""
    queue: list[int]
    """Number of candidates that need each machine."""
    starts: dict[int, int]
    """When each job's next operation would start."""
    tails: dict[int, int]
    """Total duration of each job's operations not yet placed."""


def survey(state: State) -> Overview:
    """The overview of a state; the latest is kept, as a state is asked for each of its actions."""
    global _latest
    found = _latest
    if found is None or found[0] is not state:
        found = _latest = (state, _survey(state))
    return found[1]


_latest: tuple[State, Overview] | None = None


def _survey(state: State) -> Overview:
    found = Overview([0] * len(state.machines), [0] * len(state.machines), {}, {})
    for job in state.unfinished:
        operation = state.next_op[job]
        durations = state.instance.durations[job][operation:]
        machines = state.instance.machines[job][operation:]
        line = state.machines[machines[0]]
        found.queue[machines[0]] += 1
        found.starts[job], _ = left_shift(line, state.job_ready[job], durations[0])
        found.tails[job] = sum(durations)
        for machine, duration in zip(machines, durations, strict=True):
            found.work[machine] += duration
    return found


def paper_state(state: State) -> PaperState:
    """What a program sees of a state."""
    seen = survey(state)
    return PaperState(
        shown(state.instance),
        state.makespan,
        state.step,
        min(seen.starts.values(), default=0),
        sum(seen.tails.values()) / max(1, len(seen.tails)),
    )


def feature(state: State, job: int) -> Feature:
    """The candidate of an unfinished job."""
    seen = survey(state)
    operation = state.next_op[job]
    durations = state.instance.durations[job]
    machine, *later = state.instance.machines[job][operation : operation + 2]
    duration = durations[operation]
    start = seen.starts[job]
    tail = seen.tails[job]
    return Feature(
        job_id=job,
        op_index=operation,
        machine_id=machine,
        processing_time=duration,
        remaining_work=tail,
        earliest_start=start,
        earliest_finish=start + duration,
        job_ready_time=state.job_ready[job],
        machine_ready_time=state.machine_ready(machine),
        machine_total_work=seen.work[machine],
        machine_queue_len=seen.queue[machine],
        job_progress=operation / len(durations),
        lower_bound_after=start + tail,
        next_machine_total_work=sum(seen.work[k] for k in later),
        next_machine_queue_len=sum(seen.queue[k] for k in later),
    )
