"""Choices of teachers and rules on small job shops, against the exact teacher `cp-sat`.

    python -m benchmarks.exact_choices [WHO ...] [--set random-6x6] [--visit mwkr spt fdd-mwkr]

WHO is a teacher (a name, FILE.py:CLASS, program:FILE.py) or a classical rule. They are asked in
states that the visiting rules come to, drawn among those with a choice. A choice keeps the optimum
if the least makespan that can be reached from the state can still be reached after it; its loss is
by how much that makespan grows, as a share of it. Beside them stand the visiting rule's own choice
and, as a control, the mean over all jobs, which is what a random choice comes to. Figures are
means over instances with standard errors over instances. States without a proof are left out.

The last two columns tell how much a disagreement means: to which share of the visiting rule's
choices that lose the optimum WHO objects, and to which share of those that keep it; in brackets by
real disagreements alone. `cp-sat` may be asked, too.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import problems
import teachers
from engine.diagnosis.diagnostics import find_same_later, leave_out
from problems import ProblemRef
from problems.base import Decision, Problem, rollout, visited
from teachers.base import Teacher, Verdict
from teachers.conformance import ask
from teachers.device import use_one_thread
from teachers.program import ProgramTeacher

JSSP = ProblemRef("jssp")
RANDOM = "a random choice"
OWN = "its own choice"


@dataclass(frozen=True, slots=True)
class Judged:
    """A state with the least makespan that can be reached after each of its actions."""

    decision: Decision
    makespans: dict[int, float]
    later: frozenset[int]

    def keeps(self, action: int) -> float:
        """1 if the optimum can still be reached after an action, else 0."""
        return float(self.makespans[action] == min(self.makespans.values()))

    def loss(self, action: int) -> float:
        """By which share the least makespan grows."""
        return self.makespans[action] / min(self.makespans.values()) - 1


def find_teacher(word: str, problem: Problem) -> Teacher:
    """A classical rule by its name, else a teacher. Raises as `teachers.load`."""
    codes = {rule.name: rule.code for rule in problem.rules()}
    if word not in codes:
        return teachers.load(word, JSSP, "cpu")
    return ProgramTeacher(word, word, _function(problem, codes[word]), problem)


def sample_states(
    problem: Problem, instances: Sequence[Any], walks: Sequence[Sequence[int]], each: int
) -> list[Decision]:
    """Up to `each` states with a choice of every instance, from a program's walks; 0 is all."""
    rng = random.Random(0)
    found = []
    for index, (instance, taken) in enumerate(zip(instances, walks, strict=True)):
        walk = zip(visited(problem, instance, taken), taken, strict=False)
        seen = [
            Decision(index, step, state, problem.actions(state), action)
            for step, (state, action) in enumerate(walk)
        ]
        choices = [decision for decision in seen if len(decision.actions) > 1]
        kept = rng.sample(choices, min(each or len(choices), len(choices)))
        found += sorted(kept, key=lambda decision: decision.step)
    return found


def judge(decisions: Sequence[Decision], later: Sequence[frozenset[int]]) -> list[Judged]:
    """The states whose makespans are proved; what the rule does `later` to the same effect."""
    verdicts = ask(teachers.load("cp-sat", JSSP), decisions)
    rows = zip(decisions, later, (verdict.scores for verdict in verdicts), strict=True)
    return [
        Judged(decision, {a: -s for a, s in zip(decision.actions, scores, strict=True)}, same)
        for decision, same, scores in rows
        if scores is not None
    ]


def choices(verdicts: Sequence[Verdict]) -> list[tuple[int, ...]]:
    """For each state the action preferred, none for no preference."""
    return [() if one.preferred is None else (one.preferred,) for one in verdicts]


def objections(judged: Sequence[Judged], verdicts: Sequence[Verdict]) -> str:
    """Shares of losing and of keeping choices that the verdicts object to, in words."""
    found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for one, verdict in zip(judged, verdicts, strict=True):
        decision = one.decision
        asked, answer = leave_out(decision, verdict, one.later)
        really = float(asked.chosen != answer.preferred)
        raw = float(decision.chosen != verdict.preferred)
        found[bool(one.keeps(decision.chosen))].append((raw, really))
    return "".join(f"{_shares(found[kept]):>20}" for kept in (False, True))


def _shares(found: Sequence[tuple[float, float]]) -> str:
    if not found:
        return "-"
    raw, really = (100 * fmean(column) for column in zip(*found, strict=True))
    return f"{raw:.0f} ({really:.0f})"


def print_row(
    who: str, judged: Sequence[Judged], chosen: Sequence[tuple[int, ...]], more: str = ""
) -> None:
    """How often a choice keeps the optimum and what it loses, over instances."""
    kept = dict[int, list[float]]()
    lost = dict[int, list[float]]()
    for one, actions in zip(judged, chosen, strict=True):
        if actions:
            place = one.decision.instance
            kept.setdefault(place, []).append(fmean(map(one.keeps, actions)))
            lost.setdefault(place, []).append(100 * fmean(map(one.loss, actions)))
    silent = sum(not actions for actions in chosen)
    told = f"  no choice in {silent} states" if silent else ""
    print(f"  {who:<32}{_mean(kept, 3):>20}{_mean(lost, 3):>20}{more}{told}", flush=True)


def measure(problem: Problem, name: str, visitor: str, given: argparse.Namespace) -> None:
    """Print what everyone chooses in the states that one rule visits."""
    instances = problem.load(name)[: given.instances]
    function = _function(problem, {r.name: r.code for r in problem.rules()}[visitor])
    started = time.process_time()
    walks = [rollout(problem, function, instance).actions for instance in instances]
    states = sample_states(problem, instances, walks, given.states)
    later = find_same_later(problem, instances, walks, states)
    assert later is not None
    judged = judge(states, later)
    seconds = time.process_time() - started
    open_states = sum(len(set(one.makespans.values())) > 1 for one in judged)
    print(
        f"{name}, {len(instances)} instances, states of {visitor}: {len(judged)}, "
        f"{open_states} where some job loses, {len(states) - len(judged)} more not proved, "
        f"{seconds:.1f} CPU s"
    )
    heads = ("keeps the optimum", "loss, %", "objects to loss, %", "objects to keep, %")
    print(f"  {'':<32}{''.join(f'{head:>20}' for head in heads)}")
    print_row(OWN, judged, [(one.decision.chosen,) for one in judged])
    print_row(RANDOM, judged, [one.decision.actions for one in judged])
    for who in given.who:
        verdicts = ask(find_teacher(who, problem), [one.decision for one in judged])
        print_row(who, judged, choices(verdicts), objections(judged, verdicts))


def _function(problem: Problem, code: str | None) -> Any:
    space: dict[str, Any] = {}
    exec(code or "", space)
    return space[problem.contract.function]


def _mean(values: dict[int, list[float]], digits: int) -> str:
    """The mean over instances and its standard error."""
    each = [fmean(found) for found in values.values()]
    if len(each) < 2:
        return "-"
    return f"{fmean(each):.{digits}f} ± {stdev(each) / len(each) ** 0.5:.{digits}f}"


def main() -> None:
    """A table for every set and visiting rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("who", nargs="*", default=["offline-l2d"], help="teachers and rules")
    parser.add_argument("--set", nargs="+", default=["random-6x6"], help="sets of small shops")
    parser.add_argument("--visit", nargs="+", default=["mwkr", "spt", "fdd-mwkr"], help="rules")
    parser.add_argument("--instances", type=int, default=20, help="instances of a set")
    parser.add_argument("--states", type=int, default=0, help="states an instance; 0 is all")
    given = parser.parse_args()
    use_one_thread()
    problem = problems.load(JSSP)
    for name in given.set:
        for visitor in given.visit:
            measure(problem, name, visitor, given)


if __name__ == "__main__":
    main()
