"""The best programs of a problem over all runs of a store, one figure for every set measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import problems
from engine.domain.records import RunRow
from engine.domain.values import Candidate
from engine.store.reader import Reader
from problems import ProblemRef
from problems.base import Problem
from problems.errors import PreceptorError

EACH = 10
"""Programs of one run at most: its others are not among the best of it."""

DESIGN = "design"
"""Stands for the name of a design set where the problem cannot be loaded."""


@dataclass(frozen=True, slots=True)
class RankedProgram:
    """One program; `costs` are its minimised mean costs by the names of the sets."""

    run: RunRow
    candidate: Candidate
    costs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The best programs; the set on which most of them were measured is the first of `sets`.

    `standings` are in the order of their costs on it; of programs with the same code the first run
    stands for all. `objectives` are the figures of each in the problem's natural sense, the costs
    themselves where the problem cannot be loaded.
    """

    sets: tuple[str, ...]
    standings: tuple[RankedProgram, ...]
    objectives: tuple[Mapping[str, float], ...]


def read_leaderboard(reader: Reader, ref: ProblemRef) -> Leaderboard:
    """The best programs of all runs of a problem variant. Raises StoreError."""
    problem = _load(ref)
    runs = sorted((row for row in reader.runs() if row.spec.problem == ref), key=_number)
    found: dict[str, RankedProgram] = {}
    for row in runs:
        for standing in _read_run(reader, row, problem):
            found.setdefault(standing.candidate.program.hash, standing)
    sets = _order_sets(found.values())
    standings = sorted(found.values(), key=lambda one: _rank(one, sets))
    objectives = tuple(_objectives(one, problem) for one in standings)
    return Leaderboard(sets, tuple(standings), objectives)


def _read_run(reader: Reader, row: RunRow, problem: Problem | None) -> list[RankedProgram]:
    """The best programs of a run, with what was measured of them."""
    design = row.spec.settings.design or (problem.design if problem else DESIGN)
    finals = {one.program: one for one in reader.finalists(row.number)}
    measured = [one for one in reader.run_measurements(row.number) if one.kind == "program"]
    standings = []
    for candidate in reader.best_outlines(row.number, EACH):
        assert candidate.cost is not None
        costs = {design: candidate.cost}
        final = finals.get(candidate.id)
        if final is not None and final.cost is not None:
            costs[final.set] = final.cost
        for one in measured:
            if one.solver == candidate.program.hash and one.mean is not None and problem:
                costs[one.set] = problem.objective(one.mean)  # its own inverse
        standings.append(RankedProgram(row, candidate, costs))
    return standings


def _objectives(standing: RankedProgram, problem: Problem | None) -> dict[str, float]:
    if problem is None:
        return dict(standing.costs)
    return {name: problem.objective(cost) for name, cost in standing.costs.items()}


def _order_sets(standings: Iterable[RankedProgram]) -> tuple[str, ...]:
    """The sets, those on which most programs were measured first."""
    counts: dict[str, int] = {}
    for standing in standings:
        for name in standing.costs:
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: -counts[name]))


def _rank(standing: RankedProgram, sets: tuple[str, ...]) -> tuple[bool, float]:
    cost = standing.costs.get(sets[0])
    return (cost is None, cost or 0.0)


def _number(row: RunRow) -> int:
    return row.number


def _load(ref: ProblemRef) -> Problem | None:
    try:
        return problems.load(ref)
    except PreceptorError:
        return None
