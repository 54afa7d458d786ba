"""`preceptor tune`: better constants for any program, found by search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_sets
from tui.commands.measure.solver_options import PROGRAM
from tui.commands.options import Db, Json, KindWord, OptionWords, ProblemWord, with_kind
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.api.measure.solvers import Solver, SolverResources
    from engine.api.measure.tune import TuneReport
    from engine.domain.specs.settings import Settings


def tune(
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
    from tui.text.pages.tune import page_tuning

    refuse_existing(file, force)
    _refuse_seconds(option or ())
    resources, settings = open_resources(problem, with_kind(problem, option, kind))
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
