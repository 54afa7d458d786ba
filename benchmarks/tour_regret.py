"""What each choice of a teacher of tours costs: on ways of its own, and on the shortest ones.

    python -m benchmarks.tour_regret [TEACHER ...] [--set tsp50] [--instances 60]

The regret of a choice is by how much the shortest tour that can still be reached grows (LKH finds
it before and after); along a teacher's own way the regrets add up to its gap. On the shortest way
the teacher is asked, too, but LKH's choice is taken, so no state there has a node left behind.
Figures are given by the share of nodes that are open, largest first: choices that cost something,
and the regret of all of them as a share of the shortest tours. The gap's standard error is over
instances.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

import numpy as np

import problems
import teachers
from problems import ProblemRef
from problems.base import Decision, Problem
from problems.tsp.instances import build_matrix
from problems.tsp.references.lkh import SCALE
from problems.tsp.state import State
from teachers.base import Teacher
from teachers.conformance import ask
from teachers.device import use_one_thread

PARTS = 5
"""How many shares of open nodes are told apart."""
JOINED = 3
"""Edges get so much longer, in sides of the square, than the one that has to be taken."""
COSTS = 1e-5
"""A regret below this, in sides of the square, is LKH's rounding."""


@dataclass
class Way:
    """A tour on its way, the shortest way on from there, and the regrets of choices by part."""

    number: int
    state: State
    on: list[int]
    length: float
    regrets: list[list[float]] = field(default_factory=lambda: [[] for _ in range(PARTS)])

    def note(self, after: float) -> None:
        """A choice after which the shortest tour that can be reached is so long."""
        part = PARTS * (len(self.state.tour) - 1) // self.state.instance.size
        self.regrets[part].append(after - self.length)


def begin(problem: Problem, instances: Sequence[object]) -> list[Way]:
    """Nothing chosen yet."""
    states = [problem.start(instance) for instance in instances]
    return [Way(number, state, *go_on(state)) for number, state in enumerate(states)]


def go_on(state: State) -> tuple[list[int], float]:
    """The shortest way on, and the length of the tour that it makes."""
    between = build_matrix(state.instance)
    left = list(state.unvisited)
    if len(left) > 1:
        rows = [state.tour[0], state.current, *left]
        left = [rows[row] for row in shortest_way(between[np.ix_(rows, rows)])]
    tour = [*state.tour, *left]
    return left, float(between[tour, [*tour[1:], tour[0]]].sum())


def shortest_way(between: np.ndarray) -> list[int]:
    """The open nodes, row 2 on, along LKH's way from row 1 to row 0; distances [n, n].

    It is the tour that joins both ends, as all other edges are `JOINED` longer than that.
    """
    import elkai

    matrix = np.rint((between + JOINED) * SCALE).astype(int)
    matrix[0, 1] = matrix[1, 0] = 0
    np.fill_diagonal(matrix, 0)
    tour = elkai.DistanceMatrix(matrix.tolist()).solve_tsp(runs=1)[:-1]
    start = tour.index(1)
    tour = [*tour[start:], *tour[:start]]
    if tour[1] == 0:
        tour = [tour[0], *tour[:0:-1]]
    return list(tour[1:-1])


def walk(problem: Problem, teacher: Teacher, instances: Sequence[object], own: bool) -> list[Way]:
    """All choices of a teacher, on its own ways or on the shortest."""
    ways = begin(problem, instances)
    while open_ := [way for way in ways if problem.actions(way.state)]:
        asked = [
            Decision(way.number, way.state.step, way.state, problem.actions(way.state), way.on[0])
            for way in open_
        ]
        for way, verdict in zip(open_, ask(teacher, asked), strict=True):
            choice = way.on[0] if verdict.preferred is None else verdict.preferred
            chosen = problem.step(way.state, choice)
            on, length = go_on(chosen)
            way.note(length)
            if own:
                way.state, way.on, way.length = chosen, on, length
            else:
                way.state, way.on = problem.step(way.state, way.on[0]), way.on[1:]
    return ways


def show(label: str, ways: Sequence[Way], shortest: Sequence[float]) -> None:
    """A line for each part, then the sum."""
    whole = fmean(shortest)
    for part in range(PARTS):
        found = [regret for way in ways for regret in way.regrets[part]]
        wrong = fmean(regret > COSTS for regret in found)
        share = sum(found) / len(ways) / whole
        print(f"  {label:<14} {_share(part)}  {wrong:6.1%} wrong, {share:6.2%} of the shortest")
    gaps = [sum(map(sum, way.regrets)) / best for way, best in zip(ways, shortest, strict=True)]
    error = f" ± {stdev(gaps) / len(gaps) ** 0.5:.2%}" if len(gaps) > 1 else ""
    print(f"  {label:<14} {'all':<12} {fmean(gaps):.2%}{error}")


def _share(part: int) -> str:
    return f"{1 - part / PARTS:.0%} to {1 - (part + 1) / PARTS:.0%}".ljust(12)


def measure(names: Iterable[str], set_name: str, count: int) -> None:
    """Print what each teacher's choices cost."""
    problem = problems.load("tsp")
    instances = problem.load(set_name)[:count]
    shortest = [way.length for way in begin(problem, instances)]
    print(f"{set_name}, {len(instances)} instances, shortest {fmean(shortest):.4f}", flush=True)
    for name in names:
        teacher = teachers.load(name, ProblemRef("tsp"), "cpu")
        print(name)
        show("its own ways", walk(problem, teacher, instances, own=True), shortest)
        show("shortest ways", walk(problem, teacher, instances, own=False), shortest)


def main() -> None:
    """Two tables for each teacher."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["lehd-tsp"])
    parser.add_argument("--set", default="tsp50")
    parser.add_argument("--instances", type=int, default=60)
    given = parser.parse_args()
    use_one_thread()
    measure(given.names, given.set, given.instances)


if __name__ == "__main__":
    main()
