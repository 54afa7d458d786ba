"""The classical dispatching rules, as program texts."""

from __future__ import annotations

from problems.base import Rule


def _rule(name: str, idea: str, *lines: str) -> Rule:
    return Rule(name, idea, code="\n    ".join(["def score(feature, state):", *lines]) + "\n")


FLOW = "sum(state.instance.durations[feature.job_id][: feature.op_index + 1])"

SEEDS = (
    _rule(
        "fdd-mwkr",
        "Flow due date over most work remaining: the smallest ratio of work done to work left.",
        f"flow_due_date = {FLOW}",
        "return -flow_due_date / max(1, feature.remaining_work)",
    ),
    _rule(
        "mwkr",
        "Most work remaining: the job with the largest sum of unplaced durations.",
        "return feature.remaining_work",
    ),
    _rule(
        "mor",
        "Most operations remaining: the job with the most unplaced operations.",
        "return len(state.instance.durations[feature.job_id]) - feature.op_index",
    ),
    _rule(
        "spt",
        "Shortest processing time: the operation that takes the least time.",
        "return -feature.processing_time",
    ),
    _rule(
        "est",
        "Earliest start time: the operation that can start first.",
        "return -feature.earliest_start",
    ),
    _rule(
        "ect",
        "Earliest completion time: the operation that can end first.",
        "return -feature.earliest_finish",
    ),
    _rule(
        "fcfs",
        "First come, first served: the operation whose job has been ready the longest.",
        "return -feature.job_ready_time",
    ),
    _rule(
        "spt-twkr",
        "Shortest processing time over work remaining: the smallest share of the job's work left.",
        "return -feature.processing_time / max(1, feature.remaining_work)",
    ),
)
RULES = (
    *SEEDS,
    _rule(
        "fdd",
        "Flow due date: the operation whose job has the least work up to its end.",
        f"return -{FLOW}",
    ),
    _rule(
        "lpt",
        "Longest processing time: the operation that takes the most time.",
        "return feature.processing_time",
    ),
    _rule(
        "lwkr",
        "Least work remaining: the job with the smallest sum of unplaced durations.",
        "return -feature.remaining_work",
    ),
    _rule(
        "lor",
        "Least operations remaining: the job with the fewest unplaced operations.",
        "return feature.op_index - len(state.instance.durations[feature.job_id])",
    ),
)
