"""The tables of a study, rows and columns as in the paper: from what was measured, never run.

A table has a figure of the paper's own beside each of ours where the set is the same, in italics:
quoted, not computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import problems
from engine.domain.names import name_variant
from engine.domain.records import StudyRow
from engine.domain.specs.study import StudySpec, Task, warn_of_overlap
from engine.report.cost import GroupCost, add_up, compare_budgets
from engine.report.paper_figures import TABLES, PaperColumn, PaperLine, PaperTable
from engine.report.results import Result, compare_by_seed, gather, pick_baseline
from engine.report.statistics import MOST_SEEDS, POWER, caveat, seeds_needed, smallest_p
from engine.runtime.measure.solvers import TEACHER
from engine.runtime.plan import choose_selection
from engine.store.reader import Reader, status
from problems.base import InstanceSet
from problems.errors import PreceptorError, StoreError

ABLATED = {c.name for t in TABLES if t.ablation for c in t.columns} - {"ours", "performance-only"}
"""Methods that only the tables of ablations name."""

QUOTED = "paper: quoted from the paper, not computed here"
BOLD = "bold: the best heuristic, and those whose 95 % interval to it holds 0"
SECONDS = (
    "Time: CPU seconds of one core for all instances; of teachers, wall clock on their device"
)
_IDENTITY = {
    "certain": "",
    "likely": "{} is likely, not certainly, the set of the paper's {}",
    "substitute": "{} is not the set of the paper's {}: no figure is quoted",
}


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: the paper's line, and the set that it was measured on here."""

    line: PaperLine
    set: str
    described: InstanceSet | None

    @property
    def quotes(self) -> bool:
        """Whether the paper's figures are about this very set."""
        return self.described is None or self.described.identity != "substitute"

    @property
    def note(self) -> str:
        """What to say of the set, nothing where it is certainly the paper's."""
        if self.described is None or not any(self.line.figures):
            return ""
        return _IDENTITY[self.described.identity].format(self.set, self.line.label)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table filled: its places, its columns, whom each column holds, what they reached."""

    shape: PaperTable
    places: tuple[TableRow, ...]
    columns: tuple[PaperColumn, ...]
    results: tuple[Result, ...]
    baseline: str
    minimised: bool
    notes: tuple[str, ...]

    def result(self, place: TableRow, column: PaperColumn) -> Result | None:
        """What the solver of a column reached at a place, None when it was not measured."""
        for one in self.results:
            if one.set == place.set and column.holds(one.name, one.kind == "teacher"):
                return one
        return None

    def column(self, result: Result) -> PaperColumn | None:
        """The column that a result stands in, None for one that has none."""
        is_teacher = result.kind == "teacher"
        return next((c for c in self.columns if c.holds(result.name, is_teacher)), None)

    def quoted(self, place: TableRow, column: PaperColumn) -> float | None:
        """The paper's figure for a place and a column, None where it has none for this set."""
        return self._of_paper(place, column, place.line.figures)

    def quoted_seconds(self, place: TableRow, column: PaperColumn) -> float | None:
        """The paper's seconds, on its own machine."""
        return self._of_paper(place, column, place.line.seconds)

    def leads(self, place: TableRow, one: Result) -> bool:
        """Whether it is the best heuristic of a place, or not shown to be worse than that one.

        Two rules, of which nothing varies, are told apart by their means.
        """
        best = self._best(place)
        if best is None or one.mean is None or not one.is_heuristic:
            return False
        apart = compare_by_seed(one, best)
        return one.mean == best.mean or (apart is not None and apart.holds_zero)

    def is_leading(self, set: str, solver: str) -> bool:
        """Whether a solver leads on a set, by their names."""
        return any(
            self.leads(place, one)
            for place in self.places
            for one in self.results
            if place.set == set == one.set and one.name == solver
        )

    def _best(self, place: TableRow) -> Result | None:
        """The heuristic of the best mean in its columns; teachers and references are apart."""
        here = [found for column in self.columns if (found := self.result(place, column))]
        means = {one.mean: one for one in here if one.is_heuristic and one.mean is not None}
        return means[(min if self.minimised else max)(means)] if means else None

    def _of_paper(
        self, place: TableRow, column: PaperColumn, figures: Sequence[float | None]
    ) -> float | None:
        for own, figure in zip(self.shape.columns, figures, strict=False):
            if own.covers(column) and place.quotes:
                return figure
        return None


def read_tables(reader: Reader, study: int) -> tuple[ResultTable, ...]:
    """All tables of a study for which anything was measured. Raises UnknownName, StoreError."""
    row = reader.study(study)
    runs = reader.study_runs(study).values()
    seeds = {run.number: run.spec.seed for run in runs}
    found = reader.measurements(study)
    strange = {one.run for one in found if one.run is not None} - set(seeds)
    if strange:
        raise StoreError(
            f"the run store is damaged: study {study} has measured run {min(strange)}, "
            "which is none of its runs; restore a copy, or name another with --db"
        )
    results = gather(found, row.spec.methods, seeds)
    costs = add_up(reader, runs)
    return tuple(
        replace(table, notes=(*table.notes, *_warn(row, task, costs)))
        for task in row.spec.tasks
        for table in _tabulate(row.spec, task, results)
    )


def _warn(row: StudyRow, task: Task, costs: Sequence[GroupCost]) -> Iterator[str]:
    """What the budgets of a problem were, and that a study did not reach its end."""
    yield from compare_budgets(
        [cost for cost in costs if cost.problem == name_variant(task.problem)]
    )
    if status(row) != "done":
        yield f"WARNING: study {row.number} is {status(row)}: figures and runs may be missing"


def _tabulate(spec: StudySpec, task: Task, results: Sequence[Result]) -> Iterator[ResultTable]:
    """The paper's tables of one problem, then one of the sets that are in none of them.

    They are tables of rules: whole solutions stand in one of their own.
    """
    name, sets, minimised = _describe(task)
    own = [one for one in results if one.problem == name]
    measured = dict.fromkeys(one.set for one in own)
    whole = ("kind", "whole") in task.problem.options
    shapes = [shape for shape in TABLES if shape.problem == name and not whole]
    named = {name for shape in shapes for line in shape.lines for name in line.sets}
    for shape in (*shapes, _shape_others(name, own, [s for s in measured if s not in named])):
        places = tuple(
            TableRow(line, name, sets.get(name))
            for line in shape.lines
            for name in line.sets
            if name in measured
        )
        columns = _columns(shape, spec, own)
        if places and (not shape.ablation or len(columns) > 1):
            here = [one for one in own if one.set in {place.set for place in places}]
            design, selection = _searched_on(task)
            overlap = warn_of_overlap((place.set for place in places), design, selection)
            baseline = pick_baseline(spec.methods)
            worth = _tell_teacher(spec, here, baseline, minimised)
            notes = [*overlap, *_name_options(task), *worth, *_notes(spec, shape, places, here)]
            yield ResultTable(
                shape, places, columns, tuple(here), baseline, minimised, tuple(notes)
            )


def _name_options(task: Task) -> Iterator[str]:
    """That a problem is not the paper's own but a variant of it."""
    if task.problem.options:
        words = ", ".join(f"{name}={word}" for name, word in task.problem.options)
        yield f"{name_variant(task.problem, short=True)}: searched and measured under {words}"


def _searched_on(task: Task) -> tuple[str, str]:
    """The design set of a problem's runs and the set that their winners were chosen on."""
    settings = task.settings
    try:
        problem = problems.load(task.problem)
        design = settings.design or problem.design
        return design, choose_selection(settings, problem, design)
    except PreceptorError:
        return settings.design, settings.selection


def _describe(task: Task) -> tuple[str, dict[str, InstanceSet], bool]:
    """A problem's name, its sets by name, whether less is better; a guess when it is not here."""
    try:
        problem = problems.load(task.problem)
    except PreceptorError:
        return Path(task.problem.name).stem, {}, True
    described = {one.name: one for one in problem.sets()}
    return problem.name, described, problem.objective(1.0) > problem.objective(0.0)


def _columns(
    shape: PaperTable, spec: StudySpec, results: Iterable[Result]
) -> tuple[PaperColumn, ...]:
    """The paper's columns, one for every teacher of ours in them; then further methods."""
    if shape.ablation:
        return tuple(column for column in shape.columns if column.name in spec.methods)
    teachers = list(dict.fromkeys(one.name for one in results if one.kind == "teacher"))
    found: list[PaperColumn] = []
    for column in shape.columns:
        held = [name for name in teachers if column.holds(name, is_teacher=True)]
        own = [PaperColumn(f"{column.label} ({name})", f"{TEACHER}{name}") for name in held]
        found += own if len(own) > 1 else [column]
    named = {column.name for column in shape.columns} | ABLATED
    return (*found, *(PaperColumn(name, name) for name in spec.methods if name not in named))


def _shape_others(name: str, results: Sequence[Result], sets: Sequence[str]) -> PaperTable:
    """A table of a problem's sets that the paper does not have: everybody measured on them."""
    solvers = dict.fromkeys((one.name, one.kind) for one in results if one.set in sets)
    order = ("program", "rule", "teacher", "reference")
    columns = tuple(
        PaperColumn(solver, TEACHER + solver if kind == "teacher" else solver)
        for solver, kind in sorted(solvers, key=lambda one: order.index(one[1]))
    )
    lines = tuple(PaperLine(one, (one,), (None,) * len(columns)) for one in sets)
    return PaperTable(f"{name}-sets", f"Sets of {name}", name, "Objective", 0, columns, lines)


WITHOUT_TEACHER = ("blind", "performance-only")
"""Methods that are ours without its teacher."""


def _notes(
    spec: StudySpec, shape: PaperTable, places: Sequence[TableRow], results: Iterable[Result]
) -> Iterator[str]:
    results = tuple(results)
    writer = "builtin, no language model" if spec.writer == "builtin" else spec.writer
    yield f"writer: {writer}; means over {len(spec.seeds)} seeds ± their standard deviation"
    yield from _limits(len(spec.seeds), results)
    if any(any(place.line.figures) and place.quotes for place in places):
        yield QUOTED
    yield BOLD
    yield SECONDS
    teachers = dict.fromkeys(f"{r.name} on {r.device}" for r in results if r.kind == "teacher")
    if teachers and not shape.ablation:
        yield f"teachers: {', '.join(teachers)}; their weights need not be the paper's"
    yield from filter(None, (place.note for place in places))
    there = {place.line.label for place in places}
    if absent := [line.label for line in shape.lines if line.label not in there]:
        yield f"not measured: {', '.join(absent)}"


def _tell_teacher(
    spec: StudySpec, results: Iterable[Result], baseline: str, minimised: bool
) -> Iterator[str]:
    """What arms of `ours` owe to their teacher, set by set: each against the one without."""
    blind = [name for name in spec.methods if spec.arm(name).method in WITHOUT_TEACHER]
    ours = [name for name in spec.methods if spec.arm(name).method == "ours"]
    for one in results:
        arm = baseline if baseline in ours else one.name
        other = one.name if baseline in ours else baseline
        found = one.contrast
        if one.kind != "program" or found is None or arm not in ours or other not in blind:
            continue
        blind_mean = found.base + (found.mean if arm == baseline else 0.0)
        if found.low is None or found.high is None or not blind_mean:
            continue
        unit = (1 if minimised == (arm == baseline) else -1) * 100 / abs(blind_mean)
        gain, *ends = (unit * x for x in (found.mean, found.low, found.high))
        verdict = "better" if min(ends) > 0 else "worse" if max(ends) < 0 else "as good or unclear"
        yield (
            f"the teacher of {arm}, {one.set}: {verdict}, {gain:+.2g} % against {other} "
            f"(95 % interval {min(ends):+.2g} to {max(ends):+.2g} %, {found.seeds} seeds)"
        )


def _limits(seeds: int, results: Sequence[Result]) -> Iterator[str]:
    """What so many seeds can show, and how many a difference of one per cent would take."""
    if few := caveat(seeds):
        yield few
    contrasts = [one.contrast for one in results if one.kind == "program" and one.contrast]
    if not contrasts:
        return
    lowest = smallest_p(seeds)
    yield f"with {seeds} seeds no sign-flip test over seeds can go below p = {lowest:.3g}"
    needed = [seeds_needed(c.deviation, abs(c.base) / 100) for c in contrasts if c.seeds > 1]
    if needed:
        enough = [seeds for seeds in needed if seeds is not None]
        told = f"{max(enough)}" if len(enough) == len(needed) else f"over {MOST_SEEDS}"
        yield f"to see 1 % on every set here with power {POWER:g}: {told} seeds"
