"""Dispatching rules that choose a job, all in one skeleton, and one that completes schedules.

A value that several scores read has the same name everywhere, that of the field of a case. The
rules name those arguments of the contract that they read.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def fdd_mwkr(candidates, durations, work_left, next_op):
    """Flow due date over most work remaining: the smallest ratio of work done to work left."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        remaining_work = work_left[job][next_op[job]]
        total_work = work_left[job][0]
        flow_due_date = total_work - remaining_work + processing_time
        score = -flow_due_date / max(1, remaining_work)
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def mwkr(candidates, work_left, next_op):
    """Most work remaining: the job with the largest sum of unplaced durations."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        remaining_work = work_left[job][next_op[job]]
        score = remaining_work
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def mor(candidates, op_count, next_op):
    """Most operations remaining: the job with the most unplaced operations."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        op_index = next_op[job]
        score = op_count[job] - op_index
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def spt(candidates, durations, next_op):
    """Shortest processing time: the operation that takes the least time."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        score = -processing_time
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def est(candidates, next_start):
    """Earliest start time: the operation that can start first."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        earliest_start = next_start[job]
        score = -earliest_start
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def ect(candidates, durations, next_op, next_start):
    """Earliest completion time: the operation that can end first."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        earliest_start = next_start[job]
        score = -earliest_start - processing_time
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def fcfs(candidates, job_ready):
    """First come, first served: the operation whose job has been ready the longest."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        job_ready_time = job_ready[job]
        score = -job_ready_time
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def spt_twkr(candidates, durations, work_left, next_op):
    """Shortest processing time over work remaining: the smallest share of the job's work left."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        remaining_work = work_left[job][next_op[job]]
        score = -processing_time / max(1, remaining_work)
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def fdd(candidates, durations, work_left, next_op):
    """Flow due date: the operation whose job has the least work up to its end."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        remaining_work = work_left[job][next_op[job]]
        total_work = work_left[job][0]
        score = remaining_work - total_work - processing_time
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def lpt(candidates, durations, next_op):
    """Longest processing time: the operation that takes the most time."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        processing_time = durations[job][next_op[job]]
        score = processing_time
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def lwkr(candidates, work_left, next_op):
    """Least work remaining: the job with the smallest sum of unplaced durations."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        remaining_work = work_left[job][next_op[job]]
        score = -remaining_work
        if score > best_score:
            best_job, best_score = job, score
    return best_job


def lor(candidates, op_count, next_op):
    """Least operations remaining: the job with the fewest unplaced operations."""
    best_job, best_score = -1, -float("inf")
    for job in candidates:
        op_index = next_op[job]
        score = op_index - op_count[job]
        if score > best_score:
            best_job, best_score = job, score
    return best_job


# fmt: off
# (the texts below go into prompts as they stand)


def find_start(ready, duration, starts, ends):
    """When an operation starts: in the first idle interval that is long enough for it."""
    gap = 0
    while max(ready, starts[gap]) + duration > ends[gap]:
        gap += 1
    return max(ready, starts[gap])


def complete(
    placed, durations, machines, work_left, op_count, next_op, job_ready, next_start,
    gap_count, gap_start, gap_end,
):
    """The makespan when a job's next operation is placed now and all others by a rule."""
    next_op = [int(count) for count in next_op]
    job_ready = [int(time) for time in job_ready]
    next_start = [int(time) for time in next_start]
    gap_start = [[int(gap_start[k][g]) for g in range(n)] for k, n in enumerate(gap_count)]
    gap_end = [[int(gap_end[k][g]) for g in range(n)] for k, n in enumerate(gap_count)]
    makespan = max(job_ready)
    while placed >= 0:
        machine = machines[placed][next_op[placed]]
        start = next_start[placed]
        end = start + durations[placed][next_op[placed]]
        next_op[placed] += 1
        job_ready[placed] = end
        makespan = max(makespan, end)
        # the interval that it lies in is cut in two
        starts = gap_start[machine]
        ends = gap_end[machine]
        gap = 0
        while ends[gap] < end:
            gap += 1
        starts.append(0)
        ends.append(0)
        for g in range(len(starts) - 1, gap, -1):
            starts[g] = starts[g - 1]
            ends[g] = ends[g - 1]
        ends[gap] = start
        starts[gap + 1] = end
        # the rule: the highest score is placed next
        best_job, best_score = -1, -float("inf")
        for job in range(len(op_count)):
            if next_op[job] == op_count[job]:
                continue
            needed = machines[job][next_op[job]]
            if needed == machine or job == placed:
                next_start[job] = find_start(
                    job_ready[job],
                    durations[job][next_op[job]],
                    gap_start[needed],
                    gap_end[needed],
                )
            processing_time = durations[job][next_op[job]]
            remaining_work = work_left[job][next_op[job]]
            earliest_start = next_start[job]
            score = 0.2 * remaining_work - earliest_start - processing_time
            if score > best_score:
                best_job, best_score = job, score
        placed = best_job
    return makespan


def shortest_completion(
    candidates, durations, machines, work_left, op_count, next_op, job_ready, next_start,
    gap_count, gap_start, gap_end,
):
    """Complete the schedule after each of the operations that compete for the machine on which one
    can end first, by a rule for early ends and much work left, and take the shortest schedule."""
    first, soonest = -1, float("inf")
    for job in candidates:
        if next_start[job] + durations[job][next_op[job]] < soonest:
            first, soonest = job, next_start[job] + durations[job][next_op[job]]
    machine = machines[first][next_op[first]]
    rivals = [
        job
        for job in candidates
        if machines[job][next_op[job]] == machine and next_start[job] < soonest
    ]
    best_job, best_makespan = first, float("inf")
    if len(rivals) < 2:
        return best_job
    # lists of int: loops over them are several times faster where nothing is compiled
    durations = [[int(time) for time in row] for row in durations]
    machines = [[int(machine) for machine in row] for row in machines]
    work_left = [[int(time) for time in row] for row in work_left]
    op_count = [int(count) for count in op_count]
    for job in rivals:
        makespan = complete(
            job, durations, machines, work_left, op_count, next_op, job_ready, next_start,
            gap_count, gap_start, gap_end,
        )
        if makespan < best_makespan:
            best_job, best_makespan = job, makespan
    return best_job


# fmt: on
