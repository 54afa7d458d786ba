"""Runs, or the methods of studies, side by side: what was asked, reached, and what differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from engine.domain.names import short_name
from engine.monitor.lookup import pick_run, pick_study
from engine.monitor.run_summary import OperatorYield, count_failures, count_yields
from engine.report.cost import add_up, compare_budgets
from engine.report.series import read_series
from engine.report.settings import describe_settings
from engine.report.statistics import caveat, spread
from engine.runtime.study import name_mixture
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from engine.domain.records import RunRow
    from engine.domain.values import Candidate
    from engine.report.cost import GroupCost
    from engine.report.series import Series
    from engine.report.statistics import Spread
    from engine.store.reader import Reader


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """One run, or all runs of a method in a study.

    `best` is the best program of all and `best_run` its run; `cost` and `agreement` are those of
    every run's winner.
    """

    name: str
    study: int | None
    rows: tuple[RunRow, ...]
    best: Candidate | None
    best_run: int | None
    cost: Spread | None
    agreement: Spread | None
    yields: tuple[OperatorYield, ...]
    failures: tuple[tuple[str, int], ...]
    bill: GroupCost
    series: Series

    @property
    def problem(self) -> str:
        """What it searched."""
        return self.rows[0].spec.problem.name


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that is not the same on all sides: its values in their order."""

    name: str
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared; `warnings` say why it may not compare."""

    sides: tuple[ComparedGroup, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the sides, each once."""
        return tuple(dict.fromkeys(side.problem for side in self.sides))


def pick(db: Path, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """The runs and the studies that some words mean. Raises as `pick_run` and `pick_study`."""
    meant = [(word, pick_study(db, word)) for word in words]
    studies = [study for _, study in meant if study is not None]
    runs = [pick_run(db, word) for word, study in meant if study is None]
    return list(dict.fromkeys(runs)), list(dict.fromkeys(studies))


def compare_groups(reader: Reader, runs: Sequence[int], studies: Sequence[int]) -> Comparison:
    """Runs and studies side by side. Raises UserError for fewer than two sides, UnknownName."""
    groups: dict[tuple[str, int | None], list[RunRow]] = {}
    for run in runs:
        groups[f"run {run}", reader.study_of(run)] = [reader.run(run)]
    for study in studies:
        for row in reader.study_runs(study).values():
            groups.setdefault((_name(reader, study, row, studies), study), []).append(row)
    if len(groups) < 2:
        raise UserError("comparing takes two runs at least, or a study of two methods")
    sides = tuple(_side(reader, *key, rows) for key, rows in groups.items())
    return Comparison(sides, _differ(sides), tuple(_warn(sides)))


def compare_winners(comparison: Comparison) -> list[tuple[ComparedGroup, ComparedGroup, str]]:
    """The best program of the first side against that of every other of its problem: diffs."""
    pairs = []
    for problem in comparison.problems:
        first, *others = [side for side in comparison.sides if side.problem == problem]
        pairs += [(first, other, _diff(first, other)) for other in others]
    return pairs


def _name(reader: Reader, study: int, row: RunRow, studies: Sequence[int]) -> str:
    """A method, with what tells it from the same method elsewhere."""
    tasks = reader.study(study).spec.tasks
    parts = [f"study {study}"] if len(studies) > 1 else []
    parts += [short_name(row.spec.problem.name)] if len(tasks) > 1 else []
    return " ".join([*parts, row.spec.method])


def _side(reader: Reader, name: str, study: int | None, rows: Sequence[RunRow]) -> ComparedGroup:
    best = [(reader.candidate(row.number, row.best), row.number) for row in rows if row.best]
    won, run = min(best, key=lambda found: found[0].cost or 0.0, default=(None, None))
    candidates = [c for row in rows for c in reader.candidates(row.number)]
    return ComparedGroup(
        name=name,
        study=study,
        rows=tuple(rows),
        best=won,
        best_run=run,
        cost=spread([c.cost for c, _ in best if c.cost is not None]),
        agreement=spread([c.agreement for c, _ in best if c.agreement is not None]),
        yields=_count_yields(reader, rows),
        failures=count_failures(candidates),
        bill=replace(add_up(reader, rows)[0], method=name),
        series=read_series(reader, name, [row.number for row in rows]),
    )


def _count_yields(reader: Reader, rows: Iterable[RunRow]) -> tuple[OperatorYield, ...]:
    """The yields of the operators, summed over runs."""
    found: dict[str, list[OperatorYield]] = {}
    for row in rows:
        number = row.number
        for one in count_yields(reader.candidates(number), reader.population(number)):
            found.setdefault(one.operator, []).append(one)
    return tuple(_add(operator, parts) for operator, parts in found.items())


def _add(operator: str, parts: Sequence[OperatorYield]) -> OperatorYield:
    return OperatorYield(
        operator,
        children=sum(part.children for part in parts),
        valid=sum(part.valid for part in parts),
        kept=sum(part.kept for part in parts),
        best=min((part.best for part in parts if part.best is not None), default=None),
    )


def _differ(sides: Sequence[ComparedGroup]) -> tuple[Difference, ...]:
    """Settings, by their dotted names, in which not all sides are alike."""
    flat = [_flatten(describe_settings(side.rows[0].spec)) for side in sides]
    names = dict.fromkeys(name for one in flat for name in one)
    values = {name: tuple(one.get(name) for one in flat) for name in names}
    return tuple(Difference(n, v) for n, v in values.items() if any(x != v[0] for x in v))


def _flatten(settings: dict[str, object], above: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{above}{name}." if name != "options" else above)
        else:
            flat[above + name] = value
    return flat


def _warn(sides: Sequence[ComparedGroup]) -> Iterable[str]:
    """Why results may not compare: budgets, sets, weights, code, too few seeds."""
    yield from compare_budgets([side.bill for side in sides])
    rows = [row for side in sides for row in side.rows]
    yield from (f"WARNING: {mixed}" for mixed in name_mixture(rows))
    if len({row.provenance.code for row in rows} - {""}) > 1:
        yield "WARNING: the runs were made by different versions of the code"
    if few := caveat(min(len(side.rows) for side in sides)):
        yield few


def _diff(one: ComparedGroup, other: ComparedGroup) -> str:
    old, new = ([] if s.best is None else s.best.program.code.splitlines() for s in (one, other))
    return "\n".join(unified_diff(old, new, one.name, other.name, lineterm=""))
