"""Runs and studies on a screen: when there is one, and what is said when the user has left it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.viewing import is_served
from tui.text.streams import is_terminal, knows_unicode, put, say

if TYPE_CHECKING:
    from engine.api.run import Run
    from engine.api.study import Study
    from engine.monitor.run_result import RunResult
    from engine.monitor.study_status import StudyResult


def _open_nothing(*_: object, **__: object) -> None:
    raise NotImplementedError


open_screen: Callable[..., None] = _open_nothing
"""Opens the application, which lies above the commands: the command line sets it."""


def has_screen() -> bool:
    """Whether there is a terminal to draw on and to type at, or a page in a browser."""
    if is_served():
        return True
    there = is_terminal(sys.stdin, sys.stdout) and os.environ.get("TERM") != "dumb"
    return there and knows_unicode()


def show_runs(db: Path) -> None:
    """The list of runs, until the user leaves."""
    open_screen(db, None)


def show_started(begin: Callable[[Callable[[Run], None]], Run]) -> int:
    """Start a run's engine and show the run as soon as it is booked; returns the exit code.

    `begin` is called with what shall hear of the run before its engine starts. Raises what it
    raises.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as executor:
        booked: Future[Run] = Future()
        launched = executor.submit(begin, booked.set_result)
        wait((booked, launched), return_when=FIRST_COMPLETED)
        return show_run((booked if booked.done() else launched).result(), launched)


def show_run(run: Run, launched: Future[Run] | None = None) -> int:
    """A run, live or finished, until the user leaves; returns the exit code.

    That of the run when it is over, else 0: leaving never ends a run. Raises what kept the
    engine from coming that was `launched` just now.
    """
    from engine.monitor import Reader
    from engine.monitor.event_stream import is_over
    from engine.monitor.run_result import read_run_result
    from tui.text.pages.result import advise, page_result

    with Reader(run.store) as reader:  # of the file that is there now, should it be deleted
        open_screen(run.store, run.number, launched)
        if is_served() or not is_over(run.read(reader)):
            return _leave(run)
        result = read_run_result(reader, run.number)
    return _tell(result, page_result(result, run.store), advise(result, run.store))


def show_study(study: Study) -> int:
    """A study, at work or finished, until the user leaves; returns the exit code.

    That of the study when it is over, else 0: leaving never ends one.
    """
    from tui.text.pages.study import advise_study, page_outcome

    open_screen(study.store, study=study.number)
    if is_served() or not study.is_over:
        return _leave(study)
    result = study.result
    return _tell(result, page_outcome(result), advise_study(result.study, study.store))


def _leave(job: Run | Study) -> int:
    """Say how to come back; not where a page was: none would read it there."""
    from engine.domain.names import command

    if not is_served():
        back = command(f"watch {job.word}", job.store)
        put(f"{job.job} goes on; come back with: {back}")
    return 0


def _tell(result: RunResult | StudyResult, page: str, advice: str | None) -> int:
    put(page)
    if advice is not None:
        say(advice)
    return result.exit_code
