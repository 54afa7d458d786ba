"""What a teacher is asked: messages to the process that has it, on this machine or another."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from engine.domain.values import DiagnosticsRow, FactsRow, Prefix
from problems.base import Rollout
from problems.errors import TeacherUnavailable

Answer_co = TypeVar("Answer_co", covariant=True)

Actions = tuple[tuple[int, ...], ...]
"""The actions of a program on every instance of a set, in order."""


class TeacherQuery(msgspec.Struct, Generic[Answer_co], frozen=True):
    """A question to a teacher, whose answer is of the type `kind`.

    A process that fails is started again, for `tries` tries in all.
    """

    kind: ClassVar[Any]
    tries: ClassVar[int] = 2

    def no_answer(self, reason: str) -> Answer_co:
        """What counts as the answer after all tries failed. Raises TeacherUnavailable."""
        raise TeacherUnavailable(reason)


class Observe(TeacherQuery[FactsRow], frozen=True, tag=True):
    """Facts of one candidate from its action lists; no teacher is needed."""

    kind = FactsRow
    rollouts: Actions

    def no_answer(self, reason: str) -> FactsRow:
        """No facts, and why."""
        return FactsRow(None, reason)


class ListTrials(TeacherQuery[tuple[Prefix, ...]], frozen=True, tag=True):
    """What teacher `rollout` wants to be tried before it can answer `Diagnose`."""

    kind = tuple[Prefix, ...]
    rollouts: Actions

    def no_answer(self, reason: str) -> tuple[Prefix, ...]:
        """Nothing is tried."""
        return ()


class Diagnose(TeacherQuery[DiagnosticsRow], frozen=True, tag=True):
    """Diagnostics of one candidate from its action lists.

    Where `checks` are to follow, the cases hold so many disagreements (`advice`). Teacher
    `rollout` needs the costs that were `reached` after `ListTrials`.
    """

    kind = DiagnosticsRow
    rollouts: Actions
    checks: int = 0
    reached: tuple[float | None, ...] | None = None

    def no_answer(self, reason: str) -> DiagnosticsRow:
        """No diagnostics, and why."""
        return DiagnosticsRow(None, reason)


class SolveAlone(TeacherQuery[list[Rollout | None]], frozen=True, tag=True):
    """Greedy rollouts of a set by the teacher alone, None where it preferred nothing.

    Raises UnknownName for the set, TeacherUnavailable when the teacher fails.
    """

    kind = list[Rollout | None]
    tries = 1
    set: str
