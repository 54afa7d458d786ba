"""`preceptor runs`: all runs of the store."""

from __future__ import annotations

from tui.options import DEFAULT_DB, Db, Json
from tui.output import emit, say


def runs(db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """List all runs, newest first.

    \b
    Examples:
      preceptor runs
      preceptor runs --db old.db --json
    """
    from engine.reader import Reader
    from tui.documents import describe_entry
    from tui.pages.runs import page_runs
    from tui.summary import list_runs

    with Reader(db) as reader:
        entries = list_runs(reader)
    if as_json:
        emit({"runs": [describe_entry(entry) for entry in entries]})
    elif entries:
        print(page_runs(entries))
    else:
        say(f"{db} holds no runs yet; start one with: preceptor run PROBLEM")
