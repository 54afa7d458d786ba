"""Which changes of the schedule can change a program's scores, from the names that it reads."""

from __future__ import annotations

from dataclasses import dataclass

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
KNOWN = frozenset(INSTANCE | OWN | MACHINE | QUEUE | MAKESPAN)


@dataclass(frozen=True, slots=True)
class Watch:
    """What makes a candidate's score stale, besides the dispatch of its own job.

    `machine`: an operation is placed on its machine. `queue`: a candidate joins its machine's
    queue. `makespan`: the makespan moves. `everything`: any dispatch.
    """

    machine: bool
    queue: bool
    makespan: bool
    everything: bool


def watch(reads: frozenset[str] | None) -> Watch:
    """What a program that reads these names depends on; None or an unknown name: everything."""
    if reads is None or not reads <= KNOWN:
        return Watch(machine=True, queue=True, makespan=True, everything=True)
    return Watch(
        machine=bool(reads & (MACHINE | QUEUE)),
        queue=bool(reads & QUEUE),
        makespan=bool(reads & MAKESPAN),
        everything=False,
    )
