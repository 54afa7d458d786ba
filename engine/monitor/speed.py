"""Whether a program of a run is compiled on the run's design set, and if not, why."""

from __future__ import annotations

import problems
from engine.domain.values import Candidate
from engine.evaluate.speed import explain_speed
from engine.store.reader import Reader
from problems.errors import PreceptorError


def find_speed(reader: Reader, run: int, candidate: Candidate) -> str:
    """As `explain_speed` says it; empty where the problem cannot be loaded any more.

    Raises UnknownName for a run that there is not.
    """
    spec = reader.run(run).spec
    try:
        problem = problems.load(spec.problem)
        instances = problem.load(spec.settings.design or problem.design)
    except PreceptorError:
        return ""
    return explain_speed(problem, candidate.program.code, instances)
