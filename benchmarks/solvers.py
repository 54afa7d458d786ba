"""Whole programs beside classical solvers that get the same time an instance, on one core.

    python -m benchmarks.solvers studies/recorded/tsp-whole-blind.run tsp50-paper [SET ...] \\
        [--times 1 10]

For the winner of a recorded run, on each set: its mean objective and CPU seconds an instance; then
LKH for TSP (at least one run), PyVRP for CVRP and CP-SAT for the job shop, stopped after `--times`
as many CPU seconds; and what is best known. What building a solver's model takes is not counted,
nor are tries that find how many runs or how much work of a solver take so long. The solvers come
with the extra `reference`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, TypeAlias, TypeVar

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

T = TypeVar("T")

UNIT = 3.0
"""CPU seconds of CP-SAT's unit of deterministic work, about."""

Solved: TypeAlias = tuple[float | None, float]
"""Objective, None where nothing was found in time; CPU seconds."""


def run_lkh(instance: Any, seconds: float) -> Solved:
    """LKH by elkai, in as many runs as take about so long; fewer where it proves its tour."""
    runs = 1
    best, spent = timed(partial(lkh.shortest, instance, runs))
    while spent < 0.7 * seconds and runs < 1000:
        runs = max(runs + 1, int(runs * seconds / spent))
        best, spent = timed(partial(lkh.shortest, instance, runs))
    return best, spent


def run_pyvrp(instance: Any, seconds: float) -> Solved:
    """PyVRP's hybrid genetic search."""
    model = hgs.build_model(instance)
    end = process_time() + seconds
    actions, spent = timed(lambda: hgs.search(instance, model, lambda _: process_time() >= end))
    return replay(instance, actions), spent


def run_cp_sat(shop: Any, seconds: float) -> Solved:
    """CP-SAT with one worker, its deterministic limit set by what a first solution of it took."""
    model = build_model(shop, 0, sum(map(sum, shop.durations)), {})
    work = seconds / UNIT
    _, spent = timed(lambda: new_solver(work).solve(model.model))
    solver = new_solver(work * seconds / spent)
    status, spent = timed(lambda: solver.solve(model.model))
    found = solver.status_name(status) in ("OPTIMAL", "FEASIBLE")
    return float(solver.value(model.makespan)) if found else None, spent


def timed(run: Callable[[], T]) -> tuple[T, float]:
    """What a function returns, and the CPU seconds that it takes."""
    begun = process_time()
    return run(), process_time() - begun


SOLVERS: dict[str, tuple[str, Callable[[Any, float], Solved]]] = {
    "tsp": ("LKH", run_lkh),
    "cvrp": ("PyVRP", run_pyvrp),
    "jssp": ("CP-SAT", run_cp_sat),
}
"""By problem: the name of a solver, and what it reaches on an instance in so many seconds."""


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
        solver, solve = SOLVERS[problem]
        for factor in factors:
            given = factor * program.seconds
            ended = [solve(instance, given) for instance in instances]
            seconds = fmean(spent for _, spent in ended)
            name = f"{solver}, {factor:g} times as long"
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
        winner = f"run:{row.number}"
        whole = (f"{problem}.kind=whole",)
        for measured in preceptor.bench(problem, [winner], given.sets, whole, db):
            heads = (
                f"{measured.set}, {measured.instances} instances",
                "mean",
                "CPU s an instance",
            )
            print(table(heads, lines(problem, measured, given.times)), end="\n\n")


if __name__ == "__main__":
    main()
