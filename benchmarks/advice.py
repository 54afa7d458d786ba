"""What the teachers' choices save in the programs of a run, tried out one by one.

    python -m benchmarks.advice RUN TEACHER ... --db FILE [--programs 10] [--checks 32]

Programs of the run are taken along its ranking, from the best to the worst. In states of each,
drawn whatever the regret, what a teacher prefers is taken in the place of the program's choice,
the program goes on, and both costs are compared. Three kinds of disagreements: any; those in which
the program does not do later, to the same effect, what the teacher prefers (a run checks these);
and, where all that comes later is left out, those with the teacher's choice of the rest (`real`
counts these). Shown are the shares that help and harm, and the mean saving with its standard error
over programs, of all and of the better half; then how often the teacher disagrees so. The programs
run without a sandbox: take runs of your own.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import problems
import teachers
from benchmarks.rollout_followed import go_on
from engine.diagnosis.diagnostics import find_same_later, leave_out
from engine.diagnosis.sampling import plan_sampling, sample
from engine.store.reader import Reader
from problems import ProblemRef
from problems.base import Decision, Problem
from teachers.base import Teacher, Verdict
from teachers.conformance import ask
from teachers.device import use_one_thread

STATES = 512
KINDS = ("", "  not done later", "  best of the rest")
NOTHING = Verdict(None, None)


@dataclass(frozen=True, slots=True)
class Tried:
    """Savings in one program, shares of the cost, and how often the teacher disagrees with it."""

    savings: tuple[float, ...]
    objections: float


class Walks:
    """A program's walks over the design set, and where it comes to from elsewhere."""

    def __init__(self, problem: Problem, instances: Sequence[Any], code: str) -> None:
        space: dict[str, Any] = {}
        exec(code, space)
        self.problem = problem
        self.instances = instances
        self.function = space[problem.contract.function]
        self.actions = [go_on(problem, self.function, instance, ()) for instance in instances]
        pairs = zip(instances, self.actions, strict=True)
        self.costs = [problem.replay(instance, actions) for instance, actions in pairs]

    def save(self, decision: Decision, action: int) -> float:
        """The share of the cost that another action saves."""
        instance = self.instances[decision.instance]
        forced = (*self.actions[decision.instance][: decision.step], action)
        cost = self.costs[decision.instance]
        taken = go_on(self.problem, self.function, instance, forced)
        return (cost - self.problem.replay(instance, taken)) / abs(cost)


def ask_all(walks: Walks, teacher: Teacher, checks: int) -> list[Tried]:
    """What a teacher's choices save by each of `KINDS`."""
    sampling = plan_sampling(len(walks.instances), STATES)
    decisions = sample(walks.problem, walks.instances, walks.actions, sampling).decisions
    verdicts = ask(teacher, decisions)
    later = find_same_later(walks.problem, walks.instances, walks.actions, decisions)
    known = later or [frozenset[int]()] * len(decisions)
    asked = list(zip(decisions, verdicts, strict=True))
    wishes = zip(asked, known, strict=True)
    first = [(d, v) if v.preferred not in same else (d, NOTHING) for (d, v), same in wishes]
    rest = list(map(leave_out, decisions, verdicts, known))
    return [_try_out(walks, rows, checks) for rows in (asked, first, rest)]


def _try_out(walks: Walks, asked: Sequence[tuple[Decision, Verdict]], checks: int) -> Tried:
    apart = [(d, v.preferred) for d, v in asked if v.preferred not in (None, d.chosen)]
    drawn = random.Random(0).sample(apart, min(checks, len(apart)))
    savings = tuple(walks.save(d, action) for d, action in drawn if action is not None)
    return Tried(savings, len(apart) / len(asked))


def print_row(name: str, found: Sequence[Tried]) -> None:
    """One teacher's figures, of all programs and of the better half."""
    parts = []
    for tried in (found, found[: len(found) // 2]):
        savings = [saving for one in tried for saving in one.savings]
        means = [100 * fmean(one.savings) for one in tried if one.savings]
        helped = 100 * fmean(saving > 0 for saving in savings) if savings else 0.0
        harmed = 100 * fmean(saving < 0 for saving in savings) if savings else 0.0
        error = stdev(means) / len(means) ** 0.5 if len(means) > 1 else 0.0
        mean = fmean(means) if means else 0.0
        parts.append(f"{helped:3.0f} % help, {harmed:3.0f} % harm, {mean:+.3f} ± {error:.3f} %")
    apart = 100 * fmean(one.objections for one in found)
    print(f"  {name:<24} {parts[0]}; better half {parts[1]}; disagrees {apart:.0f} %", flush=True)


def main() -> None:
    """Three rows a teacher, one for each kind of disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=int)
    parser.add_argument("teachers", nargs="+")
    parser.add_argument("--db", type=Path, default=Path("runs.db"))
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--checks", type=int, default=32, help="choices tried out a program")
    given = parser.parse_args()
    use_one_thread()
    with Reader(given.db) as reader:
        run = reader.run(given.run)
        found = [c for c in reader.candidates(given.run) if c.cost is not None]
    ranked = sorted(found, key=lambda c: c.cost or 0.0)
    kept = [ranked[k * len(ranked) // given.programs] for k in range(given.programs)]
    problem = problems.load(run.spec.problem)
    instances = problem.load(problem.design)
    everyone = [Walks(problem, instances, c.program.code) for c in kept]
    print(f"run {given.run}, {problem.name}, {len(kept)} of {len(ranked)} programs")
    for word in given.teachers:
        teacher = teachers.load(word, ProblemRef(problem.name), "cpu")
        asked = [ask_all(walks, teacher, given.checks) for walks in everyone]
        for kind, column in zip(KINDS, zip(*asked, strict=True), strict=True):
            print_row(kind or word, column)


if __name__ == "__main__":
    main()
