"""CPU seconds of a JSSP candidate on a whole set, against the targets (run as a script)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (the measured programs carry no annotations)

from __future__ import annotations

import ast
import inspect
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import problems
from engine.evaluate.gate.reads import find_reads
from problems.base import Problem

TARGETS = {
    "random-20x20": {"fdd_mwkr": 0.6, "long_formula": 0.6, "makespan_reader": 1.2},
    "random-50x20": {"fdd_mwkr": 3.0, "long_formula": 3.0, "makespan_reader": 6.0},
}


def fdd_mwkr(feature, state):
    """The seed of that name."""
    flow_due_date = sum(state.instance.durations[feature.job_id][: feature.op_index + 1])
    return -flow_due_date / max(1, feature.remaining_work)


def long_formula(feature, state):
    """As long as the paper's printed "ours", over the same fields."""
    row = state.instance.durations[feature.job_id]
    done = float(sum(row[: feature.op_index + 1]))
    duration = max(1.0, float(feature.processing_time))
    work = max(1.0, float(feature.remaining_work))
    load, queue = float(feature.machine_total_work), float(feature.machine_queue_len)
    start, end = float(feature.earliest_start), float(feature.earliest_finish)
    bound = float(feature.lower_bound_after)
    phase = float(feature.job_progress)
    if phase <= 0.0 and len(row) > 0:
        phase = float(feature.op_index) / len(row)
    phase = max(0.0, min(1.0, phase))
    gap = max(0.0, float(feature.machine_ready_time) - start)
    tail = work / (work + 0.5 * duration)
    urgency = -done / (work ** (1.1 - 0.1 * phase))
    density = duration / (1.0 + 0.5 * gap)
    filling = min(1.5, density) * (0.6 * gap + 0.3 * duration)
    share = 0.4 + duration / (duration + 0.5 * work)
    early = max(0.0, 1.0 - 0.9 * phase)
    together = early * share * filling * (0.8 + 0.5 * tail)
    pressure = (0.0001 * load + 0.0001 * queue) * (0.7 + 0.6 * tail)
    lateness = 0.001 * end + 0.0005 * bound + 0.0001 * start
    crowd = (load / (1.0 + load)) * (1.0 / (1.0 + 0.5 * gap))
    toll = 0.1 * (1.0 - early) * crowd + 0.1 * early * crowd
    order = 0.00002 * start - 0.00003 * queue
    return urgency + 0.003 * together + pressure - lateness - toll + order


def makespan_reader(feature, state):
    """As long as the paper's printed EoH program, over the same fields."""
    row = state.instance.durations[feature.job_id]
    done = sum(row[: feature.op_index + 1])
    work = max(1.0, float(feature.remaining_work))
    duration = float(feature.processing_time)
    load = float(feature.machine_total_work) + float(feature.machine_queue_len)
    urgency = -done / work
    rare = 1.0 + 1.0 / (work**0.6)
    crowd = 1.0 + math.log1p(load)
    quick = 1.0 / (1.0 + duration)
    weight = rare * (0.6 + 0.4 * crowd) * (0.7 + 0.3 * quick)
    front = max(
        float(state.makespan), float(feature.job_ready_time), float(feature.machine_ready_time)
    )
    slack = max(0.0, float(feature.earliest_start) - front)
    late = 0.1 * slack + 0.05 * max(0.0, float(feature.earliest_finish) - front)
    return urgency * weight - late


def names_read(problem: Problem, function: Callable[..., Any]) -> frozenset[str] | None:
    """The names that a program reads, as the gate of the evaluation finds them."""
    (tree,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(tree, ast.FunctionDef)
    return find_reads(tree, problem.contract)


def seconds(problem: Problem, function: Callable[..., Any], instances: tuple[Any, ...]) -> float:
    """CPU seconds for one candidate on a set, the trusted replay included."""
    names, started = names_read(problem, function), time.process_time()
    for instance in instances:
        actions = problem.rollout(function, instance, names)
        problem.replay(instance, actions)
    return time.process_time() - started


def main(repeats: int = 3) -> None:
    """Print one line a program and set: median CPU seconds and the target."""
    problem = problems.load("jssp")
    for name, targets in TARGETS.items():
        instances = problem.load(name)
        for function in (fdd_mwkr, long_formula, makespan_reader):
            median = statistics.median(
                seconds(problem, function, instances) for _ in range(repeats)
            )
            target = targets[function.__name__]
            print(f"{name:14} {function.__name__:16} {median:6.2f} s   target {target:.1f} s")


if __name__ == "__main__":
    main()
