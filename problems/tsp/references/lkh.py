"""Reference tours by LKH (K. Helsgaun) through elkai, kept as data: run as a script.

    python -m problems.tsp.references.lkh tsp50 tsp200
    python -m problems.tsp.references.lkh design --runs 100

needs the extra `reference`; elkai's licence allows non-commercial use only. The better of old and
new references is kept, instance by instance.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import problems
from problems.sets.references import parse_task
from problems.tsp.instances import Instance, as_record, build_matrix

RUNS = 10
SCALE = 1_000_000
"""LKH works on integers: distances times this."""


def solve(instance: Instance, runs: int) -> list[int]:
    """The best tour of so many runs of LKH."""
    import elkai
    import numpy as np

    scaled = np.rint(build_matrix(instance) * SCALE).astype(int).tolist()
    tour: list[int] = elkai.DistanceMatrix(scaled).solve_tsp(runs=runs)
    return tour[:-1]


def shortest(instance: Instance, runs: int) -> float:
    """The length of that tour."""
    return instance.length(solve(instance, runs))


def main(words: Sequence[str]) -> None:
    """Compute the references of some sets, and keep the better one of each instance."""
    task = parse_task("problems.tsp.references.lkh", words, "runs")
    for name in task.sets:
        instances = problems.load("tsp").load(name)
        runs = task.effort["runs"] or RUNS
        solver = f"LKH by elkai {version('elkai')}, {runs} runs"
        solved = partial(shortest, runs=runs)
        task.improve(Path(__file__).parent, name, instances, as_record, solver, solved)


if __name__ == "__main__":
    main(sys.argv[1:])
