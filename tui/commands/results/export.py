"""`preceptor export`: a program of a run as a file that needs nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord
from tui.text.formatting import in_milliseconds
from tui.text.streams import emit, put, say

if TYPE_CHECKING:
    from engine.api.export import Export


def export(
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    run: RunWord = "latest",
    program: Annotated[
        str, typer.Option(metavar="ID", help="A program of the run; its best by default.")
    ] = "",
    under: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="The best that takes at most so long a decision, as in 1ms."
        ),
    ] = "",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace a file that is there; take a program that the gate refuses."
        ),
    ] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Write a program to a file of its own, with where it comes from in the docstring.

    The file imports nothing of Preceptor; run as a script, it solves an instance that it carries
    and compares actions and cost with the recorded ones.

    \b
    Examples:
      preceptor export latest -o rule.py && python rule.py
      preceptor export 12 --program p0031 -o rule.py --force
      preceptor export 12 --under 0.1ms -o quick.py
    """
    from engine.api.export import refuse_existing
    from engine.api.run import Run
    from engine.monitor.lookup import pick_run

    refuse_existing(file, force)
    chosen = Run(db, pick_run(db, run))
    made = chosen.export(file, program, force, under)
    if made.unchecked:
        say(f"{file} cannot check itself: {made.unchecked}")
    if as_json:
        emit(_describe(chosen.number, file, made))
    else:
        put(f"{file}: program {made.candidate.id} of {chosen.job}")


def _describe(run: int, file: Path, made: Export) -> dict[str, object]:
    return {
        "run": run,
        "program": made.candidate.id,
        "file": str(file),
        "cost": made.candidate.cost,
        "objective": made.objective,
        "selection_cost": made.candidate.selection_cost,
        "agreement": made.candidate.agreement,
        "milliseconds": in_milliseconds(made.candidate.pace),
        "checks_itself": made.unchecked is None,
    }
