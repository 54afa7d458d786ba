"""A study's progress: the statuses of its runs, and what its winners reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.domain.names import name_variant
from engine.domain.records import Measurement, Spent, StudyRow
from engine.domain.specs.settings import Caps
from engine.domain.status import LIVE, Status
from engine.domain.text.figures import write_time_span
from engine.monitor.run_result import RunResult, read_run_result
from engine.monitor.run_summary import RunEntry, refresh_entry
from engine.store.reader import Reader, liveness, status

FINISHED = ("done", "budget")


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """A study at one moment; `runs` are the statuses of those that have begun, by number.

    `spent` is what they have spent together; None where the study has no budget.
    """

    row: StudyRow
    status: Status
    runs: dict[int, Status]
    spent: Spent | None = None

    @property
    def total(self) -> int:
        """How many runs it will have."""
        return len(self.row.spec.runs())

    @property
    def done(self) -> int:
        """How many of them are finished."""
        return sum(state in FINISHED for state in self.runs.values())

    @property
    def over(self) -> bool:
        """Whether nothing more will come: it has ended and its engine is gone."""
        return self.status not in LIVE and liveness(self.row) == "gone"

    @property
    def progress(self) -> str:
        """`3/12 runs done, 4 running; measured 5 of 80`."""
        others = Counter(state for state in self.runs.values() if state not in FINISHED)
        parts = [f"{self.done}/{self.total} runs done", *(f"{n} {s}" for s, n in others.items())]
        note = f"; {self.row.reason}" if self.row.reason else ""
        spent = f"; {self.spending}" if self.spending else ""
        return ", ".join(parts) + spent + note

    @property
    def spending(self) -> str:
        """`spent 120 of 200 calls, $1.20 of $5.00`; empty where the study has no budget."""
        caps = self.row.spec.budget
        if self.spent is None:
            return ""
        parts = []
        if caps.calls is not None:
            parts.append(f"{self.spent.calls:,} of {caps.calls:,} calls")
        if caps.tokens is not None:
            parts.append(f"{self.spent.tokens:,} of {caps.tokens:,} tokens")
        if caps.usd is not None:
            unsure = self.spent.maybe_usd
            most = f" (${unsure:,.2f} of it at most)" if unsure >= 0.01 else ""
            parts.append(f"${self.spent.usd:,.2f}{most} of ${caps.usd:,.2f}")
        if caps.seconds is not None:
            parts.append(f"{write_time_span(self.row.seconds)} of {write_time_span(caps.seconds)}")
        return f"spent {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class StudyResult:
    """What came of a study: the results of its runs in their order, what was measured."""

    study: StudyStatus
    results: tuple[RunResult, ...]
    measurements: tuple[Measurement, ...]

    @property
    def exit_code(self) -> int:
        """0 when every run is finished and every solver measured, else 1."""
        return 0 if self.study.status == "done" else 1


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The runs of one arm on one problem, by seed; None for one that has not begun."""

    problem: str
    arm: str
    entries: tuple[RunEntry | None, ...]

    @property
    def finished(self) -> tuple[RunEntry, ...]:
        """Those with nothing left to do."""
        return tuple(one for one in self.entries if one and one.status in FINISHED)


@dataclass(frozen=True, slots=True)
class StudyMatrix:
    """A study at one moment: its arms by problem, each with its runs by seed."""

    status: StudyStatus
    rows: tuple[MatrixRow, ...]

    @property
    def is_live(self) -> bool:
        """Whether its engine, or that of one of its runs, is at work or may have fallen silent."""
        return any(state in LIVE for state in (self.status.status, *self.status.runs.values()))

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of every row."""
        return self.status.row.spec.seeds


def read_study_status(reader: Reader, study: int) -> StudyStatus:
    """A study's status now. Raises UnknownName for no such study."""
    row = reader.study(study)
    runs = {run.number: status(run) for run in reader.study_runs(study).values()}
    return StudyStatus(row, status(row), runs, _spent(reader, row))


def read_study_matrix(
    reader: Reader, study: int, known: StudyMatrix | None = None, now: float | None = None
) -> StudyMatrix:
    """A study arm by arm at the Unix time `now`; runs as they are `known` are not read again.

    Raises UnknownName for no such study.
    """
    row = reader.study(study)
    rows = known.rows if known else ()
    before = {one.row.number: one for line in rows for one in line.entries if one}
    entries = {
        place: refresh_entry(reader, run, before.get(run.number), now)
        for place, run in reader.study_runs(study).items()
    }
    runs = {one.row.number: one.status for one in entries.values()}
    found = StudyStatus(row, status(row, now), runs, _spent(reader, row))
    return StudyMatrix(found, tuple(_rows(row, entries)))


def _spent(reader: Reader, row: StudyRow) -> Spent | None:
    """What the runs of a study have spent together; None where it has no budget."""
    return None if row.spec.budget == Caps() else reader.spent(row.number)


def _rows(row: StudyRow, entries: Mapping[int, RunEntry]) -> Iterator[MatrixRow]:
    """A row for each problem and arm; `entries` by their place among the runs of the study."""
    specs = row.spec.runs()
    count = len(row.spec.seeds)
    for first in range(0, len(specs), count):
        problem = name_variant(specs[first].problem, short=True)
        found = tuple(map(entries.get, range(first, first + count)))
        yield MatrixRow(problem, specs[first].label, found)


def read_study_result(reader: Reader, study: int) -> StudyResult:
    """What came of a study, so far or for good. Raises UnknownName for no such study."""
    found = read_study_status(reader, study)
    results = tuple(read_run_result(reader, run) for run in found.runs)
    return StudyResult(found, results, reader.measurements(study))
