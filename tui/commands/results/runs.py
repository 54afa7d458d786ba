"""`preceptor runs`: all runs and studies of the store."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json
from tui.text.streams import emit, put, say


def runs(
    db: Db = DEFAULT_DB,
    tag: Annotated[
        str, typer.Option(metavar="TAG", help="Only runs with this tag (preceptor label).")
    ] = "",
    as_json: Json = False,
) -> None:
    """List all runs, newest first, and the studies that they belong to.

    \b
    Examples:
      preceptor runs
      preceptor runs --db old.db --json
    """
    from engine.monitor import Reader
    from engine.monitor.run_summary import list_runs
    from engine.monitor.study_status import read_study_status
    from tui.json.runs import describe_entry, describe_study_status
    from tui.text.pages.runs import page_runs
    from tui.text.pages.study import advise_study

    with Reader(db) as reader:
        entries = [one for one in list_runs(reader) if not tag or tag in one.row.label.tags]
        studies = [read_study_status(reader, row.number) for row in reader.studies()]
    if as_json:
        listed = [describe_study_status(status) for status in studies]
        emit({"studies": listed, "runs": [describe_entry(entry) for entry in entries]})
    elif entries or studies:
        put(page_runs(entries, studies))
        for status in studies:
            if status.status == "interrupted":
                say(advise_study(status, db) or "")
    else:
        which = f"with tag {tag}" if tag else "yet"
        say(f"{db} holds no runs {which}; start one with: preceptor run PROBLEM")
