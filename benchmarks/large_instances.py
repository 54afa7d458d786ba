"""Memory and CPU seconds of one walk on instances of growing size (run as a script).

    python benchmarks/large_instances.py

Every line is a process of its own: its peak of resident memory, Python and NumPy included, CPU
seconds of the walk and of the trusted replay, microseconds a decision, and the exponent by which
the walk's seconds grew since the size before. The last lines are what is refused, in its words.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the workers; before NumPy is loaded
sys.path.insert(0, str(Path(__file__).parents[1]))

from collections.abc import Callable

import problems
from problems import ProblemRef
from problems.cvrp.instances import CvrpGenerator, draw
from problems.errors import UserError
from problems.jssp.instances import random_instances
from problems.jssp.rules import SEEDS as SHOP_SEEDS
from problems.maxcut.heuristics import SEEDS as DENSE_SEEDS
from problems.maxcut.instances import generated_sparse
from problems.maxcut.sparse import SEEDS as SPARSE_SEEDS
from problems.tsp.instances import Instance, random_points

SEED = 77


@dataclass(frozen=True, slots=True)
class Case:
    """A line of the table: which problem, how large, and which program walks."""

    problem: str
    options: tuple[tuple[str, str], ...]
    size: int
    label: str
    code: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Megabytes at the peak, CPU seconds of the walk and of the replay, decisions."""

    megabytes: float
    walk: float
    replay: float
    decisions: int


NEAREST = """
def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    return unvisited_nodes[0]
"""
NEAREST_FITTING = """
def select_next_node(current_node, depot, unvisited_nodes, rest_capacity, demands, distances):
    return unvisited_nodes[distances[current_node, unvisited_nodes].argmin()]
"""
"""Programs that do next to nothing themselves: what is measured is our share."""

FDD_MWKR = SHOP_SEEDS[0].code or ""
SPARSE = (("state", "sparse"),)
FLIPS = (("steps", "200"),)
CASES = (
    *(Case("tsp", (), n, f"{n} nodes", NEAREST) for n in (1000, 5000, 10_000)),
    *(
        Case("maxcut", FLIPS, n, f"{n} vertices, matrix, 200 flips", DENSE_SEEDS[0].code or "")
        for n in (800, 2000, 10_000)
    ),
    *(
        Case("maxcut", SPARSE, n, f"{n} vertices, edges, 2n flips", SPARSE_SEEDS[1].code or "")
        for n in (800, 2000, 5000, 10_000, 20_000)
    ),
    *(Case("jssp", (), n, f"{n}x20", FDD_MWKR) for n in (20, 50, 100)),
    *(Case("cvrp", (), n, f"{n} customers", NEAREST_FITTING) for n in (200, 1000)),
)


def make(case: Case) -> Any:
    """One instance of a case."""
    sources: dict[str, Callable[[], Any]] = {
        "tsp": lambda: Instance("large", random_points(SEED, 1, case.size)[0]),
        "maxcut": lambda: generated_sparse(f"sparse-{case.size}")[0],
        "jssp": lambda: random_instances("large", SEED, 1, case.size, 20)[0],
        "cvrp": lambda: next(draw("large", SEED, 1, CvrpGenerator(case.size, "random", (80, 80)))),
    }
    return sources[case.problem]()


def measure(case: Case) -> Measured:
    """Walk one instance in this process."""
    problem: Any = problems.load(ProblemRef(case.problem, case.options))
    names: dict[str, Any] = {}
    exec(case.code, names)  # our own programs
    function = names[problem.contract.function]
    reads = frozenset(re.findall(r"(?:feature|state)(?:\.\w+)+", case.code))
    instance = make(case)
    started = time.process_time()
    actions = problem.rollout(function, instance, reads)
    walked = time.process_time()
    problem.replay(instance, actions)
    replayed = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(peak, walked - started, replayed - walked, len(actions))


def measure_apart(place: int) -> Measured:
    """The same in a process of its own, so that its peak is that of one case."""
    command = [sys.executable, __file__, str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Measured(**json.loads(done.stdout))


def show(case: Case, found: Measured, before: tuple[Case, Measured] | None) -> str:
    """A row of the table, in Markdown."""
    exponent = "-"
    if before is not None and (before[0].problem, before[0].options) == (
        case.problem,
        case.options,
    ):
        growth = math.log(found.walk / before[1].walk) / math.log(case.size / before[0].size)
        exponent = f"{growth:.2f}"
    each = 1e6 * found.walk / found.decisions
    return (
        f"| {case.problem} | {case.label} | {found.megabytes:.0f} | {found.walk:.2f} | "
        f"{found.replay:.2f} | {each:.0f} | {exponent} |"
    )


def refusals() -> list[str]:
    """What is too large, in the words that a user reads."""
    from numpy import savez

    found = []
    with tempfile.TemporaryDirectory() as folder:
        tours = Path(folder) / "tours.npz"
        savez(tours, coords=random_points(SEED, 1, 12_001))
        graph = Path(folder) / "ring.txt"
        size = 10_001
        edges = (f"{v} {v % size + 1} 1" for v in range(1, size + 1))
        graph.write_text("\n".join([f"{size} {size}", *edges]))
        for name, path in (("tsp", tours), ("maxcut", graph)):
            try:
                problems.load(name).load(str(path))
            except UserError as error:
                found.append(str(error).replace(folder + "/", ""))
    return found


def main() -> None:
    """Print the table and the refusals, or, given a number, one measurement as JSON."""
    if len(sys.argv) > 1:
        print(json.dumps(asdict(measure(CASES[int(sys.argv[1])]))))
        return
    print("| problem | size | peak MB | walk, CPU s | replay, CPU s | us a decision | exponent |")
    print("|---|---|---|---|---|---|---|")
    before = None
    for place, case in enumerate(CASES):
        found = measure_apart(place)
        print(show(case, found, before), flush=True)
        before = case, found
    print("\n".join(["", "Refused:", *(f"- {one}" for one in refusals())]))


if __name__ == "__main__":
    main()
