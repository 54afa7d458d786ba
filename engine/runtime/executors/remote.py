"""Programs of one problem, evaluated by the workers of a cluster.

A task is named by its content, so whoever carries it out gives the same answer. What may have been
the machine's doing, an end by the time limit or for want of memory, is found out again on another
worker before it counts.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import problems
from engine.domain.text.plain_text import clean
from engine.domain.values import Answers, Continuations
from engine.evaluate.sandbox.child import LEVELS
from engine.runtime import provenance
from engine.runtime.executors.tasks import (
    FORM,
    Answer,
    Answered,
    Continued,
    ContinueFrom,
    Evaluate,
    Failed,
    Refused,
    Solved,
    Task,
    TryOut,
    WorkerFacts,
    encode_code,
    pack,
    unpack_outcome,
)
from problems import errors
from problems.errors import ClusterLost, WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from engine.domain.checkpoint import Checkpoint
    from engine.domain.values import Evaluation, Prefix, Questions
    from engine.evaluate.pool import Limits
    from engine.evaluate.sandbox.child import Level
    from engine.runtime.executors.tasks import Outcome, Work
    from problems import ProblemRef

Kind = TypeVar("Kind", Solved, Continued, Answered)

TRIES = 4
"""How often a task is given out that ends with an error which is not the program's."""

NEAR = 1.2
"""Who was ended by a limit after at most so many times its CPU seconds, may have been ended by a
slow machine."""


class Vanished(Exception):
    """All workers that might have carried a task out are gone."""


class Workers(Protocol):
    """What is asked of a cluster; `Cluster` says what each does."""

    address: str
    alive: frozenset[str]

    async def find_workers(self) -> frozenset[str]:
        """Their addresses."""

    async def describe(self, problem: ProblemRef) -> dict[str, WorkerFacts | str]:
        """What each says of itself."""

    async def give_out(self, message: bytes, allowed: Collection[str] | None) -> tuple[str, bytes]:
        """Who carried a task out, and its answer."""


class RemoteEvaluations:
    """The `Evaluations` of a cluster; `async with`, in one event loop."""

    def __init__(self, workers: Workers, ref: ProblemRef, limits: Limits) -> None:
        """Nothing is asked before the `async with` block. Raises UserError for the problem."""
        self._workers = workers
        self._ref = ref
        self._limits = limits
        self._problem = problems.load(ref)
        self._evaluator = provenance.evaluator_version(ref)
        self._refused: dict[str, str] = {}
        self._level: Level = LEVELS[0]
        self._digests: dict[str, asyncio.Task[str]] = {}

    async def __aenter__(self) -> Self:
        """Look at the workers. Raises ClusterLost where none can do our work."""
        await self._meet()
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
        self, code: str, set_name: str, chosen: Sequence[int], seconds: float
    ) -> Evaluation:
        """As `Evaluator.try_out`."""
        return await self._solve(
            TryOut(encode_code(code), set_name, tuple(chosen), seconds), seconds
        )

    async def continue_from(
        self, code: str, set_name: str, prefixes: Sequence[Prefix], seconds: float
    ) -> Continuations:
        """As `Evaluator.continue_from`."""
        if not prefixes:
            return Continuations((), 0.0)
        work = ContinueFrom(encode_code(code), set_name, tuple(prefixes), seconds)
        return (await self._ask(work, Continued))[1].found

    async def answer(
        self, code: str, set_name: str, questions: Sequence[Questions], seconds: float
    ) -> Answers:
        """As `Evaluator.answer`."""
        if not questions:
            return Answers((), 0.0)
        work = Answer(encode_code(code), set_name, tuple(questions), seconds)
        return (await self._ask(work, Answered))[1].found

    async def _solve(self, work: Evaluate | TryOut, limit: float) -> Evaluation:
        """An evaluation; the second one where the first may have been the machine's doing."""
        where, outcome = await self._ask(work, Solved)
        if is_doubtful(outcome.found, limit) and self._usable() - {where}:
            with suppress(Vanished):  # there is no other worker any more
                _, outcome = await self._ask(work, Solved, frozenset({where}))
        return outcome.found

    async def _ask(
        self, work: Work, kind: type[Kind], avoid: frozenset[str] = frozenset()
    ) -> tuple[str, Kind]:
        """Who carried work out, and what came of it.

        Raises ClusterLost, what the evaluator raised there, and Vanished when only those could do
        it that are to be avoided.
        """
        message = pack(await self._make_task(work))
        said = ""
        for _ in range(TRIES):
            where, outcome = await self._give_out(message, avoid)
            if isinstance(outcome, kind):
                return where, outcome
            if isinstance(outcome, Failed) and outcome.error != WorldError.__name__:
                raise _as_error(outcome)
            said = clean(outcome.message if isinstance(outcome, Failed) else str(outcome))
        raise WorldError(f"an evaluation failed on {TRIES} workers; the last one says: {said}")

    async def _give_out(self, message: bytes, avoid: frozenset[str]) -> tuple[str, Outcome]:
        """What came of a task on a worker that did not refuse it."""
        while True:
            allowed = await self._choose(avoid)
            try:
                where, answer = await self._workers.give_out(message, allowed)
                outcome = unpack_outcome(answer)
            except (Vanished, ClusterLost):
                if avoid or not await self._workers.find_workers():
                    raise
                continue
            except Exception as error:  # of the worker's, or of Dask's: that it killed workers
                await self._meet()
                return "", Failed(WorldError.__name__, f"{type(error).__name__}: {error}")
            if not isinstance(outcome, Refused):
                return where, outcome
            self._refuse(where, outcome.reason)

    async def _choose(self, avoid: frozenset[str]) -> frozenset[str] | None:
        """Who may carry a task out, None for anybody. Raises ClusterLost, Vanished."""
        if not self._refused and not avoid:
            return None
        await self._workers.find_workers()
        usable = self._usable()
        if not usable:
            raise ClusterLost(self._say_refused())
        if not usable - avoid:
            raise Vanished
        return usable - avoid

    def _usable(self) -> frozenset[str]:
        return self._workers.alive - self._refused.keys()

    async def _meet(self) -> None:
        """Look at all workers, refuse those that would give other answers.

        Raises ClusterLost where none is left.
        """
        levels = set()
        for address, facts in (await self._workers.describe(self._ref)).items():
            if isinstance(facts, str):
                self._refuse(address, facts)
            elif facts.form != FORM or facts.evaluator != self._evaluator:
                self._refuse(address, self._compare(facts))
            elif facts.level not in LEVELS:
                self._refuse(address, "has no sandbox at all")
            else:
                levels.add(LEVELS.index(facts.level))
        if not levels:
            raise ClusterLost(self._say_refused())
        self._level = LEVELS[max(levels)]

    def _compare(self, facts: WorkerFacts) -> str:
        """Why a worker whose digest is another is refused."""
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

    def _say_refused(self) -> str:
        told = "; ".join(f"{address} {reason}" for address, reason in self._refused.items())
        return f"no worker of {self._workers.address} can evaluate {self._ref.name}: {told}"

    async def _make_task(self, work: Work) -> Task:
        limits = self._limits
        return Task(
            FORM,
            self._evaluator,
            await self._digest(work.set),
            self._ref,
            limits.cpu_seconds,
            limits.memory_mb,
            pack(work),
        )

    async def _digest(self, name: str) -> str:
        """The digest of a set's instances, reckoned once. Raises UnknownName, UserError."""
        if name not in self._digests:
            reckoned = asyncio.to_thread(lambda: provenance.digest(self._problem.load(name)))
            self._digests[name] = asyncio.create_task(reckoned)
        return await asyncio.shield(self._digests[name])


def is_doubtful(found: Evaluation, limit: float) -> bool:
    """Whether another machine may find otherwise: ended near its limit, or for want of memory."""
    if found.failure is None:
        return False
    timed_out = found.failure.kind == "timeout" and found.cpu <= NEAR * limit
    return timed_out or found.failure.kind == "memory"


def _as_error(failed: Failed) -> Exception:
    """The error of a worker's evaluator; one that we do not know is the world's."""
    known: Any = getattr(errors, failed.error, None)
    if isinstance(known, type) and issubclass(known, errors.UserError):
        kind = known if known is not errors.UnknownName else errors.UserError
        return kind(clean(failed.message))
    return WorldError(clean(failed.message))
