"""The connection of an engine to a Dask scheduler and its workers.

Dask gives a task that fails, or is lost with its worker, to a worker again. Where the scheduler is
lost, or has no worker for too long, everything that waits raises ClusterLost, which pauses a run.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import time
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from importlib import import_module
from typing import Any, Self

import msgspec

from engine.runtime.executors.tasks import Outcome, WorkerFacts
from problems import ProblemRef
from problems.errors import ClusterLost, UserError

PATIENCE = 60.0
"""Seconds that a scheduler or a worker has to answer."""

TRIES = 4
"""How often Dask gives out a task that fails on its worker."""

LOOK = 2.0
"""Seconds between looks at the scheduler and its workers."""

FACE = "preceptor"
"""The module whose functions workers carry out: its name is the same in every installation."""


class Vanished(Exception):
    """All workers that might have carried a task out are gone."""


class Connection:
    """The scheduler at an address and its workers, asked from one event loop."""

    def __init__(self, address: str, workers: int = 0, outage: float = PATIENCE) -> None:
        """So many tasks are under way at once, 0: as many as there are.

        It is lost after `outage` seconds without any worker.
        """
        self.address = address
        self.alive: frozenset[str] = frozenset()
        self._outage = outage
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
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *error: object) -> None:
        """Disconnect; tasks under way are given up."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        with suppress(TimeoutError, OSError):
            await asyncio.wait_for(self._client.close(), PATIENCE)

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
            await asyncio.wait({self._watching}, timeout=LOOK / 10)
            self._refuse_lost()
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
        asked = self._client.run(
            import_module(FACE).describe,
            problem.name,
            problem.options,
            workers=[address],
            on_error="return",
        )
        try:
            answer = (await asyncio.wait_for(asked, PATIENCE))[address]
        except (OSError, TimeoutError, KeyError, AttributeError):  # the last one of a lost client
            return None
        if isinstance(answer, Exception):
            return f"has no Preceptor that can work for a cluster: {answer}"
        try:
            return msgspec.convert(answer, WorkerFacts)
        except msgspec.ValidationError as error:
            return f"answers in another way: {error}"

    async def give_out(
        self, assignment: bytes, task: bytes, allowed: Collection[str] | None
    ) -> tuple[str, Outcome]:
        """Return the address of the worker that carried a task out, and the outcome.

        Only `allowed` ones may, None: any. Raises ClusterLost, Vanished when all those that may
        are gone, and what it failed with at its last try. Cancelling takes the task back.
        """
        digest = hashlib.sha256(assignment + task).hexdigest()
        # and a number, since Dask carries out a key once: who cancels one cancels it for all
        key = f"{FACE}-{digest}-{next(self._numbers)}-{self._client.id[-12:]}"
        async with self._places:
            self._refuse_lost()
            future = self._client.submit(
                import_module(FACE).carry_out,
                assignment,
                task,
                key,
                key=key,
                pure=False,
                retries=TRIES - 1,
                workers=None if allowed is None else sorted(allowed),
            )
            answer = asyncio.ensure_future(future.result())
            try:
                found: tuple[str, Outcome] = await self._until(answer, allowed)
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
                {answer, self._watching}, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED
            )
            if answer.done():
                break
            self._refuse_lost()
            if allowed is not None and not self.alive & set(allowed):
                raise Vanished
        try:
            return answer.result()
        except _load_dask().client.FutureCancelledError as error:
            raise self._as_lost("is gone") from error

    async def _watch(self) -> None:
        """Keep an eye on the scheduler and its workers. Raises ClusterLost once it is lost."""
        last = time.monotonic()
        while True:
            try:
                found = await asyncio.wait_for(self._client.scheduler.identity(), PATIENCE)
            except Exception as error:  # of whatever kind, it does not tell us its workers
                raise self._as_lost(f"does not answer: {error}".removesuffix(": ")) from error
            self.alive = frozenset(map(str, found["workers"]))
            self._tasks.update(dict.fromkeys(self.alive, 0))
            if self.alive:
                last = time.monotonic()
            elif time.monotonic() - last > self._outage:
                raise self._as_lost(f"has had no worker for {self._outage:g} s")
            await asyncio.sleep(LOOK)

    def _refuse_lost(self) -> None:
        """Raise ClusterLost once the scheduler is lost."""
        if self._watching.done():
            self._watching.result()
        if self._client.status != "running":
            raise self._as_lost("is gone")

    @property
    def _name(self) -> str:
        return f"the Dask scheduler at {self.address}"

    def _as_lost(self, what: str) -> ClusterLost:
        return ClusterLost(
            f"{self._name} {what}; start it and its workers again, then resume, or resume with "
            "--executor local"
        )


def _load_dask() -> Any:
    """The library. Raises UserError where it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UserError(
            f"an executor dask:ADDRESS needs Dask ({error}): pip install 'preceptor[cluster]'"
        ) from error
