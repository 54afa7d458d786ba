"""Preceptor for third parties: the two seams to implement, and the values that cross them."""

from problems import ProblemRef
from problems import load as load_problem
from problems.base import (
    Argument,
    Contract,
    Decision,
    FastReplay,
    FastRollout,
    Field,
    InstanceSet,
    Problem,
    Rollout,
    Rule,
)
from problems.errors import InvalidAction, PreceptorError, UnknownName, UserError
from problems.suite import CHECKS as PROBLEM_CHECKS
from teachers.base import Teacher, Verdict, verdict
from teachers.suite import CHECKS as TEACHER_CHECKS
from teachers.suite import decisions

__all__ = [
    "PROBLEM_CHECKS",
    "TEACHER_CHECKS",
    "Argument",
    "Contract",
    "Decision",
    "FastReplay",
    "FastRollout",
    "Field",
    "InstanceSet",
    "InvalidAction",
    "PreceptorError",
    "Problem",
    "ProblemRef",
    "Rollout",
    "Rule",
    "Teacher",
    "UnknownName",
    "UserError",
    "Verdict",
    "decisions",
    "load_problem",
    "verdict",
]
