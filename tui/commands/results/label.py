"""`preceptor label`: a run's name, note and tags."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, RunWord
from tui.text.streams import emit, put


def label(
    run: RunWord,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is called; '' takes the name away.")
    ] = None,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What to remember; '' takes it away.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag to add; may be repeated.")
    ] = None,
    untag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag to drop; may be repeated.")
    ] = None,
    db: Db = DEFAULT_DB,
    as_json: Json = False,
) -> None:
    """Name a run, note something about it, tag it; without options, say what is there.

    A name may be typed wherever a run's number may. Names and tags are single words.

    \b
    Examples:
      preceptor label 12 --name night --note "after the fields were widened" --tag paper
      preceptor show night
      preceptor runs --tag paper
    """
    from dataclasses import asdict

    from engine.api.store import label_run
    from engine.monitor.lookup import pick_run

    number = pick_run(db, run)
    now = label_run(db, number, name, note, tuple(tag or ()), tuple(untag or ()))
    if as_json:
        emit({"run": number, **asdict(now)})
    else:
        parts = (now.name or "no name", ", ".join(now.tags) or "no tags", now.note or "no note")
        put(f"run {number}: {'; '.join(parts)}")
