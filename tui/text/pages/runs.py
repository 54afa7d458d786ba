"""All runs of a store as one table, its studies before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING, name_variant
from tui.text.formatting import moment, number, share, table
from tui.text.streams import line_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.monitor.run_result import RunResult
    from engine.monitor.run_summary import RunEntry
    from engine.monitor.study_status import StudyStatus

_COLUMNS = (
    "run",
    "status",
    "problem",
    "method",
    "seed",
    "gen",
    "best",
    "selection",
    "agree",
    "calls",
    "started",
)
_HEADS = {"best": "best cost", "agree": "agreement"}
"""Columns that have room for a longer head on a page."""

BROAD = 100
"""Cells of a line that has the room."""


def page_runs(entries: Sequence[RunEntry], studies: Sequence[StudyStatus] = ()) -> str:
    """A line for each study, then one for each run, in the order given."""
    lines = [format_study(status) for status in studies]
    columns: tuple[str, ...] = ("study", *_COLUMNS) if studies else _COLUMNS
    labelled = [entry.row.label for entry in entries]
    columns += ("name",) if any(label.name for label in labelled) else ()
    columns += ("tags",) if any(label.tags for label in labelled) else ()
    facts = [{**entry_facts(entry), "calls": str(entry.calls)} for entry in entries]
    listed = table_of(columns, facts)
    return "\n".join([*lines, "", listed] if studies else [listed])


def table_of(columns: Sequence[str], facts: Sequence[Mapping[str, str]]) -> str:
    """A table of some facts of runs, by the names of the columns."""
    width = line_width()
    heads = _HEADS if width is None or width >= BROAD else {}
    head = [heads.get(name, name) for name in columns]
    return table(head, [[one[name] for name in columns] for one in facts], width)


def run_facts(run: RunEntry | RunResult) -> dict[str, str]:
    """A run in words, by column."""
    row = run.row
    best = run.best
    return {
        "run": str(row.number),
        "status": run.status,
        "problem": name_variant(row.spec.problem, short=True),
        "method": row.spec.label,
        "seed": str(row.spec.seed),
        "best": number(best.cost if best else None),
        "selection": number(best.selection_cost if best else None),
        "agree": share(best.agreement if best else None),
        "started": moment(row.created),
        "name": row.label.name,
        "tags": " ".join(row.label.tags),
    }


def entry_facts(entry: RunEntry) -> dict[str, str]:
    """The same with the study it belongs to and the generation it has reached."""
    study = NOTHING if entry.study is None else str(entry.study)
    return {**run_facts(entry), "study": study, "gen": entry.reached}


def format_study(status: StudyStatus) -> str:
    """A study in one line."""
    row = status.row
    return f"study {row.number} {row.name} {status.status}: {status.progress}"
