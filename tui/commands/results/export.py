"""`preceptor export`: a program of a run as a file that needs nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord
from tui.text.streams import emit, say

if TYPE_CHECKING:
    from engine.api.export import Export


def export(
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    run: RunWord = "latest",
    program: Annotated[
        str, typer.Option(metavar="ID", help="A program of the run; its best by default.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
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
    """
    import asyncio

    from engine.monitor.lookup import pick_run
    from problems.errors import UserError

    if file.exists() and not force:
        raise UserError(f"{file} is there already; --force replaces it")
    number = pick_run(db, run)
    made = asyncio.run(_export(db, number, program))
    _write(file, made.text)
    if made.unchecked:
        say(f"{file} cannot check itself: {made.unchecked}")
    if as_json:
        emit(_describe(number, file, made))
    else:
        print(f"{file}: program {made.candidate.id} of run {number}")


async def _export(db: Path, run: int, program: str) -> Export:
    from engine.api.export import export as export_program
    from engine.store.reader import Reader

    with Reader(db) as reader:
        return await export_program(reader, run, program or None)


def _write(file: Path, text: str) -> None:
    from problems.errors import WorldError

    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise WorldError(f"{file} cannot be written: {error.strerror}") from error


def _describe(run: int, file: Path, made: Export) -> dict[str, object]:
    return {
        "run": run,
        "program": made.candidate.id,
        "file": str(file),
        "cost": made.candidate.cost,
        "objective": made.objective,
        "agreement": made.candidate.agreement,
        "checks_itself": made.unchecked is None,
    }
