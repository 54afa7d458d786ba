"""How well design sets rank programs, and what the cascade saves (run as a script).

    python benchmarks/ranking.py [TASK ...]

Per task: two builtin searches of 60 children by cost alone, with and without the cascade; then
how often the order of two of their programs, made 0.5 % apart, comes out right on as many
instances as the design set has now, and had. The truth is their order on all instances at hand
that no search has looked at; one of the two programs is made worse by a share of its costs until
the gap is 0.5 %, and sets are drawn from these instances with replacement, kind by kind.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.api.resolve import RunRequest
from engine.api.run import start_run
from engine.domain.values import Candidate
from engine.evaluate.pool import Evaluator, Limits
from engine.store.reader import Reader
from problems import ProblemRef

GAP = 0.005
"""How far apart the programs are made."""

NEAR = 0.03
"""Programs are paired that are no farther apart than this share."""

PROGRAMS = 12
"""Programs of a task that are paired, evenly over those near the best."""

DRAWS = 2000
CHILDREN = 60


@dataclass(frozen=True, slots=True)
class Ranking:
    """The kinds of instances of a task, each with the sets that hold some, and set sizes.

    `sets` maps a word for a design set to how many instances of each kind it has.
    """

    kinds: tuple[tuple[str, tuple[str, ...]], ...]
    sets: Mapping[str, tuple[int, ...]]


TASKS = {
    "jssp": Ranking(
        (("20x20", ("selection", "design-64", "random-20x20", "validation-20x20")),),
        {"old, 64": (64,), "new, 128": (128,)},
    ),
    "tsp": Ranking(
        (("TSP50", ("selection", "design-64", "tsp50")),), {"old, 64": (64,), "new, 256": (256,)}
    ),
    "cvrp": Ranking(
        (("centre", ("selection", "design-64", "cvrp50")), ("random", ("selection", "design-64"))),
        {"old, 32 + 32": (32, 32), "new, 128 + 128": (128, 128)},
    ),
    "maxcut": Ranking(
        (
            ("baw", ("selection", "ba200w")),
            ("erw", ("selection", "er200w")),
            ("bau", ("selection", "ba200u")),
            ("eru", ("selection", "er200u")),
        ),
        {"old, 16 baw": (16, 0, 0, 0), "new, 4 x 32": (32, 32, 32, 32)},
    ),
}


def kind_of(task: str, instance: Any) -> str:
    """The kind of an instance, in the words of `TASKS`."""
    if task == "cvrp":
        return "centre" if instance.points[0] == (0.5, 0.5) else "random"
    if task == "maxcut":
        weights = [weight for *_, weight in instance.edges()]
        return ("ba" if len(weights) < 1000 else "er") + ("w" if -1 in weights else "u")
    return TASKS[task].kinds[0][0]


def search(task: str, folder: Path, cascade: float) -> tuple[list[Candidate], list[float]]:
    """The children of a builtin search by cost, and the CPU seconds of their evaluations."""
    options = {"total_children": CHILDREN, "cascade": cascade, "selection": "none"}
    db = folder / f"{task}-{cascade:g}.db"
    run = start_run(RunRequest(task, method="performance-only", options=options), store=db)
    run.wait()
    with Reader(db) as reader:
        children = [c for c in run.programs if c.generation]
        found = [reader.evaluation_of(run.number, child.id) for child in children]
    return children, [0.0 if one is None else one.cpu for one in found]


def print_savings(task: str, folder: Path) -> list[Candidate]:
    """What the evaluations cost with and without the cascade; the children of the latter."""
    short, cpu = search(task, folder, 4.0)
    full, all_cpu = search(task, folder, 0.0)
    stopped = sum(c.failure is not None and c.failure.kind == "behind" for c in short)
    same = [c.program.hash for c in short] == [c.program.hash for c in full]
    print(
        f"{task:7} cascade: {stopped} of {len(short)} children stopped, {sum(cpu):.1f} CPU s "
        f"instead of {sum(all_cpu):.1f} ({sum(cpu) / sum(all_cpu):.0%}); children "
        f"{'the same' if same else 'NOT the same'}",
        flush=True,
    )
    return full


def choose(children: Sequence[Candidate]) -> list[Candidate]:
    """Programs that cost at most `NEAR` more than the best, evenly over their costs."""
    valid = sorted((c for c in children if c.cost is not None), key=lambda c: c.cost or 0.0)
    best = valid[0].cost or 0.0
    near = [c for c in valid if abs((c.cost or 0.0) - best) <= NEAR * abs(best)]
    places = np.linspace(0, len(near) - 1, min(PROGRAMS, len(near))).round().astype(int)
    return [near[place] for place in places]


async def measure(task: str, programs: Sequence[Candidate]) -> dict[str, NDArray[np.float64]]:
    """Costs by kind: a row a program that fails nowhere, a column an instance."""
    names = dict.fromkeys(name for _, sets in TASKS[task].kinds for name in sets)
    found: dict[str, list[NDArray[np.float64]]] = {kind: [] for kind, _ in TASKS[task].kinds}
    workers = os.cpu_count() or 1
    async with Evaluator.start(ProblemRef(task), Limits(600), workers) as evaluator:
        for name in names:
            kinds = np.array([kind_of(task, one) for one in evaluator.problem.load(name)])
            jobs = (evaluator.evaluate(program.program.code, name) for program in programs)
            costs = np.array([one.costs for one in await asyncio.gather(*jobs)], dtype=float)
            for kind in found:
                found[kind].append(costs[:, kinds == kind])
    together = {kind: np.concatenate(parts, axis=1) for kind, parts in found.items()}
    whole = ~np.isnan(np.concatenate([*together.values()], axis=1)).any(axis=1)
    return {kind: costs[whole] for kind, costs in together.items()}


def share_right(
    one: Sequence[NDArray[np.float64]], other: Sequence[NDArray[np.float64]], sizes: Sequence[int]
) -> float:
    """How often drawn sets find the second program worse, which it is by `GAP` in truth.

    `sizes` instances of each kind are drawn; in truth all kinds count alike.
    """
    rng = np.random.default_rng(0)
    mean = np.mean([kind.mean() for kind in one])
    target = mean + GAP * abs(mean)
    factor = target / np.mean([kind.mean() for kind in other])
    total = np.zeros(DRAWS)
    for first, second, size in zip(one, other, sizes, strict=True):
        if size:
            gaps = factor * second - first
            total += gaps[rng.integers(len(gaps), size=(DRAWS, size))].sum(axis=1)
    return float(np.mean(total > 0) + 0.5 * np.mean(total == 0))


def print_ranks(task: str, costs: Mapping[str, NDArray[np.float64]]) -> None:
    """How often the order comes out right: mean over pairs and its standard error."""
    kinds = [costs[kind] for kind, _ in TASKS[task].kinds]
    pairs = [*combinations(range(len(kinds[0])), 2)]
    size = sum(kind.shape[1] for kind in kinds)
    for name, sizes in TASKS[task].sets.items():
        shares = []
        for a, b in pairs:
            one, other = ([kind[row] for kind in kinds] for row in (a, b))
            shares += [share_right(one, other, sizes), share_right(other, one, sizes)]
        error = np.std(shares) / len(kinds[0]) ** 0.5  # pairs share programs
        print(
            f"{task:7} {name:15} right in {np.mean(shares):.1%} +- {error:.1%} "
            f"(a tenth of the pairs below {np.quantile(shares, 0.1):.0%}; {len(pairs)} pairs, "
            f"{size} instances)",
            flush=True,
        )
    if task == "maxcut":
        _print_one_kind(kinds[0], pairs)


def _print_one_kind(baw: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> None:
    """The old set judged by what it holds: programs 0.5 % apart on its own kind of graphs."""
    both = [(a, b) for a, b in pairs] + [(b, a) for a, b in pairs]
    shares = [share_right([baw[a]], [baw[b]], (16,)) for a, b in both]
    error = np.std(shares) / len(baw) ** 0.5
    print(f"maxcut  old, truth on baw alone: {np.mean(shares):.1%} +- {error:.1%}", flush=True)


def main(tasks: Sequence[str]) -> None:
    """Print four or five lines a task."""
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks or TASKS:
            programs = choose(print_savings(task, Path(folder)))
            print_ranks(task, asyncio.run(measure(task, programs)))


if __name__ == "__main__":
    main(sys.argv[1:])
