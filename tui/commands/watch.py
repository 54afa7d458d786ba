"""`preceptor watch`: follow a run, or see a finished one again."""

from __future__ import annotations

import typer

from tui.options import DEFAULT_DB, Db, Json, RunWord


def watch(run: RunWord = "latest", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Follow a run that is at work, or tell a finished one again.

    Any number of viewers may watch; leaving with Ctrl-C never ends the run.
    The exit code is that of the run, as `preceptor run` gives it.

    \b
    Examples:
      preceptor watch
      preceptor watch 12 --json
    """
    from tui import viewer
    from tui.selection import pick_run

    raise typer.Exit(viewer.watch(db, pick_run(db, run), as_json))
