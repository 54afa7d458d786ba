"""A run of the list at a glance: its title, status and best program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.names import command
from tui.text.formatting import clock, format_outcome, join
from tui.text.settings import format_settings, title
from tui.text.status_symbols import status_colour, status_label
from tui.widgets.code.code import number_lines

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.records import Label
    from engine.domain.values import Candidate
    from engine.monitor.run_summary import RunEntry

RESUMABLE = ("paused", "stopped", "budget", "interrupted")


def describe(entry: RunEntry, db: Path, width: int) -> Content:
    """The run in words, for the store `db`, code broken at `width` cells."""
    row = entry.row
    status = Content.styled(status_label(entry.status), f"bold {status_colour(entry.status)}")
    parts = [
        Content.assemble(status, f"  {clock(row.seconds)}"),
        Content(row.reason),
        Content(title(row.spec)),
        Content(_label(row.label)),
        Content(format_settings(row.spec)),
        _advise(entry, db),
        describe_best(entry.best, width, "best ") if entry.best else Content(""),
    ]
    return Content("\n\n").join(part for part in parts if part)


def _label(label: Label) -> str:
    """What its user calls the run; empty where nothing was said of it."""
    return "\n".join(filter(None, (join(label.name, *label.tags), label.note)))


def _advise(entry: RunEntry, db: Path) -> Content:
    if entry.status not in RESUMABLE:
        return Content("")
    return Content(f"resume with: {command(f'resume {entry.row.number}', db)}")


def describe_best(best: Candidate, width: int, name: str = "") -> Content:
    """A program with its figures, idea and code broken at `width` cells, named by a word."""
    head = Content.assemble((f"{name}{best.id}  ", "bold"), format_outcome(best))
    code = number_lines(best.program.code, width)
    return Content("\n\n").join([head, Content(best.program.idea), code])
