"""Reference cuts by our own annealing, kept as data: run as a script.

    python -m problems.maxcut.references.best_cuts ba200w er200w

For published sets, which come with best known cuts, the better of the two is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from problems.maxcut.heuristics.annealing import anneal
from problems.maxcut.problem import Maxcut
from problems.maxcut.sets.data import as_record
from problems.sets.records import fingerprint
from problems.sets.references import References, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.maxcut.sets.data import Instance

RUNS = 100
SWEEPS = 2000


def best_cut(instance: Instance) -> float:
    """The best cut of all runs, or the best known one if that is better."""
    _, cut = anneal(instance, RUNS, SWEEPS)
    return max(float(cut), instance.reference or 0.0)


def main(names: Sequence[str]) -> None:
    """Compute and keep the references of some sets."""
    problem = Maxcut()
    published = {found.described.name for found in problem.published()}
    for name in names:
        instances = problem.load(name)
        cuts = tuple(map(best_cut, instances))
        solver = f"annealing, {RUNS} runs of {SWEEPS} sweeps"
        if name in published:
            solver = f"the better of the published cut and {solver}"
        command = f"python -m problems.maxcut.references.best_cuts {name}"
        content = fingerprint(list(map(as_record, instances)))
        write(Path(__file__).parent, name, References(solver, command, content, cuts))
        print(f"{name}: mean {sum(cuts) / len(cuts):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
