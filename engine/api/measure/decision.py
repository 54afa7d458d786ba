"""A decision of a program as pictures: what its choice makes of a state, and the teacher's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import problems
from engine.runtime.provenance import digest
from problems.base import visited
from problems.errors import InvalidAction, UserError

if TYPE_CHECKING:
    from engine.domain.values import Case
    from engine.store.reader import Reader


@dataclass(frozen=True, slots=True)
class DrawnDecision:
    """The state after the program's choice, and after the one that the teacher prefers."""

    chosen: str
    preferred: str


def draw_decision(reader: Reader, run: int, program: str, case: Case) -> DrawnDecision:
    """Draw a case of a program, on the design set of its run.

    Raises UserError where the run holds no such state, or its set is another one now, and as
    problems and sets are loaded.
    """
    row = reader.run(run)
    problem = problems.load(row.spec.problem)
    instances = problem.load(row.spec.settings.design or problem.design)
    if digest(instances) != row.provenance.design:
        raise UserError(f"the instances of run {run} are not those of its design set now")
    evaluation = reader.evaluation_of(run, program)
    walks = evaluation.actions if evaluation else ()
    missing = UserError(f"run {run} holds no step {case.step} of {program} there")
    if not (0 <= case.instance < min(len(walks), len(instances)) and case.step >= 0):
        raise missing
    pictures = []
    for action in (case.chosen, case.preferred):  # a state each: a step may change its own
        states = visited(problem, instances[case.instance], walks[case.instance])
        try:
            state = next(islice(states, case.step, None))
            pictures.append(problem.draw(problem.step(state, action)))
        except (StopIteration, InvalidAction) as error:
            raise missing from error
    return DrawnDecision(*pictures)
