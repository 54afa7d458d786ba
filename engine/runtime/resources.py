"""What the runs of one problem share in an engine: sandbox, teacher, limits, commands to all.

A run that is launched alone has them to itself.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import AsyncExitStack
from typing import Self

from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.specs.settings import Caps, Settings
from engine.evaluate.pool import Limits
from engine.runtime.budget import StudyBudget
from engine.runtime.call_queue import CallQueue
from engine.runtime.executors.executor import Verdicts, open_executor
from engine.runtime.job import Halted
from engine.runtime.plan import Plan
from problems import ProblemRef


class RunResources(AsyncExitStack):
    """`async with RunResources(...)`, in the main thread, before other threads start."""

    def __init__(
        self, problem: ProblemRef, settings: Settings, budget: StudyBudget | None = None
    ) -> None:
        """`settings` limit what is under way at once and what one evaluation may use.

        `budget` is what all runs here may spend together, in a study.
        """
        super().__init__()
        self._problem = problem
        self._settings = settings
        self._executor = open_executor(settings)
        self._teachers: dict[TeacherSpec, Verdicts] = {}
        self._queues: list[CallQueue] = []
        self.call_slots = asyncio.Semaphore(settings.llm_concurrency)
        self.key_locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.halted: Halted | None = None
        self.opening: asyncio.Future[Self] | None = None
        self._caps: Caps | None = None
        self._budget = budget

    async def __aenter__(self) -> Self:
        """Start the executor. Raises UserError and WorldError."""
        settings = self._settings
        limits = Limits(settings.eval_seconds, settings.memory_mb)
        try:
            await self.enter_async_context(self._executor)
            self.evaluator = self._executor.evaluations(self._problem, limits)
            await self.enter_async_context(self.evaluator)
        except BaseException:
            await self.aclose()
            raise
        return self

    async def teacher(self, plan: Plan) -> tuple[Verdicts, str]:
        """The teacher of a run and its fingerprint, one for all runs that ask the same.

        Without a teacher it is one with an empty fingerprint, which tells facts alone. Raises
        TeacherUnavailable and UnknownName.
        """
        spec = TeacherSpec(
            plan.spec.problem,
            plan.spec.teacher,
            plan.design_set,
            plan.sampling,
            shuffled=plan.method.shuffled,
        )
        if spec not in self._teachers:
            self._teachers[spec] = self._executor.verdicts(spec)
            self.push_async_callback(self._teachers[spec].close)
        process = self._teachers[spec]
        return process, await process.open() if plan.spec.teacher else ""

    @property
    def progress(self) -> str:
        """What each worker of the executor has done."""
        return self._executor.progress

    def admit(self, queue: CallQueue) -> None:
        """A run begins here; from now on it hears what is said to all."""
        self._queues.append(queue)
        queue.together = self._budget
        if self._caps is not None:
            queue.set_caps(self._caps)
        if self.halted is not None:
            queue.halt(self.halted)

    def halt(self, halted: Halted) -> None:
        """Tell all runs here, and those to come, to end before anything new begins."""
        self.halted = halted
        if self.opening is not None:
            self.opening.cancel()  # a cluster without a worker is waited for
        for queue in self._queues:
            queue.halt(halted)

    def set_caps(self, caps: Caps) -> None:
        """What is said of caps before the run begins that they are for."""
        self._caps = caps

    def probe_now(self) -> None:
        """Let runs that wait for a provider try again at once."""
        for queue in self._queues:
            queue.probe_now()
