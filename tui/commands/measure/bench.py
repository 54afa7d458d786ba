"""`preceptor bench`: what rules, programs and teachers reach on instance sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_sets, complete_solvers, complete_teachers
from tui.commands.measure.solver_options import PROGRAM, Device
from tui.commands.options import Db, Json, KindWord, OptionWords, ProblemWord, with_kind
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.api.measure.bench import BenchTable
    from engine.api.measure.solvers import Solver, SolverResources


def bench(
    problem: ProblemWord,
    kind: KindWord = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME",
            help="An instance set; the design set by default.",
            autocompletion=complete_sets,
        ),
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A classical rule.", autocompletion=complete_solvers),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help=PROGRAM),
    ] = None,
    teacher: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A teacher, by greedy rollout.",
            autocompletion=complete_teachers,
        ),
    ] = None,
    option: OptionWords = None,
    device: Device = "auto",
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Measure solvers on instance sets: mean objective, milliseconds an instance and a decision.

    All classical rules where no solver is named. Times are CPU time, for teachers wall-clock time.
    A program may take an hour for a set, as in a study, or what --option eval_seconds=S says; one
    that does not get through is shown with what it has solved. What is best known is shown where
    something is.

    \b
    Examples:
      preceptor bench jssp --set taillard-20x20
      preceptor bench jssp --set random-20x20 --solver mwkr --program best.py --teacher offline-l2d
      preceptor bench tsp --kind whole --set tsp200
      preceptor bench jssp --set ./my-instances --json
    """
    import asyncio

    from engine.api.measure.solvers import choose_solvers, open_resources
    from engine.domain.specs.study import PATIENCE
    from tui.json.measures import describe_table
    from tui.text.pages.bench import page_table

    words = with_kind(problem, option, kind)
    resources, _ = open_resources(problem, words, device, patience=PATIENCE)
    task = resources.problem
    solvers = choose_solvers(task, solver or (), program or (), teacher or (), db)
    show = _ignore if as_json else lambda table: put(page_table(table), end="\n\n")
    tables = asyncio.run(_measure(resources, sets or [task.design], solvers, show))
    if as_json:
        emit([describe_table(table) for table in tables])


async def _measure(
    resources: SolverResources,
    sets: Sequence[str],
    solvers: Sequence[Solver],
    show: Callable[[BenchTable], None],
) -> list[BenchTable]:
    from engine.api.measure.bench import bench as benchmark

    tables = []
    async with resources:
        async for table in benchmark(resources, sets, solvers, say):
            show(table)
            tables.append(table)
    return tables


def _ignore(_: BenchTable) -> None:
    """JSON comes in one piece, at the end."""
