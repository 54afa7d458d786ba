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
