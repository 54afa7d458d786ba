"""What a method's runs used, and whether methods that stand side by side had equal budgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain.names import name_variant
from engine.domain.records import RunRow
from engine.report.grid import Grid, GridCell, show
from engine.store.reader import Reader


@dataclass(frozen=True, slots=True)
class Expense:
    """What one run used. `work` are CPU microseconds of its winner per decision on the design set.

    `children` were asked for, whatever became of them; `usd` is None where tokens have no known
    price; `cpu` are those of all evaluations, `teacher` those of the teacher's comments;
    `work` is None for a run without a winner.
    """

    calls: int
    tokens: int
    usd: float | None
    evaluations: int
    children: int
    seconds: float
    cpu: float
    teacher: float
    work: float | None


@dataclass(frozen=True, slots=True)
class GroupCost:
    """The expenses of all runs of a method on a problem."""

    problem: str
    method: str
    runs: tuple[Expense, ...]

    def mean(self, name: str) -> float | None:
        """The mean of one field of `Expense`, None where a run has no value for it."""
        values = [getattr(run, name) for run in self.runs]
        return None if None in values else fmean(values)

    def exact(self, name: str) -> frozenset[int]:
        """The different values of a field that counts."""
        return frozenset(getattr(run, name) for run in self.runs)


_COLUMNS = {
    "calls": ("Calls", 1),
    "children": ("Children", 1),
    "tokens": ("Tokens", 0),
    "usd": ("US dollars", 2),
    "evaluations": ("Evaluations", 1),
    "seconds": ("Time (s)", 1),
    "cpu": ("CPU (s)", 1),
    "teacher": ("Teacher CPU (s)", 1),
    "work": ("µs a decision", 1),
}
"""Fields of `Expense`: how their columns are called, decimals."""


def add_up(reader: Reader, runs: Iterable[RunRow]) -> tuple[GroupCost, ...]:
    """The cost of every variant of a problem and method, in the order of the runs."""
    groups: dict[tuple[str, str], list[Expense]] = {}
    for row in runs:
        key = (name_variant(row.spec.problem), row.spec.label)
        groups.setdefault(key, []).append(_expense(reader, row))
    return tuple(GroupCost(*key, tuple(spent)) for key, spent in groups.items())


def _expense(reader: Reader, row: RunRow) -> Expense:
    totals = reader.totals(row.number)
    tokens = totals.tokens_in + totals.tokens_out
    return Expense(
        calls=totals.calls,
        tokens=tokens,
        usd=None if totals.unpriced and tokens else totals.usd,
        evaluations=totals.evaluations,
        children=reader.count_children(row.number),
        seconds=row.seconds,
        cpu=totals.cpu,
        teacher=totals.teacher,
        work=_work(reader, row),
    )


def _work(reader: Reader, row: RunRow) -> float | None:
    paces = {one.id: one.pace for one in reader.paces(row.number)}
    pace = paces.get(row.best or "")
    return None if pace is None else 1e6 * pace


def compare_budgets(costs: Sequence[GroupCost]) -> list[str]:
    """What to say of every problem: the budget that all its runs share, or that they have none."""
    return [
        _compare([cost for cost in costs if cost.problem == problem])
        for problem in dict.fromkeys(cost.problem for cost in costs)
    ]


def _compare(costs: Sequence[GroupCost]) -> str:
    problem = costs[0].problem
    for name in ("calls", "children"):
        spent = frozenset[int]().union(*(cost.exact(name) for cost in costs))
        if len(spent) == 1:
            return f"{problem}: equal budgets, {next(iter(spent))} {name} a run"
    told = "; ".join(
        f"{cost.method} {cost.mean('calls'):g} calls, {cost.mean('children'):g} children"
        for cost in costs
    )
    return f"WARNING: {problem}: budgets differ, so results do not compare: {told}"


def lay_out_expenses(costs: Sequence[GroupCost]) -> Grid:
    """A row a problem and method, means over its runs."""
    rows = [
        (
            GridCell(cost.problem),
            GridCell(cost.method),
            GridCell(str(len(cost.runs))),
            *(GridCell(show(cost.mean(name), places)) for name, (_, places) in _COLUMNS.items()),
        )
        for cost in costs
    ]
    head = ("Problem", "Method", "Runs", *(label for label, _ in _COLUMNS.values()))
    return Grid(
        "expenses",
        "What the searches used, means over runs",
        head,
        tuple(rows),
        tuple(compare_budgets(costs)),
    )
