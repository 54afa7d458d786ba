"""Calibration of any program: its constants moved on one half of a set, judged on the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.domain.program import make_program
from engine.domain.rng import derive_seed
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Trial, TrialBatch, Tuning
from engine.domain.values import Candidate, Evaluation, Program
from engine.runtime.measure.solvers import Solver, SolverResources
from engine.search.paired import compare
from engine.search.tuning.budget import count_rollouts, split
from engine.search.tuning.calibrate import Calibration, Place, calibrate, judge
from engine.search.tuning.constants import find_constants
from problems.base import Problem, Rule
from problems.errors import BadProgram, PreceptorError, UserError, WorldError

SECONDS = 30.0
"""CPU seconds that a calibration may take where nothing else is said."""

STEPS = 20
"""How often a calibration tells how far it is, at most."""

EXPORTED = "Written by Preceptor; nothing of it is needed"
"""Words of an exported file, which tells of the program as it was and checks itself by that."""


@dataclass(frozen=True, slots=True)
class SetGain:
    """A program before and after on some instances: mean objectives in the natural sense.

    `gain` is the mean by which the cost fell, above 0 for the better, `stderr` its standard error,
    both None where a program did not solve all of them.
    """

    set: str
    instances: int
    before: float | None
    after: float | None
    gain: float | None
    stderr: float | None


@dataclass(frozen=True, slots=True)
class TuneReport:
    """What a calibration came to; prints as a line.

    `code` is the program with its new constants, None where nothing better was found, and then
    `reason` says so. `gains` are on the tuned half, on the other half, and on further sets;
    `curve` holds (rollouts, best mean objective on the tuned half); `cpu` seconds of all trials.
    """

    problem: str
    set: str
    program: str
    code: str | None
    reason: str
    tuning: Tuning
    gains: tuple[SetGain, ...]
    curve: tuple[tuple[int, float], ...]
    cpu: float

    def __repr__(self) -> str:
        moved = [one for one in self.tuning.constants if one.before != one.after]
        what = ", ".join(f"{one.name} {one.before:g} -> {one.after:g}" for one in moved)
        found = what if self.code is not None else f"not better: {self.reason}"
        return f"<{self.program} on {self.set} of {self.problem}: {found}>"


@dataclass(slots=True)
class _Bench:
    """Tries programs on a set and tells how far the search is."""

    resources: SolverResources
    set: str
    tell: Callable[[str], None]
    began: float = field(default_factory=time.monotonic)
    curve: list[tuple[int, float]] = field(default_factory=list)

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """The trials of a batch."""
        found = await self.resources.try_out(self.set, batch)
        objective = self.resources.problem.objective
        done = batch.spent + len(batch.codes) * len(batch.instances)
        best = ""
        if batch.best is not None:
            self.curve.append((batch.spent, objective(batch.best)))
            best = f", best {objective(batch.best):.6g}"
        if STEPS * done // batch.budget > STEPS * batch.spent // batch.budget:
            left = (time.monotonic() - self.began) * (batch.budget - done) / done
            self.tell(f"{done} of {batch.budget} rollouts{best}, at most {left:.0f} s left")
        return found


async def tune(
    resources: SolverResources,
    solver: Solver,
    settings: Settings,
    sets: Sequence[str] = (),
    seconds: float = SECONDS,
    seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> TuneReport:
    """Tune the constants of a program on the design set for so many CPU seconds.

    `sets` are measured before and after where it is better; `tell` receives how far it is. Raises
    UserError for one that is no program, BadProgram for one without constants, PreceptorError for
    one that fails, UnknownName and UserError for a set.
    """
    name = settings.design or resources.problem.design
    code = _code(solver)
    for one in sets:
        resources.problem.load(one)
    if not find_constants(code):
        raise BadProgram(f"{solver.name} has no constants to tune: nothing was done")
    evaluation = await resources.solve(solver, name)
    tell(f"{solver.name} took {evaluation.cpu:.2f} CPU seconds for {name}")
    parent = _candidate(solver, code, evaluation)
    bench = _Bench(resources, name, tell)
    half = len(split(len(parent.costs)).tuned)
    place = Place("tune", 0, 0, derive_seed(seed, "tune", 0))
    found = await calibrate(bench, parent, place, count_rollouts(seconds, parent, half))
    if found.tuning is None:
        raise UserError(found.reason)
    after = parent
    if found.code is not None:
        after, found = await _judge(resources, name, solver, parent, found)
    assert found.tuning is not None
    gains = _halves(resources.problem, parent, after)
    if found.code is not None:
        for one in sets:
            tell(f"{one}: measuring before and after")
            gains += [await _measure(resources, one, solver, found.code)]
    curve = (
        *bench.curve,
        (found.tuning.rollouts, resources.problem.objective(found.tuning.after)),
    )
    return TuneReport(
        resources.problem.name,
        name,
        solver.name,
        found.code,
        found.reason,
        found.tuning,
        tuple(gains),
        curve,
        found.tuning.cpu,
    )


def tuned_text(place: str, solver: Solver, report: TuneReport) -> str:
    """The text of a file with the new constants.

    That of the user's file but for the numbers. What was exported, or comes from elsewhere, is
    described again.
    """
    assert report.code is not None
    file = Path(place)
    original = file.read_text("utf-8") if file.is_file() else EXPORTED
    if EXPORTED not in original:
        return _merge(original, _code(solver), report.code)
    return f'"""{_about(report)}"""\n\n{report.code.strip()}\n'


def write_text(file: Path, text: str) -> None:
    """Raises WorldError for a file that cannot be written."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise WorldError(f"{file} cannot be written: {error.strerror}") from error


def _merge(original: str, before: str, after: str) -> str:
    """The original text with those lines of the program that have changed."""
    lines = original.split("\n")
    for k, (old, new) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True)):
        if old != new:
            lines[k] = lines[k].replace(old, new)
    return "\n".join(lines)


def _about(report: TuneReport) -> str:
    moved = "".join(
        f"\n    {one.name}: {one.before:g} -> {one.after:g}" for one in report.tuning.constants
    )
    words = (
        f"{report.program} with constants tuned on {report.set} of {report.problem}.\n{moved}\n"
    )
    return words.replace("\\", "\\\\").replace('"', "'")


def _as_it_stands(code: str) -> Program:
    """A program whose text keeps the empty lines around it."""
    return replace(make_program("", code), code=code)


def _code(solver: Solver) -> str:
    if solver.rule is None or solver.rule.code is None:
        raise UserError(f"{solver.name} is no program; name a file, run:N or run:N/ID")
    return solver.rule.code


def _candidate(solver: Solver, code: str, evaluation: Evaluation) -> Candidate:
    """The program with what its evaluation says."""
    if (failure := evaluation.failure) is not None:
        raise PreceptorError(f"{solver.name} failed: {failure.kind}, {failure.message}")
    return Candidate(
        id=Path(solver.name).name,
        program=_as_it_stands(code),
        operator="seed",
        generation=0,
        slot=0,
        cost=evaluation.cost,
        costs=evaluation.costs,
        cpu=evaluation.cpu,
    )


async def _judge(
    resources: SolverResources, name: str, solver: Solver, parent: Candidate, found: Calibration
) -> tuple[Candidate, Calibration]:
    """The tuned program on the whole set, and the verdict of the half it was not tuned on."""
    assert found.code is not None
    tuned = Rule(solver.name, "", code=found.code)
    evaluation = await resources.solve(type(solver)(solver.name, "program", tuned), name)
    after = replace(parent, program=_as_it_stands(found.code), costs=evaluation.costs)
    return after, judge(found, parent, evaluation.costs)


def _halves(problem: Problem, before: Candidate, after: Candidate) -> list[SetGain]:
    halves = split(len(before.costs))
    return [
        _gain(problem, name, [before.costs[k] for k in half], [after.costs[k] for k in half])
        for name, half in (("tuned half", halves.tuned), ("other half", halves.accepted))
    ]


async def _measure(resources: SolverResources, name: str, solver: Solver, code: str) -> SetGain:
    """Both programs on another set."""
    tuned = type(solver)(solver.name, "program", Rule(solver.name, "", code=code))
    before = await resources.solve(solver, name)
    after = await resources.solve(tuned, name)
    return _gain(resources.problem, name, before.costs, after.costs)


def _gain(
    problem: Problem, name: str, before: Sequence[float | None], after: Sequence[float | None]
) -> SetGain:
    found = compare(after, before)
    gain = None if found is None else -found.mean
    stderr = None if found is None else found.stderr
    means = (_mean(problem, before), _mean(problem, after))
    return SetGain(name, len(before), *means, gain, stderr)


def _mean(problem: Problem, costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return problem.objective(sum(known) / len(known)) if len(known) == len(costs) else None
