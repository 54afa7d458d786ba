"""Programs evaluated, and teachers asked, by the workers of a cluster.

What may have been the machine's doing, an end by the time limit or for want of memory, a teacher
that fails, is found out again on another worker before it counts.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypeVar, cast

from engine.diagnosis.queries import SolveAlone
from engine.domain.concurrency import together
from engine.domain.values import Continuations, DiagnosticsRow, Evaluation, FactsRow
from engine.evaluate.sandbox.child import LEVELS
from engine.runtime import provenance
from engine.runtime.executors.dispatcher import Dispatcher, Vanished
from engine.runtime.executors.tasks import (
    FORM,
    ContinueFrom,
    Evaluate,
    Task,
    TryOut,
    encode_code,
    pack,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.diagnosis.queries import TeacherQuery
    from engine.diagnosis.teacher_pool import TeacherPool
    from engine.diagnosis.teacher_process import TeacherSpec
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.values import Prefix
    from engine.evaluate.pool import Limits
    from engine.evaluate.sandbox.child import Level
    from engine.runtime.executors.dispatcher import Workers
    from engine.runtime.executors.tasks import Evaluating
    from problems import ProblemRef

T = TypeVar("T")

NEAR = 1.2
"""Who was ended by a limit after at most so many times its CPU seconds, may have been ended by a
slow machine."""


class RemoteEvaluations:
    """The `Evaluations` of a cluster; `async with`, in one event loop."""

    def __init__(self, workers: Workers, ref: ProblemRef, limits: Limits) -> None:
        """Nothing is asked before the `async with` block. Raises UserError for the problem."""
        self._dispatcher = Dispatcher(workers, ref)
        self._ref = ref
        self._limits = limits
        self._level: Level = LEVELS[0]

    async def __aenter__(self) -> Self:
        """Look at the workers. Raises ClusterLost where none can do our work."""
        self._level = await self._dispatcher.meet()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held."""

    @property
    def level(self) -> Level:
        """The weakest of the workers that were there at the start."""
        return self._level

    async def evaluate(
        self,
        code: str,
        set_name: str,
        finished: Callable[[int, int], None] | None = None,
        checkpoint: Checkpoint | None = None,
        part: Evaluation | None = None,
    ) -> Evaluation:
        """As `Evaluator.evaluate`; `finished` hears once, at the end. Raises ClusterLost too.

        Whether it goes on after a checkpoint is judged here: until then it is a task, and from
        then on another.
        """
        text = encode_code(code)
        limit = self._limits.cpu_seconds
        if checkpoint is not None and checkpoint.count > len(part.actions if part else ()):
            first = await self._solve(Evaluate(text, set_name, checkpoint.count, part), limit)
            if first.failure is None or first.failure.kind != "behind":
                return first
            if behind := checkpoint.judge_known(first):
                return replace(first, failure=behind)
            part = replace(first, failure=None)
        found = await self._solve(Evaluate(text, set_name, 0, part), limit)
        if finished is not None and found.failure is None:
            finished(len(found.costs), len(found.costs))
        return found

    async def try_out(
        self, codes: Sequence[str], set_name: str, chosen: Sequence[int], seconds: float
    ) -> tuple[Evaluation, ...]:
        """As `Evaluator.try_out`, a task for each program."""
        return tuple(
            await together(
                self._solve(TryOut(encode_code(code), set_name, tuple(chosen), seconds), seconds)
                for code in codes
            )
        )

    async def continue_from(
        self, code: str, set_name: str, prefixes: Sequence[Prefix], seconds: float
    ) -> Continuations:
        """As `Evaluator.continue_from`."""
        if not prefixes:
            return Continuations((), 0.0)
        work = ContinueFrom(encode_code(code), set_name, tuple(prefixes), seconds)
        return (await self._dispatcher.ask(await self._make_task(work), Continuations))[1]

    async def _solve(self, work: Evaluate | TryOut, limit: float) -> Evaluation:
        """An evaluation; the second one where the first may have been the machine's doing."""
        task = await self._make_task(work)
        where, found = await self._dispatcher.ask(task, Evaluation)
        if is_doubtful(found, limit) and self._dispatcher.usable - {where}:
            with suppress(Vanished):  # there is no other worker any more
                _, found = await self._dispatcher.ask(task, Evaluation, frozenset({where}))
        return found

    async def _make_task(self, work: Evaluating) -> Task:
        return Task(
            FORM,
            self._dispatcher.evaluator,
            work.set,
            await self._dispatcher.digest(work.set),
            self._ref,
            pack(work),
            self._limits.cpu_seconds,
            self._limits.memory_mb,
        )


def is_doubtful(found: Evaluation, limit: float) -> bool:
    """Whether another machine may find otherwise: ended near its limit, or for want of memory."""
    if found.failure is None:
        return False
    timed_out = found.failure.kind == "timeout" and found.cpu <= NEAR * limit
    return timed_out or found.failure.kind == "memory"


class RemoteVerdicts:
    """The `Verdicts` of a cluster: states are looked at there, by the weights that lie here."""

    def __init__(self, workers: Workers, spec: TeacherSpec, here: TeacherPool) -> None:
        """The teacher `here` tells its fingerprint, and solves instances on its own."""
        self._dispatcher = Dispatcher(workers, spec.problem)
        self.spec = spec
        self._here = here
        self._version = provenance.verdict_version(spec.problem, "")

    async def open(self) -> str:
        """The fingerprint of the teacher here: workers with another one are refused."""
        fingerprint = await self._here.open()
        self._version = provenance.verdict_version(self.spec.problem, fingerprint)
        return fingerprint

    async def ask(self, query: TeacherQuery[T]) -> T:
        """As `TeacherProcess.ask`; a second worker's answer where the first one has none.

        Instances are solved here. Raises ClusterLost.
        """
        if isinstance(query, SolveAlone):
            return cast("T", await self._here.ask(query))
        spec = self.spec
        digest = await self._dispatcher.digest(spec.design)
        work = pack(query)
        task = Task(FORM, self._version, spec.design, digest, spec.problem, work, teacher=spec)
        where, found = await self._dispatcher.ask(task, query.kind)
        failed = isinstance(found, FactsRow | DiagnosticsRow) and found.failure
        if failed and self._dispatcher.usable - {where}:
            with suppress(Vanished):  # there is no other worker any more
                _, found = await self._dispatcher.ask(task, query.kind, frozenset({where}))
        return cast("T", found)

    async def close(self) -> None:
        """End the processes here."""
        await self._here.close()
