"""What a program did on its design set, in pictures: any step of it, and its choice in a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import problems
from engine.domain.records import RunRow
from engine.domain.values import Case
from engine.runtime.provenance import digest
from engine.store.reader import Reader
from problems.base import Problem, visited
from problems.errors import InvalidAction, UserError

COMPARED = 8
"""Instances by which those of a recorded run are recognised."""


@dataclass(frozen=True, slots=True)
class DrawnDecision:
    """The state after the program's choice, and after the one that the teacher prefers."""

    chosen: str
    preferred: str


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """One step: the action taken of `actions` feasible ones, its fields, the state around it.

    A whole solution is one step, with no action and nothing before it.
    """

    action: int
    actions: int
    fields: tuple[tuple[str, float], ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RecordedRollouts:
    """The recorded actions of a program, instance by instance, with what draws them."""

    run: int
    program: str
    problem: Problem
    instances: Sequence[Any]
    walks: tuple[tuple[int, ...], ...]

    def draw_case(self, case: Case) -> DrawnDecision:
        """Draw what both choices of a case make of its state, to one scale where there is one.

        Raises UserError without that state.
        """
        actions = (case.chosen, case.preferred)
        states = [self._take(case.instance, case.step, action)[1] for action in actions]
        return DrawnDecision(*self.problem.draw_alike(states))

    def count_steps(self, instance: int) -> int:
        """The steps of an instance that can be drawn; a whole solution is one."""
        return 1 if self.problem.contract.whole else len(self.walks[instance])

    def draw_step(self, instance: int, step: int) -> DrawnStep:
        """Draw a step that the program took, both counted from 0. Raises UserError without it.

        Most steps of a program that did not survive are given up (`engine/store/thinning.py`).
        """
        if 0 <= instance < len(self.walks) and not self.walks[instance]:
            raise UserError(
                f"run {self.run} keeps no steps of {self.program} there: of programs that died it "
                "keeps those up to the states it shows"
            )
        if not (0 <= instance < len(self.walks) and 0 <= step < self.count_steps(instance)):
            raise self._missing(step)
        if self.problem.contract.whole:
            return self._draw_solution(instance)
        return self._take(instance, step, self.walks[instance][step])[0]

    def _take(self, instance: int, step: int, action: int) -> tuple[DrawnStep, Any]:
        """Walk again to a state, since a step may change its own, and take an action there.

        The step comes with the state after it.
        """
        if not (0 <= instance < min(len(self.walks), len(self.instances)) and step >= 0):
            raise self._missing(step)
        states = visited(self.problem, self.instances[instance], self.walks[instance])
        try:
            state = next(islice(states, step, None))
            feasible = self.problem.actions(state)
            if action not in feasible:  # only then has it fields
                raise self._missing(step)
            fields = tuple(self.problem.fields(state, action).items())
            before = self.problem.draw(state)
            reached = self.problem.step(state, action)
            after = self.problem.draw(reached)
        except (StopIteration, InvalidAction) as error:
            raise self._missing(step) from error
        return DrawnStep(action, len(feasible), fields, before, after), reached

    def _draw_solution(self, instance: int) -> DrawnStep:
        """Draw a whole solution beside its objective."""
        problem = self.problem
        state = problem.start(self.instances[instance])
        for number in self.walks[instance]:
            state = problem.step(state, number)
        try:
            objective = problem.objective(problem.cost(state))
        except InvalidAction as error:  # the rules are others now
            raise self._missing(0) from error
        return DrawnStep(0, 0, (("objective", objective),), "", problem.draw(state))

    def _missing(self, step: int) -> UserError:
        return UserError(f"run {self.run} holds no step {step} of {self.program} there")


def read_rollouts(reader: Reader, run: int, program: str) -> RecordedRollouts:
    """What a program of a run did on the run's design set.

    Raises UserError where the set is another one now, and as problems and sets are loaded.
    """
    row = reader.run(run)
    problem = problems.load(row.spec.problem)
    instances = problem.load(row.spec.settings.design or problem.design)
    same = digest(instances) == row.provenance.design
    if not same and not _cost_the_same(problem, instances, reader, row):
        raise UserError(f"the instances of run {run} are not those of its design set now")
    evaluation = reader.evaluation_of(run, program)
    return RecordedRollouts(
        run, program, problem, instances, evaluation.actions if evaluation else ()
    )


def _cost_the_same(
    problem: Problem, instances: Sequence[Any], reader: Reader, row: RunRow
) -> bool:
    """Whether what the best program of a run did costs the same on these instances.

    Then they are those of the run, though more may be known of them now, such as better solutions.
    """
    best = reader.evaluation_of(row.number, row.best, thinned=False) if row.best else None
    if best is None or len(best.costs) != len(instances):
        return False
    try:
        costs = map(problem.replay, instances[:COMPARED], best.actions)
        return list(costs) == list(best.costs[:COMPARED])
    except InvalidAction:
        return False


def draw_decision(reader: Reader, run: int, program: str, case: Case) -> DrawnDecision:
    """Draw a case of a program, on the design set of its run.

    Raises UserError where the run holds no such state, and as `read_rollouts`.
    """
    return read_rollouts(reader, run, program).draw_case(case)
