"""`preceptor watch`: follow a run or a study, or see a finished one again."""

from __future__ import annotations

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, WordAtWork


def watch(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Follow a live run or study, or print the events of a finished one again.

    Any number of viewers may watch; leaving with Ctrl-C never ends the run.
    The exit code is that of the run, as `preceptor run` gives it.

    \b
    Examples:
      preceptor watch
      preceptor watch 12 --json
      preceptor watch study:1
    """
    from engine.api.store import pick_job
    from tui.commands.launch.narrate import watch as follow

    raise typer.Exit(follow(pick_job(db, run), as_json))
