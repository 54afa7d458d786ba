"""All runs of a store as one table, its studies before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING, short_name
from tui.text.formatting import moment, number, share, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.monitor.run_summary import RunEntry
    from engine.monitor.study_status import StudyStatus

_HEAD = (
    "run",
    "status",
    "problem",
    "method",
    "seed",
    "gen",
    "best cost",
    "agreement",
    "calls",
    "started",
)


def page_runs(entries: Sequence[RunEntry], studies: Sequence[StudyStatus] = ()) -> str:
    """One line a study, then one a run, in the order given."""
    lines = [_tell(status) for status in studies]
    head = ("study", *_HEAD) if studies else _HEAD
    listed = table(head, [_cells(entry)[not studies :] for entry in entries])
    return "\n".join([*lines, "", listed] if studies else [listed])


def _tell(status: StudyStatus) -> str:
    row = status.row
    return f"study {row.number} {row.name} {status.status}: {status.progress}"


def _cells(entry: RunEntry) -> tuple[str, ...]:
    row, best = entry.row, entry.best
    return (
        NOTHING if entry.study is None else str(entry.study),
        str(row.number),
        entry.status,
        short_name(row.spec.problem.name),
        row.spec.method,
        str(row.spec.seed),
        entry.reached,
        number(best.cost if best else None),
        share(best.agreement if best else None),
        str(entry.calls),
        moment(row.created),
    )
