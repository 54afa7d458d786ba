"""Tasks about one problem, given to the workers of a cluster that can do them.

A task is named by its content, so whoever carries it out gives the same answer: a worker of
another version is refused, and what fails on one is given to another.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import problems
from engine.domain.text.plain_text import clean
from engine.evaluate.sandbox.child import LEVELS
from engine.runtime import provenance
from engine.runtime.executors.tasks import (
    FORM,
    Answered,
    Failed,
    Task,
    WorkerFacts,
    pack,
    unpack,
    unpack_outcome,
)
from problems import errors
from problems.errors import ClusterLost, WorldError

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.evaluate.sandbox.child import Level
    from problems import ProblemRef

Kind = TypeVar("Kind")

TRIES = 4
"""How often a task is given out that ends with an error which is not the program's."""


class Vanished(Exception):
    """All workers that might have carried a task out are gone."""


class Workers(Protocol):
    """What is asked of a cluster; `Cluster` says what each does."""

    address: str
    alive: frozenset[str]

    async def find_workers(self) -> frozenset[str]:
        """Their addresses."""

    async def describe(self, problem: ProblemRef) -> dict[str, WorkerFacts | str | None]:
        """What each says of itself."""

    async def give_out(self, message: bytes, allowed: Collection[str] | None) -> tuple[str, bytes]:
        """Who carried a task out, and its answer."""


class Dispatcher:
    """Gives tasks about one problem to those workers that answer as this machine would."""

    def __init__(self, workers: Workers, ref: ProblemRef) -> None:
        """Nothing is asked yet. Raises UserError for the problem."""
        self._workers = workers
        self._ref = ref
        self._problem = problems.load(ref)
        self.evaluator = provenance.evaluator_version(ref)
        self._refused: dict[str, str] = {}
        self._digests: dict[str, asyncio.Task[str]] = {}

    @property
    def usable(self) -> frozenset[str]:
        """Addresses of the workers that are there and not refused."""
        return self._workers.alive - self._refused.keys()

    async def ask(
        self, task: Task, kind: type[Kind], avoid: frozenset[str] = frozenset()
    ) -> tuple[str, Kind]:
        """Who carried a task out, and what came of it.

        Raises ClusterLost, what was raised there, and Vanished when only those could do it that
        are to be avoided.
        """
        message = pack(task)
        said = ""
        for _ in range(TRIES):
            where, found = await self._give_out(message, kind, avoid)
            if not isinstance(found, Failed):
                return where, found
            if found.error != WorldError.__name__:
                raise _as_error(found)
            said = clean(found.message)
        raise WorldError(f"a task failed {TRIES} times in the cluster; at last: {said}")

    async def digest(self, name: str) -> str:
        """The digest of a set's instances, reckoned once. Raises UnknownName, UserError."""
        if name not in self._digests:
            reckoned = asyncio.to_thread(lambda: provenance.digest(self._problem.load(name)))
            self._digests[name] = asyncio.create_task(reckoned)
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
            raise ClusterLost(self._say_refused())
        return LEVELS[max(levels)]

    async def _give_out(
        self, message: bytes, kind: type[Kind], avoid: frozenset[str]
    ) -> tuple[str, Kind | Failed]:
        """What came of a task on a worker that did not refuse it."""
        while True:
            allowed = await self._choose(avoid)
            try:
                where, answer = await self._workers.give_out(message, allowed)
                outcome = unpack_outcome(answer)
                if isinstance(outcome, Answered):
                    return where, unpack(kind, outcome.found)
            except ClusterLost:
                raise
            except Vanished:
                continue  # whoever is there now
            except Exception as error:  # of the worker's, or of Dask's: that it killed workers
                await self.meet()
                return "", Failed(WorldError.__name__, f"{type(error).__name__}: {error}")
            if isinstance(outcome, Failed):
                return where, outcome
            self._refuse(where, outcome.reason)

    async def _choose(self, avoid: frozenset[str]) -> frozenset[str] | None:
        """Who may carry a task out, None for anybody. Raises ClusterLost, Vanished."""
        if not self._refused and not avoid:
            return None
        await self._workers.find_workers()
        if not self.usable:
            raise ClusterLost(self._say_refused())
        if not self.usable - avoid:
            raise Vanished
        return self.usable - avoid

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
        refused = (f"{address} {reason}" for address, reason in self._refused.items())
        told = "; ".join(refused) or "none of them answers"
        return f"no worker of {self._workers.address} can work on {self._ref.name}: {told}"


def _as_error(failed: Failed) -> Exception:
    """The error of a worker's process; one that we do not know is the world's."""
    known: Any = getattr(errors, failed.error, None)
    if isinstance(known, type) and issubclass(known, errors.UserError):
        kind = known if known is not errors.UnknownName else errors.UserError
        return kind(clean(failed.message))
    return WorldError(clean(failed.message))
