"""Reference cuts by our own annealing, kept as data: run as a script.

    python -m problems.maxcut.references.best_cuts ba200w er200w
    python -m problems.maxcut.references.best_cuts design --sweeps 8000 --seed 1

Of old and new references the better one is kept, graph by graph. For published sets, which come
with best known cuts, those count as well.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from problems.maxcut.annealing import anneal
from problems.maxcut.instances import Instance, as_record
from problems.maxcut.problem import Maxcut
from problems.sets.references import parse_task

RUNS = 100
SWEEPS = 2000


def best_cut(instance: Instance, runs: int, sweeps: int, seed: int) -> float:
    """The best cut of all runs, or the best known one if that is better."""
    _, cut = anneal(instance, runs, sweeps, seed)
    return max(float(cut), instance.reference or 0.0)


def main(words: Sequence[str]) -> None:
    """Compute the references of some sets, and keep the better one of each graph."""
    task = parse_task("problems.maxcut.references.best_cuts", words, "runs", "sweeps", "seed")
    problem = Maxcut()
    published = {found.described.name for found in problem.published()}
    for name in task.sets:
        runs = task.effort["runs"] or RUNS
        sweeps = task.effort["sweeps"] or SWEEPS
        seed = task.effort["seed"]
        solver = f"annealing, {runs} runs of {sweeps} sweeps" + (f", seed {seed}" if seed else "")
        if name in published:
            solver = f"the better of the published cut and {solver}"
        solved = partial(best_cut, runs=runs, sweeps=sweeps, seed=seed)
        instances = problem.load(name)
        task.improve(Path(__file__).parent, name, instances, as_record, solver, solved, max)


if __name__ == "__main__":
    main(sys.argv[1:])
