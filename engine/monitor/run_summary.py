"""A run at a glance: what it made, what failed, what each operator yielded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from engine.monitor.goals import count_generations
from engine.monitor.run_result import RunResult, read_run_result
from engine.store.reader import status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.records import RunRow
    from engine.domain.status import Status
    from engine.domain.values import Candidate
    from engine.store.reader import Reader


@dataclass(frozen=True, slots=True)
class OperatorYield:
    """What became of one operator's children; `best` is their lowest cost."""

    operator: str
    children: int
    valid: int
    kept: int
    best: float | None


@dataclass(frozen=True, slots=True)
class WriterYield:
    """What became of the children that one writer wrote; `best` is their lowest cost."""

    writer: str
    children: int
    valid: int
    kept: int
    best: float | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What `preceptor show RUN` shows; `generation` is the last closed one."""

    result: RunResult
    generation: int | None
    failures: tuple[tuple[str, int], ...]
    yields: tuple[OperatorYield, ...]
    writers: tuple[WriterYield, ...]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One line of `preceptor runs`."""

    row: RunRow
    status: Status
    generation: int | None
    best: Candidate | None
    calls: int
    usd: float = 0.0
    study: int | None = None

    @property
    def reached(self) -> str:
        """`3/5`: the last closed generation of all."""
        reached = NOTHING if self.generation is None else self.generation
        return f"{reached}/{planned_generations(self.row, self.generation)}"


def planned_generations(row: RunRow, last: int | None) -> int:
    """Of how many generations `last` is one."""
    return count_generations(row.spec, row.state == "done", last)


def summarise(reader: Reader, run: int) -> RunSummary:
    """A run's summary from the store. Raises UnknownName for no such run."""
    result = read_run_result(reader, run)
    candidates = reader.outlines(run)
    return RunSummary(
        result,
        last_closed(reader, run),
        count_failures(candidates),
        count_yields([(candidates, result.population)]),
        count_writer_yields(candidates, result.population),
    )


def list_runs(reader: Reader) -> tuple[RunEntry, ...]:
    """All runs, newest first."""
    return tuple(read_entry(reader, row) for row in reader.runs())


def read_entry(reader: Reader, row: RunRow, now: float | None = None) -> RunEntry:
    """One run at a glance, at the Unix time `now` or the present."""
    return RunEntry(
        row,
        status(row, now),
        last_closed(reader, row.number),
        None if row.best is None else reader.outline(row.number, row.best),
        reader.count_calls(row.number),
        reader.count_dollars(row.number),
        reader.study_of(row.number),
    )


def refresh_entry(
    reader: Reader, row: RunRow, known: RunEntry | None, now: float | None = None
) -> RunEntry:
    """The same, read anew only where the run is not as `known` has it."""
    if known is not None and known.row == row and known.status == status(row, now):
        return known
    return read_entry(reader, row, now)


def last_closed(reader: Reader, run: int) -> int | None:
    """The last closed generation, None before the seeds are in."""
    closed = [row.number for row in reader.generations(run) if row.closed]
    return max(closed, default=None)


def pick_survivors(reader: Reader, run: int, made: Iterable[Candidate]) -> list[Candidate]:
    """Those of a run's candidates that survived the last closed generation."""
    kept = next(reversed(reader.survivors(run).values()), ())
    return [candidate for candidate in made if candidate.id in kept]


def count_failures(candidates: Sequence[Candidate]) -> tuple[tuple[str, int], ...]:
    """Kinds of failures with their number, the most frequent first."""
    kinds = Counter(c.failure.kind for c in candidates if c.failure is not None)
    return tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))


def count_yields(
    runs: Iterable[tuple[Sequence[Candidate], Sequence[Candidate]]],
) -> tuple[OperatorYield, ...]:
    """One yield per operator over the candidates and the final population of each run.

    Operators stand in the order in which they first appear.
    """
    by_operator: dict[str, list[tuple[Candidate, bool]]] = {}
    for candidates, population in runs:
        kept = {survivor.id for survivor in population}
        for candidate in candidates:
            made = by_operator.setdefault(candidate.operator, [])
            made.append((candidate, candidate.id in kept))
    return tuple(OperatorYield(name, *_count(made)) for name, made in by_operator.items())


def count_writer_yields(
    candidates: Sequence[Candidate], population: Sequence[Candidate]
) -> tuple[WriterYield, ...]:
    """One yield per writer over a run's candidates, in the order in which they first appear."""
    kept = {survivor.id for survivor in population}
    by_writer: dict[str, list[tuple[Candidate, bool]]] = {}
    for candidate in candidates:
        if candidate.writer:
            made = by_writer.setdefault(candidate.writer, [])
            made.append((candidate, candidate.id in kept))
    return tuple(WriterYield(name, *_count(made)) for name, made in by_writer.items())


def _count(made: Sequence[tuple[Candidate, bool]]) -> tuple[int, int, int, float | None]:
    """How many there are, how many of them valid and kept, and the lowest cost."""
    return (
        len(made),
        sum(child.failure is None for child, _ in made),
        sum(kept for _, kept in made),
        min((child.cost for child, _ in made if child.cost is not None), default=None),
    )
