"""Programs evaluated, and teachers asked, by those workers of a cluster that answer as we would.

A worker of another version is refused by name. What may have been the machine's doing, an end by
the time limit or for want of memory, a teacher that fails, is asked of another worker before it
counts.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self, TypeVar, cast

import problems
from engine.diagnosis.queries import SolveAlone, TeacherQuery
from engine.diagnosis.teacher_pool import TeacherPool
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.checkpoint import Checkpoint
from engine.domain.concurrency import together
from engine.domain.text.plain_text import clean
from engine.domain.values import Continuations, DiagnosticsRow, Evaluation, FactsRow, Prefix
from engine.evaluate.pool import Limits
from engine.evaluate.sandbox.child import LEVELS, Level
from engine.runtime import provenance
from engine.runtime.executors.connection import TRIES, Connection, Vanished
from engine.runtime.executors.tasks import FORM, Assignment, WorkerFacts, WorkerTask, stop
from problems import ProblemRef
from problems.errors import ClusterLost, WorldError

T = TypeVar("T")

NEAR = 1.2
"""A program ended by a limit after at most so many times its CPU seconds may have been ended by a
slow machine."""


class Dispatcher:
    """Gives tasks about one problem to those workers that answer as this machine would."""

    def __init__(self, workers: Connection, ref: ProblemRef) -> None:
        """Nothing is asked yet. Raises UserError for the problem."""
        self._workers = workers
        self._ref = ref
        self._problem = problems.load(ref)
        self.evaluator = provenance.evaluator_version(ref)
        self._refused: dict[str, str] = {}
        self._digests: dict[str, asyncio.Task[str]] = {}

    async def ask(
        self,
        assignment: Assignment,
        set_name: str,
        method: str,
        *arguments: object,
        doubts: Callable[[Any], bool] = lambda _: False,
    ) -> Any:
        """The answer of a worker; that of a second one where the first one `doubts`.

        Raises ClusterLost, the UserError that was raised there, and WorldError when it failed at
        all tries.
        """
        task = WorkerTask(set_name, await self._digest(set_name), method, arguments)
        message = (pickle.dumps(assignment), pickle.dumps(task))
        where, found = await self._ask_once(*message, frozenset())
        if doubts(found) and self._usable - {where}:
            with suppress(Vanished):  # there is no other worker any more
                _, found = await self._ask_once(*message, frozenset({where}))
        return found

    async def _ask_once(
        self, assignment: bytes, task: bytes, avoid: frozenset[str]
    ) -> tuple[str, Any]:
        """The address and the answer of a worker that did not refuse."""
        while True:
            allowed = await self._choose(avoid)
            try:
                where, (kind, found) = await self._workers.give_out(assignment, task, allowed)
            except ClusterLost:
                raise
            except Vanished:
                continue  # to the workers that are there now
            except Exception as error:  # of the worker's, or of Dask's: that it killed workers
                before = len(self._refused)
                await self.meet()
                if len(self._refused) == before:
                    reason = clean(str(error) or type(error).__name__)
                    raise WorldError(
                        f"a task failed {TRIES} times in the cluster; at last: {reason}"
                    ) from error
                continue
            if isinstance(found, str):
                self._refuse(where, found)
                continue
            answer = pickle.loads(found)
            if kind == "error":
                raise answer
            return where, answer

    async def _choose(self, avoid: frozenset[str]) -> frozenset[str] | None:
        """Who may carry a task out, None for all. Raises ClusterLost, Vanished."""
        if not self._refused and not avoid:
            return None
        await self._workers.find_workers()
        if not self._usable:
            raise ClusterLost(self._list_refused())
        if not self._usable - avoid:
            raise Vanished
        return self._usable - avoid

    @property
    def _usable(self) -> frozenset[str]:
        """Addresses of the workers that are there and not refused."""
        return self._workers.alive - self._refused.keys()

    async def _digest(self, name: str) -> str:
        """The digest of a set's instances, computed once. Raises UnknownName, UserError."""
        if name not in self._digests:
            computed = asyncio.to_thread(lambda: provenance.digest(self._problem.load(name)))
            self._digests[name] = asyncio.create_task(computed)
        return await asyncio.shield(self._digests[name])

    async def meet(self) -> Level:
        """Look at all workers and refuse those that would give other answers.

        Returns the weakest level of the others. Raises ClusterLost where none is left.
        """
        levels = set()
        for address, facts in (await self._workers.describe(self._ref)).items():
            if facts is None:  # a slow one says by its first answer whether it can be used
                continue
            if isinstance(facts, str):
                self._refuse(address, facts)
            elif facts.form != FORM or facts.evaluator != self.evaluator:
                self._refuse(address, self._compare(facts))
            elif facts.level not in LEVELS:
                self._refuse(address, "has no sandbox at all")
            else:
                levels.add(LEVELS.index(facts.level))
        if not levels:
            raise ClusterLost(self._list_refused())
        return LEVELS[max(levels)]

    def _compare(self, facts: WorkerFacts) -> str:
        """Why a worker whose digest or form is another is refused."""
        if facts.form != FORM:
            return (
                f"has Preceptor {facts.version}, of another version or installed in another way "
                "(a package, a source tree) than here"
            )
        if not problems.is_shipped(self._ref.name):
            return f"does not have {self._ref.name} as it is here (Preceptor {facts.version})"
        return (
            f"has another version: Preceptor {facts.version} on Python {facts.python}, or other "
            "code, NumPy or Numba than here"
        )

    def _refuse(self, address: str, reason: str) -> None:
        """Give a worker nothing of this problem any more, and say so in the log."""
        if address not in self._refused:
            print(f"worker {address} is not used: it {clean(reason)}", file=sys.stderr)
        self._refused[address] = clean(reason)

    def _list_refused(self) -> str:
        refused = (f"{address} {reason}" for address, reason in self._refused.items())
        reasons = "; ".join(refused) or "none of them answers"
        return f"no worker of {self._workers.address} can work on {self._ref.name}: {reasons}"


class RemoteEvaluations:
    """The `Evaluations` of a cluster; `async with`, in one event loop."""

    def __init__(self, workers: Connection, ref: ProblemRef, limits: Limits) -> None:
        """Nothing is asked before the `async with` block. Raises UserError for the problem."""
        self._dispatcher = Dispatcher(workers, ref)
        self._assignment = Assignment(ref, self._dispatcher.evaluator, limits)
        self._seconds = limits.cpu_seconds
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
        """As `Evaluator.evaluate`; `finished` is called once, at the end. Raises ClusterLost too.

        Whether it continues after a checkpoint is judged here: until then it is a task, and from
        then on another.
        """
        if checkpoint is not None and checkpoint.count > len(part.actions if part else ()):
            first = await self._evaluate(code, set_name, Checkpoint(checkpoint.count, stop), part)
            if first.failure is None or first.failure.kind != "behind":
                return first
            if behind := checkpoint.judge_known(first):
                return replace(first, failure=behind)
            part = replace(first, failure=None)
        found = await self._evaluate(code, set_name, None, part)
        if finished is not None and found.failure is None:
            finished(len(found.costs), len(found.costs))
        return found

    async def _evaluate(
        self, code: str, set_name: str, checkpoint: Checkpoint | None, part: Evaluation | None
    ) -> Evaluation:
        found: Evaluation = await self._dispatcher.ask(
            *(self._assignment, set_name, "evaluate", code, set_name, None, checkpoint, part),
            doubts=lambda found: is_doubtful(found, self._seconds),
        )
        return found

    async def try_out(
        self, codes: Sequence[str], set_name: str, chosen: Sequence[int], seconds: float
    ) -> tuple[Evaluation, ...]:
        """As `Evaluator.try_out`, a task for each program."""

        async def try_one(code: str) -> Evaluation:
            found: tuple[Evaluation] = await self._dispatcher.ask(
                *(self._assignment, set_name, "try_out", (code,), set_name, (*chosen,), seconds),
                doubts=lambda found: is_doubtful(found[0], seconds),
            )
            return found[0]

        return tuple(await together(map(try_one, codes)))

    async def continue_from(
        self, code: str, set_name: str, prefixes: Sequence[Prefix], seconds: float
    ) -> Continuations:
        """As `Evaluator.continue_from`."""
        if not prefixes:
            return Continuations((), 0.0)
        arguments = (code, set_name, (*prefixes,), seconds)
        found: Continuations = await self._dispatcher.ask(
            self._assignment, set_name, "continue_from", *arguments
        )
        return found


def is_doubtful(found: Evaluation, limit: float) -> bool:
    """Whether another machine may find otherwise: ended near its limit, or for want of memory."""
    if found.failure is None:
        return False
    timed_out = found.failure.kind == "timeout" and found.cpu <= NEAR * limit
    return timed_out or found.failure.kind == "memory"


class RemoteVerdicts:
    """The `Verdicts` of a cluster: states are looked at there, by the weights that lie here."""

    def __init__(self, workers: Connection, spec: TeacherSpec, here: TeacherPool) -> None:
        """The teacher `here` gives its fingerprint, and solves instances on its own."""
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
        assignment = Assignment(self.spec.problem, self._version, self.spec)
        found = await self._dispatcher.ask(
            *(assignment, self.spec.design, "ask", query),
            doubts=lambda f: isinstance(f, FactsRow | DiagnosticsRow) and bool(f.failure),
        )
        return cast("T", found)

    async def close(self) -> None:
        """End the processes here."""
        await self._here.close()
