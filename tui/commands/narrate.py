"""Watching a run or a study from a terminal or a pipe; leaving never ends what is at work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from engine.api.job import JobHandle
from engine.api.run import Run, RunMoment
from engine.api.study import Study, StudyMoment, StudyRunAdvanced, StudyRunBegan, StudyRunEnded
from engine.domain.events import Event
from engine.domain.names import command
from engine.domain.records import RunRow, StudyRow
from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.monitor.run_result import RunResult
from engine.monitor.study_status import StudyResult, StudyStatus
from tui.commands.screen import has_screen, show_run, show_started, show_study
from tui.json.runs import (
    describe_event,
    describe_outcome,
    describe_progress,
    describe_result,
    describe_start,
    describe_study,
)
from tui.text.events import Narrator
from tui.text.formatting import number, share
from tui.text.pages.result import advise, page_result
from tui.text.pages.study import StudyProgress, advise_study, page_outcome
from tui.text.settings import title
from tui.text.streams import INTERRUPTED, emit_line, put, say

Moment = RunMoment | StudyMoment
Begin = Callable[[Callable[[Run], None]], Run]
"""Starts an engine and returns its run, which is named before that."""


class Prose:
    """Progress on stderr, results on stdout."""

    def __init__(self, reader: Reader) -> None:
        """`reader` is that of the store which holds what is shown."""
        self._reader = reader
        self._narrator = Narrator(teacher=False)
        self._progress: StudyProgress | None = None
        self._stood = (0, "")

    def tell(self, moment: Moment) -> None:
        """A moment in a line, or in none where it goes without saying; a result in full."""
        if isinstance(moment, RunResult):
            put(page_result(moment, self._reader.path))
        elif isinstance(moment, StudyResult):
            put(page_outcome(moment))
        elif line := self._line(moment):
            say(line)

    def _line(self, moment: Moment) -> str | None:
        match moment:
            case RunRow():
                self._narrator = Narrator(teacher=bool(moment.spec.teacher))
                return f"run {moment.number}: {title(moment.spec)}"
            case Event():
                return self._narrator.narrate(moment)
            case StudyRow():
                self._progress = StudyProgress(self._reader, moment.number)
                return f"study {moment.number} {moment.name}: {len(moment.spec.runs())} runs"
            case StudyRunBegan(row):
                return f"run {row.number} begins: {title(row.spec)}"
            case StudyRunAdvanced(entry):
                spec = entry.row.spec
                reached = _tell_best(entry.best, with_agreement=True)
                return (
                    f"run {entry.row.number} generation {entry.reached}: {spec.label}, "
                    f"seed {spec.seed}{reached}, {entry.calls} calls"
                )
            case StudyRunEnded(result):
                return _tell_end(result)
            case StudyStatus():
                return self._tell_progress(moment)
            case _:
                return None

    def _tell_progress(self, now: StudyStatus) -> str | None:
        """When a run has ended or something was measured; the rest its runs tell."""
        expected = self._progress.describe(now, time.time()) if self._progress else ""
        stands = (now.done, now.row.reason)
        changed = stands != self._stood
        self._stood = stands
        return "; ".join(filter(None, (now.progress, expected))) if changed else None


class JsonLines:
    """Every event a line of JSON on stdout, what was asked for the first, the result the last.

    Of the runs of a study the beginning and the end.
    """

    def __init__(self) -> None:
        self._run = 0

    def tell(self, moment: Moment) -> None:
        """A moment as a line, or as none."""
        document = self._describe(moment)
        if document is not None:
            emit_line(document)

    def _describe(self, moment: Moment) -> dict[str, Any] | None:
        match moment:
            case RunRow():
                self._run = moment.number
                return describe_start(moment)
            case Event(kind="run-ended"):  # said by the result
                return None
            case Event():
                return describe_event(moment, self._run)
            case StudyRow():
                return describe_study(moment.spec, moment.number)
            case StudyRunBegan(row):
                return describe_start(row)
            case RunResult():
                return describe_result(moment)
            case StudyRunEnded(result):
                return describe_result(result)
            case StudyStatus():
                return describe_progress(moment)
            case StudyResult():
                return describe_outcome(moment)
            case _:
                return None


def watch(job: Run | Study, as_json: bool, headless: bool = False) -> int:
    """Follow a job to its end, or print a finished one again; returns the exit code.

    In a terminal it is shown on a screen of its own, unless it shall be `headless`.
    """
    if not (as_json or headless) and has_screen():
        return show_run(job) if isinstance(job, Run) else show_study(job)
    with Reader(job.store) as reader, leaving([job]):
        return narrate(job.moments(), _teller(reader, as_json), job.store)


def start(begin: Begin, db: Path, as_json: bool, headless: bool = False) -> int:
    """Start a run's engine and follow what it does from now on; returns the exit code.

    In a terminal the run is shown on a screen of its own, unless it shall be `headless`. One whose
    engine is at work already is shown from its beginning. Raises what `begin` raises.
    """
    if not (as_json or headless) and has_screen():
        return show_started(begin)
    jobs: list[JobHandle] = []
    news: list[Iterator[RunMoment]] = []
    with Reader(db) as reader, leaving(jobs):
        tell = _teller(reader, as_json)

        def introduce(run: Run) -> None:
            jobs.append(run)
            news.append(run.moments(new=True))
            tell(next(news[0]))

        run = begin(introduce)
        return narrate(news[0] if news else run.moments(), tell, db)


def narrate(moments: Iterable[Moment], tell: Callable[[Moment], None], db: Path) -> int:
    """Tell what happens, and last what to do about a job that did not finish.

    Returns the exit code of the result, which is the last moment.
    """
    last: Moment | None = None
    for last in moments:
        tell(last)
    assert isinstance(last, RunResult | StudyResult)
    advice = advise(last, db) if isinstance(last, RunResult) else advise_study(last.study, db)
    if advice is not None:
        say(advice)
    return last.exit_code


@contextmanager
def leaving(jobs: Sequence[JobHandle]) -> Iterator[None]:
    """Ctrl-C ends the viewer alone: say how to come back, and how to stop what is at work.

    `jobs` holds the one that is watched, as soon as there is one.
    """
    try:
        yield
    except KeyboardInterrupt:
        if jobs:
            word = jobs[0].word
            db = jobs[0].store
            say(
                f"\n{word if ':' in word else f'run {word}'} goes on without you; "
                f"come back with: {command(f'watch {word}', db)}, "
                f"stop it with: {command(f'stop {word}', db)}"
            )
        raise typer.Exit(INTERRUPTED) from None


def _teller(reader: Reader, as_json: bool) -> Callable[[Moment], None]:
    return JsonLines().tell if as_json else Prose(reader).tell


def _tell_end(result: RunResult) -> str:
    spec = result.row.spec
    reason = f": {result.row.reason}" if result.row.reason else ""
    return (
        f"run {result.row.number} {result.status}: {spec.label}, seed {spec.seed}"
        f"{_tell_best(result.best)}, {result.totals.calls} calls{reason}"
    )


def _tell_best(best: Candidate | None, with_agreement: bool = False) -> str:
    if best is None:
        return ""
    known = with_agreement and best.agreement is not None
    return f", best cost {number(best.cost)}{f', agreement {share(best.agreement)}' * known}"
