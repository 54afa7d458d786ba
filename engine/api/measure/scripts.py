"""Measuring from a script or a notebook: calls that return when all is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.api.measure import bench as benchmarks
from engine.api.measure import diagnose as diagnosis
from engine.api.measure import tune as tuning
from engine.api.measure.bench import BenchRow, BenchTable
from engine.api.measure.diagnose import DiagnosisReport
from engine.api.measure.solvers import Solvable, as_solver, open_resources
from engine.api.measure.tune import TuneReport
from engine.api.resolve import Options
from engine.domain.concurrency import run_apart
from engine.domain.names import DEFAULT_DB
from engine.domain.specs.study import PATIENCE
from problems.base import Problem


def evaluate(
    problem: str,
    solver: Solvable,
    set: str = "",
    options: Options = (),
    store: Path | str = DEFAULT_DB,
) -> BenchRow:
    """What a function, file, rule or teacher reaches on a set, by default the design set.

    Its `costs` are an objective in the natural sense for each instance, None for one not solved,
    its `mean` is theirs, `seconds` are CPU seconds an instance. A program runs in the sandbox, for
    an hour of CPU time or what `eval_seconds` of the options says, and only its actions are
    believed. Raises UnknownName for a problem, set or solver, UserError for a function whose text
    cannot be had, BadProgram for code without the problem's function; a program that fails is a
    row with its `failure`. Example: `evaluate("jssp", score, set="random-20x20").mean`
    """
    (table,) = bench(problem, [solver], [set] if set else (), options, store)
    return table.rows[0]


def bench(
    problem: str,
    solvers: Sequence[Solvable] = (),
    sets: Sequence[str] = (),
    options: Options = (),
    store: Path | str = DEFAULT_DB,
) -> tuple[BenchTable, ...]:
    """A table for every set, by default the design set, with what is best known where it is.

    Its `rows` are as `evaluate` gives them. All classical rules where no solver is named. Raises
    what `evaluate` does.
    Example: `bench("jssp", ["mwkr", "teacher:offline-l2d", "rule.py"], ["taillard-20x20"])`
    """

    async def measure() -> tuple[BenchTable, ...]:
        resources, settings = open_resources(problem, options, patience=PATIENCE)
        task = resources.problem
        db = Path(store)
        chosen = [as_solver(task, one, db) for one in solvers or _rules(task)]
        names = sets or [settings.design or task.design]
        async with resources:
            tables = benchmarks.bench(resources, names, chosen, _ignore)
            return tuple([table async for table in tables])

    return run_apart(measure())


def diagnose(
    problem: str,
    solver: Solvable,
    teacher: str = "",
    set: str = "",
    options: Options = (),
    store: Path | str = DEFAULT_DB,
) -> DiagnosisReport:
    """What a teacher, by default the problem's own, says of a solver on a set.

    Its `diagnostics` are shares from 0 to 1 of states sampled from the solver's rollouts. Raises
    what `evaluate` does, PreceptorError for a solver that fails or a teacher that cannot answer.
    Example: `diagnose("jssp", "rule.py").diagnostics.agreement`
    """

    async def ask() -> DiagnosisReport:
        resources, settings = open_resources(problem, options, design=set)
        one = as_solver(resources.problem, solver, Path(store))
        async with resources:
            return await diagnosis.diagnose(resources, one, teacher, settings, _ignore)

    return run_apart(ask())


def tune(
    problem: str,
    solver: Solvable,
    output: Path | str | None = None,
    sets: Sequence[str] = (),
    seconds: float = tuning.SECONDS,
    seed: int = 0,
    options: Options = (),
    store: Path | str = DEFAULT_DB,
) -> TuneReport:
    """Move the constants of a program where that makes it better on instances kept for judging.

    It takes so many CPU `seconds`, and is written to the file `output` where it is better. `sets`
    are measured before and after. Raises what `evaluate` does, BadProgram also for a program
    without constants, PreceptorError for one that fails.
    Example: `tune("tsp", "rule.py", "better.py", ["tsp50"]).code`
    """

    async def search() -> TuneReport:
        resources, settings = open_resources(problem, options)
        one = as_solver(resources.problem, solver, Path(store))
        async with resources:
            found = await tuning.tune(resources, one, settings, sets, seconds, seed)
        if output is not None and found.code is not None:
            tuning.write_text(Path(output), tuning.tuned_text(one.name, one, found))
        return found

    return run_apart(search())


def _rules(task: Problem) -> list[str]:
    return [rule.name for rule in task.rules()]


def _ignore(_: str) -> None:
    """Nobody hears what is being done."""
