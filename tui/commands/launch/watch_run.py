"""Watching a run from a terminal or a pipe; leaving never ends the run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import typer

from engine.domain.names import command
from engine.domain.status import Job
from engine.monitor.event_stream import EventStream
from engine.monitor.run_result import read_run_result
from engine.runtime.launch import launch
from engine.runtime.writers.writer_config import collect_keys
from engine.store.reader import Reader
from tui.commands.launch.screen import has_screen, show_run, start_run
from tui.json.runs import describe_event, describe_result, describe_start
from tui.text.narration import Narrator
from tui.text.pages.result import advise, page_result
from tui.text.settings import title
from tui.text.streams import emit_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.domain.events import Event
    from engine.domain.records import RunRow
    from engine.monitor.run_result import RunResult

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class Teller(Protocol):
    """How a run is told: as lines to read, or as lines of JSON."""

    def begin(self, row: RunRow) -> None:
        """Say which run this is."""

    def tell(self, event: Event, run: int) -> None:
        """Say what happened."""

    def end(self, ending: RunResult, db: Path) -> None:
        """Say how it ended."""


class Reading:
    """Progress on stderr, the result on stdout."""

    def __init__(self, teacher: bool) -> None:
        self._narrator = Narrator(teacher)

    def begin(self, row: RunRow) -> None:
        """One line."""
        say(f"run {row.number}: {title(row.spec)}")

    def tell(self, event: Event, run: int) -> None:
        """One line, or none for what goes without saying."""
        line = self._narrator.narrate(event)
        if line is not None:
            say(line)

    def end(self, ending: RunResult, db: Path) -> None:
        """The result, and what to do when the run did not finish."""
        print(page_result(ending, db), flush=True)
        advice = advise(ending, db)
        if advice is not None:
            say(advice)


class JsonLines:
    """Every event a line of JSON on stdout, the settings the first, the result the last."""

    def begin(self, row: RunRow) -> None:
        """The run with everything that was asked for."""
        emit_line(describe_start(row))

    def tell(self, event: Event, run: int) -> None:
        """The event; its `run-ended` is left to `end`, which knows the result."""
        if event.kind != "run-ended":
            emit_line(describe_event(event, run))

    def end(self, ending: RunResult, db: Path) -> None:
        """The result; what to do about it stays narration."""
        emit_line(describe_result(ending))
        advice = advise(ending, db)
        if advice is not None:
            say(advice)


def watch(db: Path, run: int, as_json: bool) -> int:
    """Follow a run to its end, or tell a finished one again; returns the exit code.

    In a terminal the run is shown on a screen of its own.
    """
    if not as_json and has_screen():
        return show_run(db, run)
    with Reader(db) as reader, leaving(db, str(run)):
        teller = introduce(reader.run(run), as_json)
        return follow(EventStream(reader, run), teller, db)


def start(db: Path, run: int, as_json: bool, headless: bool = False) -> int:
    """Start a run's engine and follow what it does from now on; returns the exit code.

    In a terminal the run is shown on a screen of its own, unless it shall be `headless`.
    Raises WriterUnavailable without the key of its language model, WorldError for an engine that
    does not come up.
    """
    with Reader(db) as reader, leaving(db, str(run)):
        row = reader.run(run)
        keys = collect_keys(row.spec.endpoints)
        if not (as_json or headless) and has_screen():
            return start_run(db, run, keys)
        teller = introduce(row, as_json)
        feed = EventStream(reader, run)
        feed.skip()
        launch(db, Job("run", run), keys)
        return follow(feed, teller, db)


def introduce(row: RunRow, as_json: bool) -> Teller:
    """Who tells this run, having said which one it is."""
    teller = JsonLines() if as_json else Reading(teacher=bool(row.spec.teacher))
    teller.begin(row)
    return teller


def follow(feed: EventStream, teller: Teller, db: Path) -> int:
    """Tell everything that comes, then how the run ended; returns the exit code."""
    for event in feed.follow():
        teller.tell(event, feed.run)
    ending = read_run_result(feed.reader, feed.run)
    teller.end(ending, db)
    return ending.exit_code


@contextmanager
def leaving(db: Path, word: str) -> Iterator[None]:
    """Ctrl-C ends the viewer alone: say how to come back, and how to stop what is at work.

    `word` is what a user types for it.
    """
    try:
        yield
    except KeyboardInterrupt:
        say(
            f"\n{word if ':' in word else f'run {word}'} goes on without you; "
            f"come back with: {command(f'watch {word}', db)}, "
            f"stop it with: {command(f'stop {word}', db)}"
        )
        raise typer.Exit(INTERRUPTED) from None
