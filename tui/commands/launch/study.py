"""`preceptor study`: methods side by side, over seeds, measured on held-out sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, ExecutorWord, Headless, Json, OnEnd
from tui.text.streams import emit, put, say


def study(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A study file (TOML), such as those in studies/."),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would do and cost, and do nothing.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--new", help="Begin it anew, whatever an equal study has done.")
    ] = False,
    executor: ExecutorWord = None,
    headless: Headless = False,
    _on_end: OnEnd = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Compare methods: problems x methods x seeds, several runs at once, winners measured.

    In a terminal it is shown on a screen, else or with --headless in progress lines.
    The same command again goes on where the study stands; so does preceptor resume study:N.
    It is a process of its own: leaving never ends it, preceptor watch study:N comes back.
    Exit code: 0 done, 1 failed, paused or stopped, 2 usage, 3 no writer or no teacher, 130 after
    Ctrl-C.

    \b
    Examples:
      preceptor study studies/paper-jssp.toml --dry-run
      preceptor study studies/paper-jssp.toml
      preceptor study FILE --executor dask:tcp://127.0.0.1:8786
      preceptor watch study:1
    """
    from engine.api.forecast import forecast_study
    from engine.api.study import start_study
    from tui.commands.launch.narrate import watch
    from tui.json.runs import describe_study_forecast
    from tui.text.pages.study import page_study_forecast

    found = forecast_study(file, db)
    if dry_run and as_json:
        emit(describe_study_forecast(found))
    elif dry_run:
        put(page_study_forecast(found))
    else:
        say(page_study_forecast(found))
        job = start_study(found.plan, db, anew, executor or "")
        raise typer.Exit(watch(job, as_json, headless))
