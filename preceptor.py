"""Preceptor for third parties: the two seams to implement, and the values that cross them."""

from problems import ProblemRef
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
from problems.errors import InvalidAction, PreceptorError, UserError
from teachers.base import Teacher, Verdict, verdict

__all__ = [
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
    "UserError",
    "Verdict",
    "verdict",
]
