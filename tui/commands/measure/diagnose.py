"""`preceptor diagnose`: what a teacher says of a program, a rule or another teacher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_sets, complete_solvers, complete_teachers
from tui.commands.measure.solver_options import PROGRAM, Device
from tui.commands.options import Db, Json, OptionWords, ProblemWord
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from engine.api.measure.diagnose import DiagnosisReport
    from engine.api.measure.solvers import Solver, SolverResources
    from engine.domain.specs.settings import Settings


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
    from tui.text.pages.diagnose import page_diagnosis

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
