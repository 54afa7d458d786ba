"""What came of a run, and the exit code that a script gets for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import problems
from engine.domain.events import NO_DIAGNOSTICS
from engine.domain.names import LEFT_OUT
from engine.domain.records import Finalist, RunRow, Totals
from engine.domain.specs.settings import RunSpec
from engine.domain.status import Status
from engine.domain.values import Candidate
from engine.monitor.pace import BestUnder, best_by_pace, is_near_limit
from engine.monitor.teacher_standing import TeacherStanding, stand_teacher
from engine.store.reader import Reader, status
from problems.base import SELECTION, Problem
from problems.errors import PreceptorError

EXIT_CODES: dict[Status, int] = {"done": 0, "budget": 4}
"""The exit code by status; 1 for every other one: only a finished run counts as success."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run with its winner; `objective` is the winner's in the problem's natural sense.

    `best` is None before a generation closed; `objective` also when the problem cannot be loaded.
    `finalists` are those among whom it was chosen on the selection set, none where it was not;
    `quick` are the best programs of all that decide quickly. `seed_cost` is the lowest cost in
    generation 0, `teacher` how the run's teacher stands, `silence` why it commented on no
    survivor, empty where it did, `left_out` when prompts left it out, and why, `written` whether
    any program but those it began with is valid.
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
    teacher: TeacherStanding | None = None
    silence: str = ""
    left_out: tuple[str, ...] = ()
    written: bool = True

    @property
    def teacher_objective(self) -> float | None:
        """What the teacher reaches on the design set by itself, None where that is not known."""
        return natural_objective(self.row, self.teacher.cost) if self.teacher else None

    @property
    def beats_seeds(self) -> bool:
        """Whether the best costs less than every program that the run began with."""
        cost = None if self.best is None else self.best.cost
        return cost is not None and (self.seed_cost is None or cost < self.seed_cost)

    @property
    def beats_teacher(self) -> bool:
        """Whether the best costs no more than the teacher alone, as far as that was measured."""
        if (
            not self.best
            or self.best.cost is None
            or not self.teacher
            or self.teacher.cost is None
        ):
            return True
        return self.best.cost <= self.teacher.cost

    @property
    def found_nothing(self) -> bool:
        """Whether the search came to its end and no new program of it solved its instances."""
        return self.status == "done" and (self.best is None or not self.written)

    @property
    def exit_code(self) -> int:
        """0 done with a new program, 4 budget spent, 1 anything else."""
        if self.found_nothing:
            return 1
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
    population = reader.population(run)
    best = None if row.best is None else reader.candidate(run, row.best)
    return RunResult(
        row=row,
        status=status(row),
        best=best,
        objective=None if best is None else natural_objective(row, best.cost),
        population=population,
        totals=reader.totals(run),
        finalists=reader.finalists(run) if status(row) in EXIT_CODES else (),
        quick=best_by_pace(reader.paces(run), row.best),
        seed_cost=reader.best_seed(run),
        teacher=stand_teacher(row.spec.teacher, _teacher_alone(reader, row), population),
        silence=_silence(reader, row, population),
        left_out=tuple(dict.fromkeys(reader.notes(run, LEFT_OUT))),
        written=reader.has_written(run) or reader.totals(run).calls == 0,
    )


def _silence(reader: Reader, row: RunRow, survivors: Sequence[Candidate]) -> str:
    """Why the teacher commented on no survivor; empty without a teacher, too."""
    if not row.spec.teacher or any(one.diagnostics for one in survivors):
        return ""
    return next(reversed(reader.notes(row.number, NO_DIAGNOSTICS)), "")


def _teacher_alone(reader: Reader, row: RunRow) -> dict[str, float]:
    """What the run itself measured, else what a teacher of that name was last seen to reach."""
    try:
        problem = problems.load(row.spec.problem)
    except PreceptorError:
        return reader.teacher_costs(row.number)
    design = row.spec.settings.design or problem.design
    known = reader.measured_alone(problem.name, design, row.spec.teacher)
    found = {}
    if known is not None and known.mean is not None:
        found[known.solver] = problem.objective(known.mean)  # its own inverse
    return found | reader.teacher_costs(row.number)


def name_design(spec: RunSpec) -> str:
    """The set that a run searches on: by its name, the problem's own by what it holds.

    `design set` where the problem is not here.
    """
    try:
        problem = problems.load(spec.problem)
    except PreceptorError:
        return spec.settings.design or "the design set"
    design = spec.settings.design
    return design if design and design != problem.design else f"design ({_kind(problem)})"


def name_selection(spec: RunSpec, chosen_on: str) -> str:
    """The set `chosen_on` in words: `selection`, and of what kind where the name does not tell.

    That is where it is not like the design set, or the search was not on the problem's own:
    `selection (random 20x20)`, `selection (random-6x6)`.
    """
    return " ".join(word for word in split_selection_name(spec, chosen_on) if word)


def split_selection_name(spec: RunSpec, chosen_on: str) -> tuple[str, str]:
    """The same in two parts, the second in brackets, or empty."""
    try:
        problem = problems.load(spec.problem)
    except PreceptorError:
        return chosen_on, ""
    if chosen_on != getattr(problem, "selection", ""):
        like = chosen_on.removeprefix(SELECTION)
        return ("selection", f"({like})") if chosen_on else ("", "")
    if (spec.settings.design or problem.design) == problem.design:
        return "selection", ""
    return "selection", f"({_kind(problem)})"


def _kind(problem: Problem) -> str:
    """What the problem's own sets hold, as its design set is described: `random 20x20`."""
    about = next((one.about for one in problem.sets() if one.name == problem.design), "")
    return re.split("[,:;]", about)[0].lstrip("0123456789 ") or problem.design


def natural_objective(row: RunRow, cost: float | None) -> float | None:
    """A cost in the problem's natural sense; None without a cost or without its problem."""
    if cost is None:
        return None
    try:
        return problems.load(row.spec.problem).objective(cost)
    except PreceptorError:
        return None
