"""CPU seconds of a MaxCut candidate on whole sets, and our share in them (run as a script)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (the measured programs carry no annotations)

from __future__ import annotations

import os
import statistics
import time
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the workers; before NumPy is loaded

from collections.abc import Callable

from problems.base import rollout
from problems.maxcut.instances import Instance
from problems.maxcut.problem import Maxcut
from problems.promises import compile_program

SETS = ("design", "ba200w", "er800u", "ba800w")


def flip_the_next(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """As good as nothing to do: what remains is our share."""
    return step % len(spins)


def plain_seconds(problem: Maxcut, instances: tuple[Instance, ...]) -> float:
    """CPU seconds of the plain walk on a set, with nothing to do for the program."""
    started = time.process_time()
    for instance in instances:
        rollout(problem, flip_the_next, instance)
    return time.process_time() - started


def seconds(
    problem: Maxcut, function: Callable[..., Any], instances: tuple[Instance, ...]
) -> tuple[float, float]:
    """CPU seconds of one candidate on a set: the fast rollout, and the trusted replay."""
    started = time.process_time()
    walks = [problem.rollout(function, instance, None) for instance in instances]
    walked = time.process_time()
    for instance, actions in zip(instances, walks, strict=True):
        problem.replay(instance, actions)
    return walked - started, time.process_time() - walked


def main(repeats: int = 3) -> None:
    """Print one line a set and program: median CPU seconds."""
    problem = Maxcut()
    rules = {one.name: one for one in problem.seeds()}
    chosen = ("greedy-flip", "tabu-flip", "soft-tabu")
    programs = {"flip-the-next": flip_the_next}
    programs |= {name: compile_program(problem, rules[name]) for name in chosen}
    for name in SETS:
        instances = problem.load(name)
        for label, function in programs.items():
            times = [seconds(problem, function, instances) for _ in range(repeats)]
            walked, replayed = map(statistics.median, zip(*times, strict=True))
            print(f"{name:8} {label:14} {walked:7.3f} s   replay {replayed:6.3f} s")
        print(f"{name:8} plain walk     {plain_seconds(problem, instances):7.3f} s")


if __name__ == "__main__":
    main()
