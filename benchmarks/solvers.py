"""Whole programs beside classical solvers that get the same time an instance, on one core.

    python -m benchmarks.solvers studies/recorded/rules/tsp-whole-0.run tsp50-paper [SET ...] \\
        [--times 1 10]

For the winner of a recorded run, on each set: its mean objective and CPU seconds an instance; then
LKH for TSP (as many runs as last about so long, at least one), PyVRP for CVRP and CP-SAT for the
job shop, stopped after `--times` as many seconds; and what is best known. What building a solver's
model takes is not counted. The solvers come with the extra `reference`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, TypeAlias

import preceptor
import problems
from benchmarks.evidence import table
from engine.api.measure.bench import BenchTable
from engine.store.reader import Reader
from engine.store.transfer import import_run
from problems.cvrp.references import hgs
from problems.cvrp.walk import replay
from problems.tsp.references import lkh
from teachers.cp_sat import build_model, new_solver

Solved: TypeAlias = tuple[float | None, float]
"""Objective, None where nothing was found in time; CPU seconds."""


@dataclass(frozen=True)
class Solver:
    """A classical solver: what it reaches on an instance in about so many seconds."""

    name: str
    solve: Callable[[Any, float], Solved]


def run_lkh(instance: Any, seconds: float) -> Solved:
    """LKH by elkai, in as many runs as take about so long by the time of the first."""
    begun = process_time()
    best = lkh.shortest(instance, 1)
    first = process_time() - begun
    runs = int(seconds / first)
    if runs < 2:
        return best, first
    begun = process_time()
    return lkh.shortest(instance, runs), process_time() - begun


def run_pyvrp(instance: Any, seconds: float) -> Solved:
    """PyVRP's hybrid genetic search."""
    from pyvrp.stop import MaxRuntime

    model = hgs.build_model(instance)
    begun = process_time()
    actions = hgs.search(instance, model, MaxRuntime(seconds))
    return replay(instance, actions), process_time() - begun


def run_cp_sat(shop: Any, seconds: float) -> Solved:
    """CP-SAT with one worker, its deterministic limit out of reach."""
    from ortools.sat.python import cp_model

    most = sum(map(sum, shop.durations))
    model = build_model(shop, 0, most, {})
    solver = new_solver(1e9)
    solver.parameters.max_time_in_seconds = seconds
    begun = process_time()
    found = solver.solve(model.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return float(solver.value(model.makespan)) if found else None, process_time() - begun


SOLVERS = {
    "tsp": Solver("LKH", run_lkh),
    "cvrp": Solver("PyVRP", run_pyvrp),
    "jssp": Solver("CP-SAT", run_cp_sat),
}


def show(name: str, objectives: Sequence[float | None], seconds: float | None) -> tuple[str, ...]:
    """A line of the table: who, mean objective, seconds an instance."""
    solved = [one for one in objectives if one is not None]
    missing = len(objectives) - len(solved)
    mean = f"{fmean(solved):.6g}" if solved and not missing else f"{missing} without a solution"
    return name, mean, "" if seconds is None else f"{seconds:.3g}"


def lines(problem: str, measured: BenchTable, factors: Sequence[float]) -> list[tuple[str, ...]]:
    """A program on a set, the solver in the same time and in multiples of it, the best known."""
    program = next(row for row in measured.rows if row.kind == "program")
    found = [show("program", program.costs, program.seconds)]
    if problem in SOLVERS and program.seconds:
        instances = problems.load(problem).load(measured.set)
        for factor in factors:
            given = factor * program.seconds
            ended = [SOLVERS[problem].solve(instance, given) for instance in instances]
            seconds = fmean(spent for _, spent in ended)
            name = f"{SOLVERS[problem].name}, {factor:g} times as long"
            found.append(show(name, [objective for objective, _ in ended], seconds))
    known = [row for row in measured.rows if row.kind == "reference"]
    return [*found, *(show("best known", row.costs, None) for row in known)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--times", type=float, nargs="*", default=[1.0, 10.0])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder, "runs.db")
        import_run(db, given.recording)
        with Reader(db) as reader:
            (row,) = reader.runs()
        problem = row.spec.problem.name
        whole = (f"{problem}.kind=whole",)
        for measured in preceptor.bench(problem, ["run:1"], given.sets, whole, db):
            heads = (
                f"{measured.set}, {measured.instances} instances",
                "mean",
                "CPU s an instance",
            )
            print(table(heads, lines(problem, measured, given.times)), end="\n\n")


if __name__ == "__main__":
    main()
