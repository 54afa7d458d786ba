"""`preceptor runs`: all runs and studies of the store."""

from __future__ import annotations

from tui.options import DEFAULT_DB, Db, Json
from tui.output import emit, say


def runs(db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """List all runs, newest first, and the studies that they belong to.

    \b
    Examples:
      preceptor runs
      preceptor runs --db old.db --json
    """
    from engine.reader import Reader
    from tui.documents import describe_entry
    from tui.pages.runs import page_runs
    from tui.pages.study import describe_standing
    from tui.standing import read_standing
    from tui.study_viewer import advise
    from tui.summary import list_runs

    with Reader(db) as reader:
        entries = list_runs(reader)
        studies = [read_standing(reader, row.number) for row in reader.studies()]
    if as_json:
        listed = [describe_standing(standing) for standing in studies]
        emit({"studies": listed, "runs": [describe_entry(entry) for entry in entries]})
    elif entries or studies:
        print(page_runs(entries, studies))
        for standing in studies:
            if standing.status == "interrupted":
                advise(standing, db)
    else:
        say(f"{db} holds no runs yet; start one with: preceptor run PROBLEM")
