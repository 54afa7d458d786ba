"""`preceptor remove` and `vacuum`: runs leave the store, and it gets smaller."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.complete import complete_runs
from tui.commands.options import Db, Json
from tui.text.streams import emit, is_terminal, put, say


def remove(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Runs by number or name.", autocompletion=complete_runs
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Delete runs for good, after a question; what other runs refer to stays.

    A run at work, one of a study, and one that another goes on from are kept. The file gets
    smaller with preceptor vacuum. Exit code: 0 removed, 1 not after all, 2 when one must stay.

    \b
    Examples:
      preceptor export-run 12 -o night.run     first, if it may be missed
      preceptor remove 12
      preceptor remove 3 4 5 --yes
    """
    from engine.api.store import remove_run
    from engine.domain.names import command
    from engine.monitor import Reader
    from engine.monitor.lookup import pick_run
    from engine.monitor.run_result import read_run_result
    from problems.errors import UserError
    from tui.text.pages.result import format_title

    numbers = list(dict.fromkeys(pick_run(db, word) for word in words))
    if not yes and not is_terminal(sys.stdin):
        raise UserError("nobody is there to be asked; add --yes")
    if not yes:
        with Reader(db) as reader:
            for number in numbers:
                say(format_title(read_run_result(reader, number)))
        if not typer.confirm("remove for good?", err=True):
            raise typer.Exit(1)
    for number in numbers:
        remove_run(db, number)
    if as_json:
        emit({"removed": numbers})
    else:
        put(f"removed: {', '.join(map(str, numbers))}")
        say(f"give the space back with: {command('vacuum', db)}")


def vacuum(db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Give the space of removed runs back to the disk. No engine may be at work.

    \b
    Examples:
      preceptor vacuum
      preceptor vacuum --db old.db --json
    """
    from engine.api.store import vacuum as shrink
    from problems.errors import UserError

    if not db.exists():
        raise UserError(f"{db}: there is no such run store")
    before, after = shrink(db)
    if as_json:
        emit({"before": before, "after": after})
    else:
        put(f"{db}: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")
