"""Reference tours by LKH (K. Helsgaun) through elkai, kept as data: run as a script.

    python -m problems.tsp.references.lkh tsp50 tsp200

needs the extra `reference`; elkai's licence allows non-commercial use only.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import problems
from problems.sets.records import fingerprint
from problems.sets.references import References, write
from problems.tsp.sets.data import as_record, build_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.tsp.sets.data import Instance

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


def main(names: Sequence[str]) -> None:
    """Compute and keep the references of some sets."""
    problem = problems.load("tsp")
    for name in names:
        instances = problem.load(name)
        lengths = tuple(one.length(solve(one, RUNS)) for one in instances)
        solver = f"LKH by elkai {version('elkai')}, {RUNS} runs"
        command = f"python -m problems.tsp.references.lkh {name}"
        content = fingerprint(list(map(as_record, instances)))
        write(Path(__file__).parent, name, References(solver, command, content, lengths))
        print(f"{name}: mean {sum(lengths) / len(lengths):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
