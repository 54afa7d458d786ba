"""A run at a glance: what it made, what failed, what each operator yielded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.domain.names import NOTHING
from engine.domain.records import CallCost, RunRow
from engine.domain.status import Status
from engine.domain.values import Candidate
from engine.monitor.goals import count_generations
from engine.monitor.run_result import RunResult, read_run_result
from engine.store.reader import Reader, status


@dataclass(frozen=True, slots=True)
class Yield:
    """What became of the children of an operator, a writer or a generation, and what they took.

    `best` is their lowest cost, `gained` by how much they lowered the lowest of all when they
    came; calls, tokens and dollars are those that wrote them, with a generation its reflections.
    """

    name: str
    children: int
    valid: int
    kept: int
    best: float | None
    gained: float
    calls: int
    tokens: int
    usd: float


Found = tuple["Sequence[Candidate]", "Sequence[Candidate]", "Sequence[CallCost]"]
"""What a run made, in order, its final population, and its calls."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What `preceptor show RUN` shows; `generation` is the last closed one."""

    result: RunResult
    generation: int | None
    failures: tuple[tuple[str, int], ...]
    yields: tuple[Yield, ...]
    writers: tuple[Yield, ...]
    generations: tuple[Yield, ...]


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
    found = [(candidates, result.population, reader.call_costs(run))]
    return RunSummary(
        result,
        last_closed(reader, run),
        count_failures(candidates),
        count_yields(found),
        count_yields(found, lambda child: child.writer),
        count_yields(found, lambda child: str(child.generation), every=True),
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
    """The same, read again only where the run is not as `known` has it."""
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
    runs: Iterable[Found],
    name: Callable[[Candidate], str] = lambda child: child.operator,
    every: bool = False,
) -> tuple[Yield, ...]:
    """A yield for each name of children, in the order in which they first appear.

    By default they are named by their operators; children without a name are left out. `every`
    call of a generation counts, not only those for programs.
    """
    by_name: dict[str, list[Yield]] = {}
    for candidates, population, calls in runs:
        kept = {survivor.id for survivor in population}
        lowest = math.inf
        places = dict[tuple[int, int | None], str]()
        for child in candidates:
            cost = child.cost if child.failure is None else None
            gained = max(0.0, lowest - cost) if cost is not None and child.generation else 0.0
            lowest = min(lowest, math.inf if cost is None else cost)
            places[child.generation, child.slot] = places[child.generation, None] = name(child)
            valid = child.failure is None
            one = Yield(name(child), 1, valid, child.id in kept, child.cost, gained, 0, 0, 0.0)
            by_name.setdefault(one.name, []).append(one)
        for call in calls:
            slot = None if every else call.slot
            if every or call.purpose == "program":
                whose = places.get((call.generation, slot), "")
                paid = Yield(whose, 0, 0, 0, None, 0.0, 1, call.tokens, call.usd)
                by_name.setdefault(whose, []).append(paid)
    return tuple(_add(ones) for whose, ones in by_name.items() if whose)


def _add(ones: Sequence[Yield]) -> Yield:
    """What yields of one name come to."""
    counts = ("children", "valid", "kept", "gained", "calls", "tokens", "usd")
    sums = {field: sum(getattr(one, field) for one in ones) for field in counts}
    best = min((one.best for one in ones if one.best is not None), default=None)
    return Yield(name=ones[0].name, best=best, **sums)
