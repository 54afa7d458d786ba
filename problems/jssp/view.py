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


def paper_state(state: State) -> PaperState:
    """What a program sees of a state."""
    jobs = state.unfinished
    instance = state.instance
    starts = [earliest_start(state, job) for job in jobs]
    left = sum(sum(instance.durations[job][state.next_op[job] :]) for job in jobs)
    return PaperState(
        shown(instance),
        state.makespan,
        state.step,
        min(starts, default=0),
        left / max(1, len(jobs)),
    )


def earliest_start(state: State, job: int) -> int:
    """When the next operation of an unfinished job would start."""
    operation = state.next_op[job]
    machine = state.instance.machines[job][operation]
    duration = state.instance.durations[job][operation]
    return left_shift(state.machines[machine], state.job_ready[job], duration)[0]


def feature(state: State, job: int) -> Feature:
    """The candidate of an unfinished job."""
    operation = state.next_op[job]
    ready = state.job_ready[job]
    durations = state.instance.durations[job]
    machine = state.instance.machines[job][operation]
    duration = durations[operation]
    start = earliest_start(state, job)
    later = state.instance.machines[job][operation + 1 : operation + 2]
    tail = sum(durations[operation:])
    return Feature(
        job_id=job,
        op_index=operation,
        machine_id=machine,
        processing_time=duration,
        remaining_work=tail,
        earliest_start=start,
        earliest_finish=start + duration,
        job_ready_time=ready,
        machine_ready_time=state.machine_ready(machine),
        machine_total_work=work(state, machine),
        machine_queue_len=queue(state, machine),
        job_progress=operation / len(durations),
        lower_bound_after=start + tail,
        next_machine_total_work=sum(work(state, k) for k in later),
        next_machine_queue_len=sum(queue(state, k) for k in later),
    )


def queue(state: State, machine: int) -> int:
    """Number of candidates that need a machine."""
    machines = state.instance.machines
    return sum(machines[job][state.next_op[job]] == machine for job in state.unfinished)


def work(state: State, machine: int) -> int:
    """Total duration of the operations not yet placed on a machine."""
    rows = zip(state.next_op, state.instance.durations, state.instance.machines, strict=True)
    return sum(
        duration
        for operation, durations, machines in rows
        for duration, k in zip(durations[operation:], machines[operation:], strict=True)
        if k == machine
    )
