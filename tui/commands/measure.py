"""`preceptor bench`, `diagnose` and `tune`: solvers on instance sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import (
    PROGRAM,
    Db,
    Device,
    Json,
    KindWord,
    OptionWords,
    ProblemWord,
    complete_sets,
    complete_solvers,
    complete_teachers,
    read_options,
)
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from engine.api.measure.bench import BenchTable
    from engine.api.measure.diagnose import DiagnosisReport
    from engine.api.measure.solvers import Solver, SolverResources
    from engine.api.measure.tune import TuneReport
    from engine.domain.specs.settings import Settings


def bench(
    context: typer.Context,
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
    from problems.errors import TeacherUnavailable
    from tui.json.measures import describe_table
    from tui.text.pages.measures import page_table

    words = read_options(context.params)
    resources, _ = open_resources(problem, words, device, patience=PATIENCE)
    task = resources.problem
    solvers = choose_solvers(task, solver or (), program or (), teacher or (), db)
    show = _ignore_table if as_json else lambda table: put(page_table(table), end="\n\n")
    tables = asyncio.run(_measure_sets(resources, sets or [task.design], solvers, show))
    if as_json:
        emit([describe_table(table) for table in tables])
    for row in (row for table in tables for row in table.rows):
        if row.kind == "teacher" and row.failure is not None:
            raise TeacherUnavailable(row.failure.message)


async def _measure_sets(
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


def _ignore_table(_: BenchTable) -> None:
    """JSON comes in one piece, at the end."""


def diagnose(
    problem: ProblemWord,
    program: Annotated[str, typer.Option(metavar="FILE", help=PROGRAM)] = "",
    solver: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A classical rule, or teacher:NAME.",
            autocompletion=complete_solvers,
        ),
    ] = "",
    teacher: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who comments; the problem's own by default.",
            autocompletion=complete_teachers,
        ),
    ] = "",
    design: Annotated[
        str,
        typer.Option(
            "--set",
            metavar="NAME",
            help="The set; the design set by default.",
            autocompletion=complete_sets,
        ),
    ] = "",
    option: OptionWords = None,
    device: Device = "auto",
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Let a teacher comment on a program at the states that the program itself visits.

    Agreement is the share of states where both choose alike, beside chance and standard error;
    then the most telling cases, drawn, with the fields of both choices.

    \b
    Examples:
      preceptor diagnose jssp --program best.py
      preceptor diagnose jssp --solver mwkr --set validation-20x20
      preceptor diagnose jssp --solver teacher:offline-l2d --json
    """
    import asyncio

    from engine.api.measure.solvers import choose_solvers, open_resources
    from tui.json.measures import describe_diagnosis
    from tui.text.pages.measures import page_diagnosis

    if bool(program) == bool(solver):
        raise typer.BadParameter("name one of --program and --solver")
    resources, settings = open_resources(problem, tuple(option or ()), device, design)
    rules = [solver] if solver else []
    programs = [program] if program else []
    (one,) = choose_solvers(resources.problem, rules, programs, (), db)
    found = asyncio.run(_comment(resources, one, teacher, settings))
    if as_json:
        emit(describe_diagnosis(found))
    else:
        put(page_diagnosis(found))


async def _comment(
    resources: SolverResources, solver: Solver, teacher: str, settings: Settings
) -> DiagnosisReport:
    from engine.api.measure.diagnose import diagnose

    async with resources:
        return await diagnose(resources, solver, teacher, settings, say)


def tune(
    context: typer.Context,
    problem: ProblemWord,
    program: Annotated[str, typer.Argument(metavar="FILE", help=PROGRAM)],
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME",
            help="A set to measure before and after.",
            autocompletion=complete_sets,
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, metavar="S", help="CPU seconds to search, about.")
    ] = 30.0,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed of the search.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    kind: KindWord = None,
    option: OptionWords = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Search for better constants of a program: those that it names, else the floats of its text.

    They are tuned on one half of the design set, and taken where the program is better by two
    standard errors on the other half. All else of the file stays. Exit code: 0 when a better
    program was written, 1 when none was found, 2 when there is nothing to tune.

    \b
    Examples:
      preceptor tune tsp rule.py -o better.py
      preceptor tune cvrp run:12 -o better.py --set cvrp50 --seconds 120
      preceptor tune jssp rule.py -o better.py --seed 1 --json
    """
    import asyncio

    from engine.api.export import refuse_existing
    from engine.api.measure.solvers import choose_solvers, open_resources
    from engine.api.measure.tune import tuned_text, write_text
    from tui.json.measures import describe_report
    from tui.text.pages.measures import page_tuning

    refuse_existing(file, force)
    _refuse_seconds(option or ())
    resources, settings = open_resources(problem, read_options(context.params))
    (solver,) = choose_solvers(resources.problem, (), [program], (), db)
    found = asyncio.run(_tune(resources, solver, settings, tuple(sets or ()), seconds, seed))
    if found.code is not None:
        write_text(file, tuned_text(program, solver, found))
    if as_json:
        emit(describe_report(found, file))
    else:
        put(page_tuning(found, file))
    raise typer.Exit(0 if found.code is not None else 1)


def _refuse_seconds(options: Iterable[str]) -> None:
    """Raise UserError for a setting of searches that looks as if it were about this one."""
    from engine.domain.specs.settings import split_options
    from problems.errors import UserError

    if found := [name for name in split_options(options) if name.startswith("tune_")]:
        raise UserError(f"option {found[0]} is about runs; here it is --seconds that counts")


async def _tune(
    resources: SolverResources,
    solver: Solver,
    settings: Settings,
    sets: tuple[str, ...],
    seconds: float,
    seed: int,
) -> TuneReport:
    from engine.api.measure.tune import tune as search

    async with resources:
        return await search(resources, solver, settings, sets, seconds, seed, say)
