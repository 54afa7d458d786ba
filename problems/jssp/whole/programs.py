"""The programs from which a search for whole schedules starts."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from problems.shared.programs import as_rule


def most_work_remaining(durations, machines):
    """Place the next operation of the job with the most work left (MWKR)."""
    times = [
        [t for t, k in zip(row, line, strict=True) if k >= 0]
        for row, line in zip(durations.tolist(), machines.tolist(), strict=True)
    ]
    next_op = [0] * len(times)
    work_left = [sum(row) for row in times]
    order = []
    for _ in range(sum(map(len, times))):
        waiting = [j for j, row in enumerate(times) if next_op[j] < len(row)]
        job = max(waiting, key=lambda j: work_left[j])
        work_left[job] -= times[job][next_op[job]]
        next_op[job] += 1
        order.append(job)
    return order


# fmt: off
# (the texts below go into prompts as they stand)


def dispatch(times, machines, weight):
    """An active schedule (Giffler and Thompson 1960): its makespan and its order."""
    next_op = [0] * len(times)
    job_ready = [0] * len(times)
    machine_ready = [0] * (1 + max(map(max, machines)))
    work_left = [sum(row) for row in times]
    waiting = [j for j in range(len(times)) if times[j]]
    order = []
    while waiting:
        starts = {
            j: max(job_ready[j], machine_ready[machines[j][next_op[j]]]) for j in waiting
        }
        soonest, first = min((starts[j] + times[j][next_op[j]], j) for j in waiting)
        machine = machines[first][next_op[first]]
        job, best_score = first, -float("inf")
        for j in waiting:
            if machines[j][next_op[j]] != machine or starts[j] >= soonest:
                continue
            score = weight * work_left[j] - starts[j] - times[j][next_op[j]]
            if score > best_score:
                job, best_score = j, score
        end = starts[job] + times[job][next_op[job]]
        job_ready[job] = machine_ready[machine] = end
        work_left[job] -= times[job][next_op[job]]
        next_op[job] += 1
        order.append(job)
        if next_op[job] == len(times[job]):
            waiting.remove(job)
    return max(job_ready), order


def active_schedule(durations, machines):
    """Among the operations that compete for the machine that is free first, the one that starts
    early and leaves much work."""
    times = durations.tolist()
    places = machines.tolist()
    times = [row[: len(row) - line.count(-1)] for row, line in zip(times, places, strict=True)]
    return dispatch(times, places, 0.2)[1]


def best_of_weights(durations, machines):
    """The shortest of the active schedules by several weights of the work left."""
    times = durations.tolist()
    places = machines.tolist()
    times = [row[: len(row) - line.count(-1)] for row, line in zip(times, places, strict=True)]
    weights = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6)
    best = min(weights, key=lambda weight: dispatch(times, places, weight))
    return dispatch(times, places, best)[1]


# fmt: on

SEEDS = (
    as_rule(most_work_remaining, "solve"),
    as_rule(active_schedule, "solve", dispatch),
    as_rule(best_of_weights, "solve", dispatch),
)
