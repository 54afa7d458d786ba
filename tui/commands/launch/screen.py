"""Runs on a screen of their own: when there is one, and what is said when the user has left it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future
    from pathlib import Path


def has_screen() -> bool:
    """Whether there is a terminal to draw on and to type at."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def show_runs(db: Path) -> None:
    """The list of runs, until the user leaves."""
    from tui.app.app import open_screen  # Textual is imported only when a screen opens

    open_screen(db, None)


def start_run(db: Path, run: int, keys: Mapping[str, str]) -> int:
    """Start a run's engine and show the run at once; returns the exit code.

    `keys` are the writers' secrets. Raises WorldError for an engine that does not come up.
    """
    from concurrent.futures import ThreadPoolExecutor

    from engine.domain.status import Job
    from engine.runtime.launch import launch

    with ThreadPoolExecutor(1) as executor:
        return show_run(db, run, executor.submit(launch, db, Job("run", run), keys))


def show_run(db: Path, run: int, launched: Future[int] | None = None) -> int:
    """A run, live or finished, until the user leaves; returns the exit code.

    That of the run when it is over, else 0: leaving never ends a run. Raises what kept the
    engine from coming that was `launched` just now.
    """
    from engine.domain.names import command
    from engine.monitor.event_stream import is_over
    from engine.monitor.run_result import read_run_result
    from engine.store.reader import Reader
    from tui.app.app import open_screen
    from tui.text.pages.result import advise, page_result
    from tui.text.streams import say

    open_screen(db, run, launched)
    with Reader(db) as reader:
        if not is_over(reader.run(run)):
            print(f"run {run} goes on; come back with: {command(f'watch {run}', db)}")
            return 0
        ending = read_run_result(reader, run)
    print(page_result(ending, db))
    advice = advise(ending, db)
    if advice is not None:
        say(advice)
    return ending.exit_code
