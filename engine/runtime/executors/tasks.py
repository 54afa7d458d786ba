"""What an engine and the workers of a cluster say to each other.

Dask carries a task as the bytes of a pickle, which the worker's helper alone reads: a worker of
another version can refuse it and say why. A task names everything that its answer is a function
of, so whoever carries it out twice gives the same answer twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.values import Failure
from engine.evaluate.pool import Limits
from problems import ProblemRef

FORM = f"3 {__package__}"
"""This way to ask workers, and where the classes of its pickles lie: in an installed package
elsewhere than in a source tree."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one helper process does: evaluate programs within `limits`, or ask a `teacher`.

    `version` is that of the evaluator or of the verdicts: a helper of another one refuses.
    """

    problem: ProblemRef
    version: str
    work: Limits | TeacherSpec


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """One call of an Evaluator or a TeacherPool, about the `set` whose digest is `instances`."""

    set: str
    instances: str
    method: str
    arguments: tuple[Any, ...]


Kind = Literal["answer", "error", "refusal", "failure"]
Outcome = tuple[Kind, bytes | str]
"""How a task ended: a pickled answer or a pickled UserError, both the same on every worker; why
the worker would answer otherwise than the engine's own machine; or what failed there this time.
"""


LENGTH = 8
"""Bytes that give the length of a task in front of it, between a worker and its helper."""


class WorkerFacts(msgspec.Struct, frozen=True):
    """A worker's description of itself; `evaluator` is a digest, "" where it lacks the problem."""

    form: str
    version: str
    python: str
    level: str
    cores: int
    evaluator: str


def stop(_: Sequence[float]) -> Failure:
    """End an evaluation at its checkpoint: whether it continues is the engine's to judge."""
    return Failure("behind", "stopped at a checkpoint")
