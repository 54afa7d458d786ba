"""Runs, or the methods of studies, group by group: what was asked, reached, and what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import cache, cached_property
from pathlib import Path

import problems
from engine.domain.names import name_variant, short_name
from engine.domain.records import RunRow
from engine.domain.specs.settings import RunSpec, describe_settings
from engine.domain.values import Candidate
from engine.monitor.lookup import pick_run, pick_study
from engine.monitor.run_summary import Yield, count_failures, count_yields, pick_survivors
from engine.report.cost import GroupCost, add_up, compare_budgets
from engine.report.curves import Series, read_series
from engine.report.statistics import Spread, caveat, spread
from engine.report.teacher_worth import WorthRow, correlate_signals
from engine.runtime.plan import mean_reference
from engine.runtime.study import name_mixture
from engine.store.reader import Reader
from problems import ProblemRef
from problems.errors import PreceptorError, UserError


@dataclass(frozen=True)
class ComparedGroup:
    """One run, or all runs of a method in a study.

    `best` is the best program of all and `best_run` its run; `cost` and `agreement` are those of
    every run's winner; `programs` are all of every run.
    """

    name: str
    study: int | None
    rows: tuple[RunRow, ...]
    best: Candidate | None
    best_run: int | None
    cost: Spread | None
    agreement: Spread | None
    yields: tuple[Yield, ...]
    failures: tuple[tuple[str, int], ...]
    spent: GroupCost
    series: Series
    programs: tuple[tuple[Candidate, ...], ...]

    @cached_property
    def worth(self) -> tuple[WorthRow, ...]:
        """How the teacher's signals went with cost: found when asked for, since it takes long."""
        return correlate_signals(self.programs)

    @property
    def last_worth(self) -> tuple[WorthRow, ...]:
        """The same over all programs of the runs: the rows of the last generation."""
        return tuple(row for row in self.worth if row.generation == self.worth[-1].generation)

    @property
    def best_known(self) -> float | None:
        """Mean best known cost of the design set, None where it or the problem is not here."""
        return find_best_known(self.rows[0].spec)

    @property
    def problem(self) -> ProblemRef:
        """What it searched, a variant of a problem being one of its own."""
        return self.rows[0].spec.problem


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that is not the same in all groups: its values in their order."""

    name: str
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared; `warnings` say why it may not compare."""

    groups: tuple[ComparedGroup, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def problems(self) -> tuple[ProblemRef, ...]:
        """The problems of the groups, each once."""
        return tuple(dict.fromkeys(group.problem for group in self.groups))


def find_best_known(spec: RunSpec) -> float | None:
    """Mean best known cost of a run's design set, None where it or the problem is not here."""
    return _find_best_known(spec.problem, spec.settings.design)


@cache
def _find_best_known(ref: ProblemRef, design: str) -> float | None:
    """The same, read once: a set takes its time to load."""
    try:
        problem = problems.load(ref)
        return mean_reference(problem, problem.load(design or problem.design))
    except PreceptorError:
        return None


def pick(db: Path, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """The runs and the studies that some words mean. Raises as `pick_run` and `pick_study`."""
    meant = [(word, pick_study(db, word)) for word in words]
    studies = [study for _, study in meant if study is not None]
    runs = [pick_run(db, word) for word, study in meant if study is None]
    return list(dict.fromkeys(runs)), list(dict.fromkeys(studies))


def compare_groups(reader: Reader, runs: Sequence[int], studies: Sequence[int]) -> Comparison:
    """Runs and studies side by side. Raises UserError for fewer than two groups, UnknownName."""
    members: dict[tuple[str, int | None], list[RunRow]] = {}
    for run in runs:
        members[f"run {run}", reader.study_of(run)] = [reader.run(run)]
    for study in studies:
        for row in reader.study_runs(study).values():
            members.setdefault((_name(reader, study, row, studies), study), []).append(row)
    if len(members) < 2:
        raise UserError("comparing takes two runs at least, or a study of two methods")
    groups = tuple(_read_group(reader, *key, rows) for key, rows in members.items())
    return Comparison(groups, _differ(groups), tuple(_warn(groups)))


def compare_winners(comparison: Comparison) -> list[tuple[ComparedGroup, ComparedGroup, str]]:
    """The best program of the first group against that of every other of its problem: diffs."""
    pairs = []
    for problem in comparison.problems:
        first, *others = [group for group in comparison.groups if group.problem == problem]
        pairs += [(first, other, _diff(first, other)) for other in others]
    return pairs


def _name(reader: Reader, study: int, row: RunRow, studies: Sequence[int]) -> str:
    """A method, with what tells it from the same method elsewhere."""
    tasks = reader.study(study).spec.tasks
    parts = [f"study {study}"] if len(studies) > 1 else []
    parts += [name_variant(row.spec.problem, short=True)] if len(tasks) > 1 else []
    return " ".join([*parts, row.spec.label])


def _read_group(
    reader: Reader, name: str, study: int | None, rows: Sequence[RunRow]
) -> ComparedGroup:
    named = [(reader.outline(row.number, row.best), row.number) for row in rows if row.best]
    best = [(candidate, run) for candidate, run in named if candidate is not None]
    won, run = min(best, key=lambda found: found[0].cost or 0.0, default=(None, None))
    made = {row.number: reader.outlines(row.number) for row in rows}
    found = [
        (children, pick_survivors(reader, run, children), reader.call_costs(run))
        for run, children in made.items()
    ]
    return ComparedGroup(
        name=name,
        study=study,
        rows=tuple(rows),
        best=won,
        best_run=run,
        cost=spread([c.cost for c, _ in best if c.cost is not None]),
        agreement=spread([c.agreement for c, _ in best if c.agreement is not None]),
        yields=count_yields(found),
        failures=count_failures([c for candidates in made.values() for c in candidates]),
        spent=replace(add_up(reader, rows)[0], method=name),
        series=read_series(reader, name, made),
        programs=tuple(made.values()),
    )


def _differ(groups: Sequence[ComparedGroup]) -> tuple[Difference, ...]:
    """Settings, by their dotted names, in which not all groups are alike."""
    flat = [_flatten(describe_settings(group.rows[0].spec)) for group in groups]
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


def _warn(groups: Sequence[ComparedGroup]) -> Iterable[str]:
    """Why results may not compare: budgets, sets, weights, code, too few seeds."""
    yield from compare_budgets([group.spent for group in groups])
    found = Counter(short_name(group.problem.name) for group in groups)
    if len(found) > 1 and min(found.values()) == 1:
        yield f"WARNING: {' and '.join(found)} are different problems: their costs do not compare"
    problems = dict.fromkeys(group.problem for group in groups)
    if len(problems) > len({problem.name for problem in problems}):
        variants = ", ".join(map(name_variant, problems))
        yield f"WARNING: programs of {variants} are shown different things: no methods compare"
    rows = [row for group in groups for row in group.rows]
    yield from (f"WARNING: {mixed}" for mixed in name_mixture(rows))
    codes = {(row.spec.problem, row.provenance.code) for row in rows if row.provenance.code}
    if len(codes) > len({problem for problem, _ in codes}):
        yield "WARNING: the runs were made by different versions of the code"
    if few := caveat(min(len(group.rows) for group in groups)):
        yield few


def _diff(one: ComparedGroup, other: ComparedGroup) -> str:
    codes = [group.best.program.code if group.best else "" for group in (one, other)]
    old, new = map(str.splitlines, codes)
    return "\n".join(unified_diff(old, new, one.name, other.name, lineterm=""))
