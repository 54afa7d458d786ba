"""What teacher `rollout` costs when it is followed from the first decision to the last.

    python -m benchmarks.rollout_followed [PROBLEM SET ...] [--instances 5]

In every state each feasible action is taken and a seed program goes on to the end; the action that
ended best is kept, the seed's own where it is as good. So the way never costs more than the seed
alone, and by how much less is the most that trying one decision at a time can bring. In a run the
same is asked in some states of a program, for some actions. Figures are means over instances, with
the standard error of the saving; CPU seconds are those of an instance.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import problems
from problems.base import Problem

SETS = ("jssp", "random-10x10", "tsp", "tsp50", "cvrp", "cvrp50", "maxcut", "ba40w")


def follow(problem: Problem, function: Any, instance: Any) -> tuple[float, float, int]:
    """Costs of a program alone and of the way that is tried out with it; how many trials."""
    own = go_on(problem, function, instance, ())
    alone = cost = problem.replay(instance, own)
    state = problem.start(instance)
    taken: list[int] = []
    trials = 0
    while actions := problem.actions(state):
        for action in actions:
            if action == own[len(taken)]:
                continue
            trials += 1
            tried = go_on(problem, function, instance, (*taken, action))
            reached = problem.replay(instance, tried)
            if reached < cost:
                cost, own = reached, tried
        taken.append(own[len(taken)])
        state = problem.step(state, taken[-1])
    return alone, cost, trials


def go_on(problem: Problem, function: Any, instance: Any, forced: Sequence[int]) -> Sequence[int]:
    """A program's actions after the forced ones, those included."""
    return problem.rollout(function, instance, None, forced)


def measure(name: str, set_name: str, count: int) -> None:
    """Print a line for each seed program of a problem."""
    problem = problems.load(name)
    instances = problem.load(set_name)[:count]
    print(f"{name}, {set_name}, {len(instances)} instances", flush=True)
    for seed in problem.seeds():
        space: dict[str, Any] = {}
        exec(seed.code or "", space)
        function = space[problem.contract.function]
        started = time.process_time()
        found = [follow(problem, function, instance) for instance in instances]
        seconds = (time.process_time() - started) / len(found)
        print_row(seed.name, found, seconds)


def print_row(name: str, found: Sequence[tuple[float, float, int]], seconds: float) -> None:
    """Costs before and after, what was saved, and what it took an instance."""
    saved = [100 * (alone - cost) / abs(alone) for alone, cost, _ in found]
    error = f" ± {stdev(saved) / len(saved) ** 0.5:.2f}" if len(saved) > 1 else ""
    alone, cost, trials = (fmean(column) for column in zip(*found, strict=True))
    each = 1000 * seconds / max(1, trials)
    print(
        f"  {name:<28} {alone:9.6g} -> {cost:9.6g}, saves {fmean(saved):.2f}{error} %, "
        f"{seconds:.1f} CPU s, {trials:.0f} trials of {each:.2f} ms",
        flush=True,
    )


def main() -> None:
    """A table for each problem and set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", default=SETS, help="problems and sets by turns")
    parser.add_argument("--instances", type=int, default=5)
    given = parser.parse_args()
    for name, set_name in zip(given.words[::2], given.words[1::2], strict=True):
        measure(name, set_name, given.instances)


if __name__ == "__main__":
    main()
