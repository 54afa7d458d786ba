"""Studies as objects: start one, follow its runs, read what was measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from engine.api.job import JobHandle
from engine.api.run import Run, refuse_halting
from engine.domain.names import DEFAULT_DB
from engine.domain.records import RunRow, StudyRow
from engine.domain.status import JobKind, Status
from engine.monitor.frames import STUDY_TABLES, read_table
from engine.monitor.run_result import RunResult, read_run_result
from engine.monitor.run_summary import RunEntry, read_entry
from engine.monitor.study_status import (
    FINISHED,
    StudyResult,
    StudyStatus,
    read_study_result,
    read_study_status,
)
from engine.runtime import control
from engine.runtime.writers.open_writer import refuse_unreachable
from engine.store.connection import update
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from engine.api.resolve import StudyPlan

    StudyTable = Literal["runs", "held-out"]

TICK = 1.0
"""Seconds between two looks at the store."""


@dataclass(frozen=True, slots=True)
class StudyRunBegan:
    """A run of a study begins."""

    row: RunRow


@dataclass(frozen=True, slots=True)
class StudyRunAdvanced:
    """A run of a study has closed a generation."""

    entry: RunEntry


@dataclass(frozen=True, slots=True)
class StudyRunEnded:
    """A run of a study is over."""

    result: RunResult


StudyMoment = (
    StudyRow | StudyRunBegan | StudyRunAdvanced | StudyRunEnded | StudyStatus | StudyResult
)


@dataclass(frozen=True, slots=True, repr=False)
class Study(JobHandle):
    """One study of a store; every property reads the store again.

    Example: `start_study("studies/paper-jssp.toml").wait().measurements`
    """

    KIND: ClassVar[JobKind] = "study"

    def __repr__(self) -> str:
        try:
            now = self.progress
        except PreceptorError as error:
            return f"<study {self.number} of {self.store}: {error}>"
        return (
            f"<study {self.number} of {self.store}: {now.row.name}, {now.status}, {now.progress}>"
        )

    @property
    def word(self) -> str:
        """`study:1`."""
        return f"study:{self.number}"

    @property
    def row(self) -> StudyRow:
        """Its specification and state. Raises UnknownName."""
        with Reader(self.store) as reader:
            return self.read(reader)

    @property
    def progress(self) -> StudyStatus:
        """How it stands now: its runs by what became of them."""
        with Reader(self.store) as reader:
            return read_study_status(reader, self.number)

    @property
    def result(self) -> StudyResult:
        """What came of it, so far or for good."""
        with Reader(self.store) as reader:
            return read_study_result(reader, self.number)

    @property
    def runs(self) -> tuple[Run, ...]:
        """Its runs that have begun, in their order."""
        return tuple(Run(self.store, number) for number in self.progress.runs)

    def table(self, of: StudyTable = "runs") -> list[dict[str, Any]]:
        """Flat rows of plain values, for `pandas.DataFrame(study.table())`; None where one is not.

        `runs` that have begun: `run` (its number), `method`, `seed`, `problem`, `status`, `cost`
        of its best (minimised, on the design set), `held_out` (its mean objective on `set`, the
        first by name that it was measured on), `calls`, `tokens`, `usd` (None where a price is
        not known), `seconds` at work.

        `held-out`, a row for each solver, run and set: `run`, `method` and `seed` of a program,
        `problem`, `set`, `kind` (program, rule, teacher, reference), `solver` (a program's id, or
        a name), `count` of instances, how many are `solved`, `mean` objective in the natural
        sense, None unless all are, its standard `error` over instances, `gap` (per cent of the
        best known mean by which it is above that), `seconds` for all (CPU; wall clock of a
        teacher). Raises UnknownName for another table.
        """
        with Reader(self.store) as reader:
            self.read(reader)
            return read_table(reader, STUDY_TABLES, of, self.number)

    def moments(self) -> Iterator[StudyMoment]:
        """The study, what happens in it until it is over, and last its result."""
        with Reader(self.store) as reader:
            yield self.read(reader)
            yield from _follow(reader, self.number)
            yield read_study_result(reader, self.number)

    def wait(self, timeout: float | None = None) -> StudyResult:
        """Wait until it is over, and say what came of it. Raises TimeoutError."""
        with Reader(self.store) as reader:
            self._wait(reader, timeout)
            return read_study_result(reader, self.number)

    def resume(self) -> Study:
        """Let an engine continue it; one at work tries its provider again at once.

        Raises what `launch` raises.
        """
        row = self.row
        refuse_halting(self.job, row)
        if status(row) != "starting" and liveness(row) != "gone":
            control.send(self.store, self.job, control.Command("resume"))
            return self
        with Store(self.store) as store:
            control.drop_pending(store, self.job)
        self.launch()
        return self

    def read(self, reader: Reader) -> StudyRow:
        """Its row of the store. Raises UnknownName."""
        return reader.study(self.number)


def start_study(
    study: StudyPlan | Path | str,
    store: Path | str = DEFAULT_DB,
    anew: bool = False,
    executor: str = "",
) -> Study:
    """Book a study and start its engine, or continue with the one that asks the same.

    `study` is a study file, or what `resolve_study` made of one; `anew` begins another whatever
    an equal one has done, `executor` takes the place of the file's. Raises what `start_run` does,
    and UserError for a file that is no study.
    """
    return book_study(study, store, anew, executor).resume()


def book_study(
    study: StudyPlan | Path | str,
    store: Path | str = DEFAULT_DB,
    anew: bool = False,
    executor: str = "",
) -> Study:
    """The same without an engine."""
    from engine.api.resolve import StudyPlan, resolve_study  # it takes the engine to load

    db = Path(store)
    update(db)
    if not isinstance(study, StudyPlan):
        with Reader(db) as reader:
            study = resolve_study(Path(study), reader)
    refuse_unreachable(study.spec.endpoints)
    spec = study.spec.on(executor) if executor else study.spec
    with Store(db) as opened:
        known = None if anew else opened.find_study(spec)
        if known is None:
            return Study(db, opened.jobs.create_study(spec))
        opened.study_log.reword(known, spec)
        return Study(db, known)


def _follow(reader: Reader, study: int) -> Iterator[StudyMoment]:
    """What happens until a study is over; of one that is over only its runs."""
    told: dict[int, str] = {}
    closed: dict[int, int | None] = {}
    progress = ""
    while True:
        now = read_study_status(reader, study)
        for run, state in now.runs.items():
            if state == "running" and run in told:
                yield from _advance(reader, run, closed)
            if state not in (told.get(run), "starting"):
                told[run] = state
                yield _begin_or_end(reader, run, state)
        if now.over:
            return
        if now.progress != progress:
            progress = now.progress
            yield now
        time.sleep(TICK)


def _begin_or_end(reader: Reader, run: int, state: Status) -> StudyRunBegan | StudyRunEnded:
    if state in (*FINISHED, "failed", "paused", "stopped", "interrupted"):
        return StudyRunEnded(read_run_result(reader, run))
    return StudyRunBegan(reader.run(run))


def _advance(
    reader: Reader, run: int, closed: dict[int, int | None]
) -> Iterator[StudyRunAdvanced]:
    """The last of the generations that closed since the last look; seeds are none."""
    entry = read_entry(reader, reader.run(run))
    if entry.generation and closed.get(run) != entry.generation:
        closed[run] = entry.generation
        yield StudyRunAdvanced(entry)
