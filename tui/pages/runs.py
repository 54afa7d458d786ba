"""All runs of a store as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.words import NOTHING, moment, number, share, short_name, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.summary import Entry

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


def page_runs(entries: Sequence[Entry]) -> str:
    """One line a run, in the order given."""
    return table(_HEAD, [_cells(entry) for entry in entries])


def _cells(entry: Entry) -> tuple[str, ...]:
    row, best = entry.row, entry.best
    generation = NOTHING if entry.generation is None else str(entry.generation)
    return (
        str(row.number),
        entry.status,
        short_name(row.spec.problem.name),
        row.spec.method,
        str(row.spec.seed),
        f"{generation}/{row.spec.settings.generations}",
        number(best.cost if best else None),
        share(best.agreement if best else None),
        str(entry.calls),
        moment(row.created),
    )
