"""CPU seconds and memory of TSP rollouts, against the targets (run as a script)."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from problems.tsp.instances import Instance, random_points
from problems.tsp.problem import Tsp

OVERHEAD = {50: 0.02, 200: 0.05}
"""Nodes, and the target for a trivial program on 64 instances."""

LARGEST = 5000
MEMORY = 1.0
"""Target in GB for the largest instance."""


def first(current: int, end: int, unvisited: Any, distances: Any) -> Any:
    """The program that costs nothing: nearest neighbour, since the list is sorted."""
    return unvisited[0]


def seconds(program: Callable[..., Any], instances: Sequence[Instance]) -> float:
    """CPU seconds for one candidate on a set, the trusted replay not included."""
    problem = Tsp()
    started = time.process_time()
    for instance in instances:
        problem.rollout(program, instance, None)
    return time.process_time() - started


def draw(size: int, nodes: int) -> list[Instance]:
    """Random instances."""
    return [Instance(str(i), points) for i, points in enumerate(random_points(1, size, nodes))]


def main(repeats: int = 9) -> None:
    """Print the overhead on small instances, and seconds and memory of a large one."""
    for nodes, target in OVERHEAD.items():
        instances = draw(64, nodes)
        best, *_, worst = times = sorted(seconds(first, instances) for _ in range(repeats))
        median = statistics.median(times)
        print(f"TSP{nodes} x 64: median {median:.3f} s ({best:.3f} to {worst:.3f}), {target} s")
    taken = seconds(first, draw(1, LARGEST))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"TSP{LARGEST}: {taken:.2f} s, {memory:.2f} GB at most, target {MEMORY} GB")


if __name__ == "__main__":
    main()
