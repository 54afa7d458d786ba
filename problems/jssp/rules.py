"""The classical dispatching rules, written as a program would be."""

# mypy: disable-error-code="no-untyped-def"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def fdd_mwkr(feature, state):
    """Flow due date over most work remaining: the smallest ratio of work done to work left."""
    flow_due_date = sum(state.instance.durations[feature.job_id][: feature.op_index + 1])
    return -flow_due_date / max(1, feature.remaining_work)


def mwkr(feature, state):
    """Most work remaining: the job with the largest sum of unplaced durations."""
    return feature.remaining_work


def mor(feature, state):
    """Most operations remaining: the job with the most unplaced operations."""
    return len(state.instance.durations[feature.job_id]) - feature.op_index


def spt(feature, state):
    """Shortest processing time: the operation that takes the least time."""
    return -feature.processing_time


def est(feature, state):
    """Earliest start time: the operation that can start first."""
    return -feature.earliest_start


def ect(feature, state):
    """Earliest completion time: the operation that can end first."""
    return -feature.earliest_finish


def fcfs(feature, state):
    """First come, first served: the operation whose job has been ready the longest."""
    return -feature.job_ready_time


def spt_twkr(feature, state):
    """Shortest processing time over work remaining: the smallest share of the job's work left."""
    return -feature.processing_time / max(1, feature.remaining_work)


def fdd(feature, state):
    """Flow due date: the operation whose job has the least work up to its end."""
    return -sum(state.instance.durations[feature.job_id][: feature.op_index + 1])


def lpt(feature, state):
    """Longest processing time: the operation that takes the most time."""
    return feature.processing_time


def lwkr(feature, state):
    """Least work remaining: the job with the smallest sum of unplaced durations."""
    return -feature.remaining_work


def lor(feature, state):
    """Least operations remaining: the job with the fewest unplaced operations."""
    return feature.op_index - len(state.instance.durations[feature.job_id])


SEEDS = (fdd_mwkr, mwkr, mor, spt, est, ect, fcfs, spt_twkr)
RULES = (*SEEDS, fdd, lpt, lwkr, lor)
