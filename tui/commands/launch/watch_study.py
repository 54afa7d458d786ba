"""Watching a study from a terminal or a pipe; leaving never ends the study."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from engine.domain.names import command
from engine.domain.status import Job
from engine.monitor.run_result import read_run_result
from engine.monitor.run_summary import read_entry
from engine.monitor.study_status import FINISHED, read_study_result, read_study_status
from engine.runtime import control
from engine.runtime.launch import launch, log_path
from engine.runtime.writers.writer_config import collect_keys
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from tui.commands.launch.watch_run import leaving
from tui.json.runs import describe_result, describe_start
from tui.json.study import describe_outcome, describe_progress, describe_study
from tui.text.formatting import number, share
from tui.text.pages.study import page_outcome
from tui.text.settings import title
from tui.text.streams import emit_line, say
from tui.text.study_progress import StudyProgress

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.records import RunRow, StudyRow
    from engine.domain.status import Status
    from engine.domain.values import Candidate
    from engine.monitor.run_result import RunResult
    from engine.monitor.run_summary import RunEntry
    from engine.monitor.study_status import StudyResult, StudyStatus

TICK = 1.0
"""Seconds between two looks at the store."""


class Teller(Protocol):
    """How a study is told: as lines to read, or as lines of JSON."""

    def begin(self, row: StudyRow) -> None:
        """Say which study this is."""

    def open(self, row: RunRow) -> None:
        """Say that a run begins."""

    def close(self, ending: RunResult) -> None:
        """Say how a run ended."""

    def step(self, entry: RunEntry) -> None:
        """Say that a run has closed a generation."""

    def tell(self, standing: StudyStatus, outlook: str) -> None:
        """Say how the study stands, and what is to be expected."""

    def end(self, outcome: StudyResult, db: Path) -> None:
        """Say what came of it."""


class Reading:
    """Progress on stderr, the result on stdout."""

    def __init__(self) -> None:
        self._stood = (0, "")

    def begin(self, row: StudyRow) -> None:
        """One line."""
        say(f"study {row.number} {row.name}: {len(row.spec.runs())} runs")

    def open(self, row: RunRow) -> None:
        """One line."""
        say(f"run {row.number} begins: {title(row.spec)}")

    def close(self, ending: RunResult) -> None:
        """One line."""
        spec, best = ending.row.spec, ending.best
        reached = f", best cost {number(best.cost)}" if best else ""
        reason = f": {ending.row.reason}" if ending.row.reason else ""
        say(
            f"run {ending.row.number} {ending.status}: {spec.method}, seed {spec.seed}{reached}, "
            f"{ending.totals.calls} calls{reason}"
        )

    def step(self, entry: RunEntry) -> None:
        """One line."""
        spec, best = entry.row.spec, entry.best
        reached = f", best cost {number(best.cost)}{_agreement(best)}" if best else ""
        say(
            f"run {entry.row.number} generation {entry.reached}: {spec.method}, seed {spec.seed}"
            f"{reached}, {entry.calls} calls"
        )

    def tell(self, standing: StudyStatus, outlook: str) -> None:
        """One line when a run has ended or something was measured; the rest its runs tell."""
        before, self._stood = self._stood, (standing.done, standing.row.reason)
        if self._stood != before:
            say("; ".join(filter(None, (standing.progress, outlook))))

    def end(self, outcome: StudyResult, db: Path) -> None:
        """The result, and what to do when the study did not finish."""
        print(page_outcome(outcome), flush=True)
        advise(outcome.study, db)


class JsonLines:
    """Every run's beginning and end a line of JSON on stdout, and the study's."""

    def begin(self, row: StudyRow) -> None:
        """The study with everything that was asked for."""
        emit_line(describe_study(row.spec, row.number))

    def open(self, row: RunRow) -> None:
        """As `run --json` begins."""
        emit_line(describe_start(row))

    def close(self, ending: RunResult) -> None:
        """As `run --json` ends."""
        emit_line(describe_result(ending))

    def step(self, entry: RunEntry) -> None:
        """Nothing: lines of JSON tell of whole runs."""

    def tell(self, standing: StudyStatus, outlook: str) -> None:
        """How many runs are done."""
        emit_line(describe_progress(standing))

    def end(self, outcome: StudyResult, db: Path) -> None:
        """The result; what to do about it stays narration."""
        emit_line(describe_outcome(outcome))
        advise(outcome.study, db)


def start_study(db: Path, study: int, as_json: bool) -> int:
    """Let an engine carry a study on, and follow it; returns the exit code.

    One at work already is asked to try its provider again at once. Raises WriterUnavailable
    without the key of a language model, WorldError for an engine that does not come up.
    """
    with Reader(db) as reader:
        row = reader.study(study)
    job = Job("study", study)
    if status(row) != "starting" and liveness(row) != "gone":
        control.send(db, job, control.Command("resume"))
    else:
        with Store(db) as store:
            control.drop_pending(store, job)
        launch(db, job, collect_keys(row.spec.endpoints))
    return watch_study(db, study, as_json)


def watch_study(db: Path, study: int, as_json: bool) -> int:
    """Follow a study to its end, or tell a finished one again; returns the exit code."""
    with Reader(db) as reader, leaving(db, f"study:{study}"):
        teller: Teller = JsonLines() if as_json else Reading()
        teller.begin(reader.study(study))
        _follow(reader, study, teller)
        outcome = read_study_result(reader, study)
        teller.end(outcome, db)
    return outcome.exit_code


def _follow(reader: Reader, study: int, teller: Teller) -> None:
    """Tell a study until it is over; one that is over already is told by its runs alone."""
    told: dict[int, str] = {}
    closed: dict[int, int | None] = {}
    progress, outlook = "", StudyProgress(reader, study)
    while True:
        standing = read_study_status(reader, study)
        for run, state in standing.runs.items():
            if state == "running" and run in told:
                _tell_step(reader, run, closed, teller)
            if state not in (told.get(run), "starting"):
                told[run] = state
                _tell_run(reader, run, state, teller)
        if standing.over:
            return
        if standing.progress != progress:
            progress = standing.progress
            teller.tell(standing, outlook.describe(standing, time.time()))
        time.sleep(TICK)


def _tell_run(reader: Reader, run: int, state: Status, teller: Teller) -> None:
    if state in (*FINISHED, "failed", "paused", "stopped", "interrupted"):
        teller.close(read_run_result(reader, run))
    else:
        teller.open(reader.run(run))


def _tell_step(reader: Reader, run: int, closed: dict[int, int | None], teller: Teller) -> None:
    """Generations that closed since the last look are told by the last of them; seeds are none."""
    entry = read_entry(reader, reader.run(run))
    if entry.generation and closed.get(run) != entry.generation:
        closed[run] = entry.generation
        teller.step(entry)


def _agreement(best: Candidate) -> str:
    return "" if best.agreement is None else f", agreement {share(best.agreement)}"


def advise(standing: StudyStatus, db: Path) -> None:
    """What to do about a study that did not finish."""
    row = standing.row
    if standing.status == "done":
        return
    resume = command(f"resume study:{row.number}", db)
    log = f" (its log: {log_path(db, Job('study', row.number))})"
    where = log if standing.status in ("interrupted", "failed") else ""
    gone = "its engine was killed" if standing.status == "interrupted" else ""
    reason = "".join(f": {why}" for why in (gone or row.reason,) if why)
    say(f"study {row.number} is {standing.status}{reason}{where}; go on with: {resume}")
