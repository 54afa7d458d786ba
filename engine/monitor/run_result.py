"""What came of a run, and the exit code that a script gets for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import problems
from engine.monitor.pace import best_by_pace, is_near_limit
from engine.store.reader import status
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from engine.domain.records import Finalist, RunRow, Totals
    from engine.domain.status import Status
    from engine.domain.values import Candidate
    from engine.monitor.pace import BestUnder
    from engine.store.reader import Reader

EXIT_CODES: dict[Status, int] = {"done": 0, "budget": 4}
"""The exit code by status; 1 for every other one: only a finished run counts as success."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run with its winner; `objective` is the winner's in the problem's natural sense.

    `best` is None before a generation closed; `objective` also when the problem cannot be loaded.
    `finalists` are those among whom it was chosen on the selection set, none where it was not;
    `quick` are the best programs of all that decide quickly. `seed_cost` is the lowest cost in
    generation 0, `teacher_objective` what the teacher reaches on the design set by itself, None
    where nobody has measured it.
    """

    row: RunRow
    status: Status
    best: Candidate | None
    objective: float | None
    population: tuple[Candidate, ...]
    totals: Totals
    finalists: tuple[Finalist, ...] = ()
    quick: tuple[BestUnder, ...] = ()
    seed_cost: float | None = None
    teacher_objective: float | None = None

    @property
    def beats_seeds(self) -> bool:
        """Whether the best costs less than every program that the run began with."""
        cost = None if self.best is None else self.best.cost
        return cost is not None and (self.seed_cost is None or cost < self.seed_cost)

    @property
    def beats_teacher(self) -> bool:
        """Whether the best costs less than the teacher alone, as far as that was measured."""
        alone = self.teacher_objective
        if self.best is None or self.best.cost is None or alone is None:
            return True
        cost = natural_objective(self.row, alone)  # its own inverse
        return cost is None or self.best.cost <= cost

    @property
    def exit_code(self) -> int:
        """0 done, 4 budget spent, 1 anything else."""
        return EXIT_CODES.get(self.status, 1)

    @property
    def near_limit(self) -> bool:
        """Whether the winner took more than half of the CPU seconds that it may take."""
        limit = self.row.spec.settings.eval_seconds
        return self.best is not None and is_near_limit(self.best, limit)

    @property
    def selection_objective(self) -> float | None:
        """What the winner reached on the selection set, in the problem's natural sense."""
        return natural_objective(self.row, self.best.selection_cost if self.best else None)


def read_run_result(reader: Reader, run: int) -> RunResult:
    """The result of a run from the store. Raises UnknownName for no such run."""
    row = reader.run(run)
    best = None if row.best is None else reader.candidate(run, row.best)
    return RunResult(
        row=row,
        status=status(row),
        best=best,
        objective=None if best is None else natural_objective(row, best.cost),
        population=reader.population(run),
        totals=reader.totals(run),
        finalists=reader.finalists(run) if status(row) in EXIT_CODES else (),
        quick=best_by_pace(reader.paces(run), row.best),
        seed_cost=reader.best_seed(run),
        teacher_objective=_teacher_alone(reader, row),
    )


def _teacher_alone(reader: Reader, row: RunRow) -> float | None:
    """What the run itself measured, else what a teacher of this name was last seen to reach."""
    own = reader.teacher_cost(row.number)
    if own is not None:
        return natural_objective(row, own)
    try:
        problem = problems.load(row.spec.problem)
    except PreceptorError:
        return None
    design = row.spec.settings.design or problem.design
    found = reader.measured_alone(problem.name, design, row.spec.teacher)
    return None if found is None else found.mean


def natural_objective(row: RunRow, cost: float | None) -> float | None:
    """A cost in the problem's natural sense; None without a cost or without its problem."""
    if cost is None:
        return None
    try:
        return problems.load(row.spec.problem).objective(cost)
    except PreceptorError:
        return None
