"""`preceptor show`: one run, or one program of it, in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_programs
from tui.commands.options import Db, Json, RunWord
from tui.text.streams import emit, put

if TYPE_CHECKING:
    from engine.monitor import Reader


def show(
    run: RunWord = "latest",
    program: Annotated[
        str,
        typer.Argument(
            metavar="[PROGRAM]",
            help="A program of the run, such as p0031.",
            autocompletion=complete_programs,
        ),
    ] = "",
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Show a run, or one of its programs, in full.

    Of a run: settings, totals, population, failures, yield of the operators.
    Of a program: code, cost, the teacher's comments with their cases, prompt and reply.

    \b
    Examples:
      preceptor show
      preceptor show 12
      preceptor show 12 p0031 --json
    """
    from engine.monitor import Reader
    from engine.monitor.lookup import pick_run

    number = pick_run(db, run)
    with Reader(db) as reader:
        if program:
            _show_program(reader, number, program, as_json)
        else:
            _show_run(reader, number, as_json)


def _show_run(reader: Reader, run: int, as_json: bool) -> None:
    from engine.monitor.run_summary import summarise
    from tui.json.runs import describe_run
    from tui.text.pages.run import page_run

    summary = summarise(reader, run)
    if as_json:
        emit(describe_run(summary))
    else:
        put(page_run(summary))


def _show_program(reader: Reader, run: int, id: str, as_json: bool) -> None:
    from engine.monitor.run_result import natural_objective
    from engine.monitor.speed import find_speed
    from tui.json.runs import describe_program
    from tui.text.pages.program import page_program

    candidate = reader.candidate(run, id)
    speed = find_speed(reader, run, candidate)
    exchanges = [
        exchange
        for exchange in reader.exchanges(run, candidate.generation, candidate.slot)
        if exchange.call.key.purpose == "program"
    ]
    row = reader.run(run)
    if as_json:
        objective = natural_objective(row, candidate.cost)
        emit(describe_program(run, candidate, objective, exchanges, speed, row.spec.teacher))
    else:
        parents = [reader.candidate(run, parent) for parent in candidate.parents]
        put(page_program(candidate, parents, exchanges, speed))
