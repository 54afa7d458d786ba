"""CPU seconds that a CVRP set costs beside the program itself, against the targets (a script)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (the measured programs carry no annotations)

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from problems.cvrp.instances import Instance
from problems.cvrp.problem import Cvrp

PROBLEM = Cvrp()
TARGETS = {"design": 0.03, "cvrp200": 0.1}
"""CPU seconds for 64 instances (design 8)."""


def first_fitting(current_node, depot, unvisited_nodes, rest_capacity, demands, distance_matrix):
    """As little as a program can do."""
    return unvisited_nodes[0]


def seconds(step: Callable[..., Any], *columns: Any, repeats: int = 7) -> float:
    """The median CPU time of a step over the rows of some columns."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        list(map(step, *columns))
        times.append(time.process_time() - started)
    return statistics.median(times)


def walk(instance: Instance) -> list[int]:
    """The rollout of a program that does nothing."""
    return PROBLEM.rollout(first_fitting, instance, None)


def main() -> None:
    """Print one line a set: the walk of a program that does nothing, and the trusted replay."""
    for name, target in TARGETS.items():
        instances = PROBLEM.load(name)[:64]
        walked = seconds(walk, instances)
        replayed = seconds(PROBLEM.replay, instances, [*map(walk, instances)])
        print(f"{name:8} walk {walked:.4f} s   replay {replayed:.4f} s   target {target:.2f} s")


if __name__ == "__main__":
    main()
