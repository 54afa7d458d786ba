"""The seam for work that can be done elsewhere: evaluations of programs, verdicts of teachers.

A run asks its executor for both and for nothing else that takes long. What is asked is named by
its content and gives the same answer wherever and however often it is done, so that an executor
may do it again; the engine alone writes the store.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from engine.diagnosis.teacher_pool import TeacherPool
from engine.domain.concurrency import count_cores
from engine.evaluate.pool import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from engine.diagnosis.queries import TeacherQuery
    from engine.diagnosis.teacher_process import TeacherSpec
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.values import (
        Continuations,
        Evaluation,
        Prefix,
    )
    from engine.evaluate.pool import Limits
    from engine.evaluate.sandbox.child import Level
    from problems import ProblemRef

T = TypeVar("T")

TEACHER_BYTES = 10**9
"""What a teacher's process may come to: torch, weights, the states that are kept."""


class Evaluations(Protocol):
    """Programs of one problem, evaluated within its limits; `Evaluator` says what each does."""

    @property
    def level(self) -> Level:
        """How strong the sandbox is, where it is weakest."""

    async def evaluate(
        self,
        code: str,
        set_name: str,
        finished: Callable[[int, int], None] | None = None,
        checkpoint: Checkpoint | None = None,
        part: Evaluation | None = None,
    ) -> Evaluation:
        """A program on a set."""

    async def try_out(
        self, codes: Sequence[str], set_name: str, chosen: Sequence[int], seconds: float
    ) -> tuple[Evaluation, ...]:
        """Programs on some instances, without the proof."""

    async def continue_from(
        self, code: str, set_name: str, prefixes: Sequence[Prefix], seconds: float
    ) -> Continuations:
        """A program that goes on after actions that were forced on it."""


class Verdicts(Protocol):
    """One teacher, asked about several programs at once."""

    spec: TeacherSpec

    async def open(self) -> str:
        """Load the teacher; returns its fingerprint."""

    async def ask(self, query: TeacherQuery[T]) -> T:
        """The answer to a question."""

    async def close(self) -> None:
        """Ask nothing more."""


class Executor(Protocol):
    """`async with` one of them, then ask it; what it gave is closed before it is left."""

    async def __aenter__(self) -> Self:
        """Itself, at work. Raises ClusterLost."""

    async def __aexit__(self, *error: object) -> None:
        """Let go of what it holds."""

    @property
    def progress(self) -> str:
        """What each worker has done, or that it was lost; empty where there are none to tell."""

    def evaluations(
        self, problem: ProblemRef, limits: Limits
    ) -> AbstractAsyncContextManager[Evaluations]:
        """Evaluations of one problem, in one event loop, from the main thread.

        Raises UserError for a problem that cannot be loaded, WorldError when processes fail.
        """

    def verdicts(self, spec: TeacherSpec) -> Verdicts:
        """Those of one teacher; nothing starts before it is asked."""


class Local:
    """On this machine, in processes of this one, `workers` at a time."""

    def __init__(self, workers: int = 0) -> None:
        """0: as many as there are cores."""
        self._workers = workers or count_cores()

    @property
    def progress(self) -> str:
        """Nothing: it is all this machine's."""
        return ""

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Nothing is held."""

    def evaluations(self, problem: ProblemRef, limits: Limits) -> Evaluator:
        """In the sandbox here; to be asked for before this process starts threads."""
        return Evaluator.start(problem, limits, self._workers)

    def verdicts(self, spec: TeacherSpec) -> TeacherPool:
        """In processes here: one a core as far as there is memory for it."""
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return TeacherPool(spec, max(1, min(self._workers, free // TEACHER_BYTES)))
