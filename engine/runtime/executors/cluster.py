"""A Dask cluster as an executor: evaluations and verdicts are tasks of its workers.

A task that is lost with its worker is carried out by another, by Dask. Where the scheduler is
lost, or has no worker for too long, everything that waits raises ClusterLost, which pauses a run.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from engine.runtime.executors.dispatcher import Vanished
from engine.runtime.executors.executor import Local
from engine.runtime.executors.remote import RemoteEvaluations, RemoteVerdicts
from engine.runtime.executors.tasks import WorkerFacts, name_task, unpack
from problems.errors import ClusterLost, UserError

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.diagnosis.teacher_process import TeacherSpec
    from engine.evaluate.pool import Limits
    from problems import ProblemRef

PATIENCE = 60.0
"""Seconds that a scheduler or a worker has to answer."""

LOOK = 2.0
"""Seconds between looks at the scheduler and its workers."""

FACE = "preceptor"
"""The module whose functions workers carry out: its name is the same in every installation."""


class Cluster:
    """The scheduler at an address and its workers, asked from one event loop."""

    def __init__(self, address: str, workers: int = 0, outage: float = PATIENCE) -> None:
        """So many tasks are under way at once, 0: as many as there are.

        It is lost after `outage` seconds without any worker.
        """
        self.address = address
        self.alive: frozenset[str] = frozenset()
        self._outage = outage
        self._local = Local(1)
        self._places = asyncio.Semaphore(workers or 1 << 30)
        self._numbers = itertools.count()
        self._tasks: Counter[str] = Counter()
        self._opened = time.monotonic()

    async def __aenter__(self) -> Self:
        """Itself, connected. Raises ClusterLost, and UserError where Dask is not installed."""
        connect = _load_dask().Client
        try:
            self._client = await connect(
                self.address, asynchronous=True, timeout=PATIENCE, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise ClusterLost(f"{self._name} does not answer: {error}") from error
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._seen = asyncio.Event()
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *error: object) -> None:
        """Disconnect; tasks under way are given up."""
        self._watching.cancel()
        if self._lost.done():
            self._lost.exception()
        with suppress(TimeoutError, OSError):
            await asyncio.wait_for(self._client.close(), PATIENCE)

    def evaluations(self, problem: ProblemRef, limits: Limits) -> RemoteEvaluations:
        """Evaluations by the workers, which have the problem as it is here."""
        return RemoteEvaluations(self, problem, limits)

    def verdicts(self, spec: TeacherSpec) -> RemoteVerdicts:
        """Those of the workers, which have the weights that lie here."""
        return RemoteVerdicts(self, spec, self._local.verdicts(spec))

    @property
    def progress(self) -> str:
        """`tcp://10.0.0.2:4001 12 tasks, 3.4 a minute; tcp://10.0.0.3:4001 5 tasks, lost`.

        Of all workers that were ever seen; empty before the first one was.
        """
        minutes = max(1.0, time.monotonic() - self._opened) / 60
        told = []
        for address, count in sorted(self._tasks.items()):
            now = f"{count / minutes:.1f} a minute" if address in self.alive else "lost"
            told.append(f"{address} {count} tasks, {now}")
        return "; ".join(told)

    async def find_workers(self) -> frozenset[str]:
        """Addresses of the workers, once there is one. Raises ClusterLost."""
        self._refuse_lost()
        while not self.alive:
            self._seen.clear()
            seen = asyncio.ensure_future(self._seen.wait())
            try:
                await self._until(seen)
            finally:
                seen.cancel()
        return self.alive

    async def describe(self, problem: ProblemRef) -> dict[str, WorkerFacts | str | None]:
        """What each worker says of itself and a problem, by address.

        Text says why it cannot; None is one that does not answer now. Raises ClusterLost while
        there is no scheduler or no worker.
        """
        addresses = sorted(await self.find_workers())
        told = await asyncio.gather(*(self._describe(one, problem) for one in addresses))
        return dict(zip(addresses, told, strict=True))

    async def _describe(self, address: str, problem: ProblemRef) -> WorkerFacts | str | None:
        message = json.dumps([problem.name, problem.options]).encode()
        asked = self._client.run(
            import_module(FACE).describe, message, workers=[address], on_error="return"
        )
        try:
            answer = (await asyncio.wait_for(asked, PATIENCE))[address]
            return unpack(WorkerFacts, answer)
        except (OSError, TimeoutError, KeyError, AttributeError):  # the last one of a lost client
            return None
        except ValueError as error:
            return f"answers in another way: {error}"
        except TypeError:  # an error in the place of bytes
            return f"has no Preceptor that can work for a cluster: {answer}"

    async def give_out(self, message: bytes, allowed: Collection[str] | None) -> tuple[str, bytes]:
        """The address of the worker that carried a task out, and its answer.

        Only `allowed` ones may, None: any. Raises ClusterLost, Vanished when all those that may
        are gone, and whatever else came of it. Cancelling takes the task back.
        """
        key = f"{name_task(message, next(self._numbers))}-{self._client.id[-12:]}"
        async with self._places:
            self._refuse_lost()
            future = self._client.submit(
                import_module(FACE).carry_out,
                message,
                key,
                key=key,
                pure=False,
                workers=None if allowed is None else sorted(allowed),
            )
            answer = asyncio.ensure_future(future.result())
            try:
                found: tuple[str, bytes] = await self._until(answer, allowed)
                self._tasks[found[0]] += 1
                return found
            finally:
                if not future.done():
                    with suppress(TimeoutError, OSError):
                        await asyncio.wait_for(future.cancel(), LOOK)
                answer.cancel()
                future.release()

    async def _until(
        self, answer: asyncio.Future[Any], allowed: Collection[str] | None = None
    ) -> Any:
        """An answer of the cluster's. Raises ClusterLost, Vanished."""
        while not answer.done():
            await asyncio.wait(
                {answer, self._lost}, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED
            )
            if answer.done():
                break
            if self._lost.done():
                self._lost.result()
            if allowed is not None and not self.alive & set(allowed):
                raise Vanished
        try:
            return answer.result()
        except _load_dask().client.FutureCancelledError as error:
            self._lose("is gone")
            raise self._as_lost("is gone") from error

    async def _watch(self) -> None:
        """Keep an eye on the scheduler and its workers until it is lost."""
        now = asyncio.get_running_loop().time
        last = now()
        while not self._lost.done():
            try:
                found = await asyncio.wait_for(self._client.scheduler.identity(), PATIENCE)
            except Exception as error:  # of whatever kind, it does not tell us its workers
                self._lose(f"does not answer: {error}".removesuffix(": "))
                return
            self.alive = frozenset(map(str, found["workers"]))
            self._tasks.update(dict.fromkeys(self.alive, 0))
            if self.alive:
                last = now()
                self._seen.set()
            elif now() - last > self._outage:
                self._lose(f"has had no worker for {self._outage:g} s")
            await asyncio.sleep(LOOK)

    def _refuse_lost(self) -> None:
        """Raise ClusterLost once the scheduler is lost."""
        if self._client.status != "running":
            self._lose("is gone")
        if self._lost.done():
            self._lost.result()

    @property
    def _name(self) -> str:
        return f"the Dask scheduler at {self.address}"

    def _as_lost(self, what: str) -> ClusterLost:
        return ClusterLost(
            f"{self._name} {what}; start it and its workers again, then resume, or resume with "
            "--executor local"
        )

    def _lose(self, what: str) -> None:
        if not self._lost.done():
            self._lost.set_exception(self._as_lost(what))


def _load_dask() -> Any:
    """The library. Raises UserError where it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UserError(
            f"an executor dask:ADDRESS needs Dask ({error}): pip install 'preceptor[cluster]'"
        ) from error
