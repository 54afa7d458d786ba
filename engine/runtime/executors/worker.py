"""Our side of a Dask worker: it hands tasks to processes of ours, one a problem or teacher.

A Dask worker has threads and runs whatever it is sent, so that neither a zygote nor a simulator
that is trusted belongs into it. What is here runs in its event loop and only passes bytes on.
"""

from __future__ import annotations

import asyncio
import json
import platform
import socket
import subprocess
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import msgspec

from engine.domain.concurrency import count_cores
from engine.runtime import provenance
from engine.runtime.executors.frames import read_frame, write_frame
from engine.runtime.executors.tasks import (
    FORM,
    Failed,
    Ready,
    Refused,
    Task,
    WorkerFacts,
    pack,
    unpack,
)
from problems import ProblemRef
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.runtime.executors.tasks import Outcome

KEPT = 4
"""Processes that a worker keeps; the one that waits longest for work ends when there are more."""

LOOK = 0.25
"""Seconds between looks whether a task is still wanted."""

TRIES = 2
"""Processes that a task is given: one that dies may have been ended for want of memory."""

PROBE = (
    f"from {__package__.removesuffix('.runtime.executors')}.evaluate.sandbox.child import probe; "
    "print(probe())"
)

_helpers: OrderedDict[tuple[object, ...], Helper] = OrderedDict()


async def carry_out(message: bytes, key: str) -> tuple[str, bytes]:
    """The address of this worker, and what comes of a task: an `Outcome`, packed.

    It is given up once the scheduler does not want it any more.
    """
    from distributed import get_worker

    worker = get_worker()
    wanted = _watch_state(worker, key)
    return worker.address, await work_off(message, worker.state.nthreads, wanted)


async def describe(message: bytes) -> bytes:
    """What this worker is, packed: `WorkerFacts`; `message` names a problem."""
    name, options = json.loads(message)
    ref = ProblemRef(name, tuple((key, value) for key, value in options))
    return pack(await asyncio.to_thread(_describe, ref))


def _describe(ref: ProblemRef) -> WorkerFacts:
    try:
        evaluator = provenance.evaluator_version(ref) if ref.name else ""
    except (PreceptorError, OSError):
        evaluator = ""
    known = platform.python_version()
    return WorkerFacts(FORM, version("preceptor"), known, _probe(), count_cores(), evaluator)


def _probe() -> str:
    """The level of the sandbox here, "" where none can be found, by a process without threads."""
    command = [sys.executable, "-P", "-c", PROBE]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout.strip()


async def work_off(message: bytes, threads: int, wanted: Callable[[], bool]) -> bytes:
    """An `Outcome`, packed; `threads` evaluations of this worker may be under way at once."""
    try:
        task = unpack(Task, message)
    except ValueError as error:
        return pack(Refused(f"cannot read the task: {error}"))
    outcome: Outcome | None = None
    for _ in range(TRIES):
        helper = _find_helper(task, threads)
        try:
            return await helper.ask(message, wanted)
        except HelperGone as gone:
            outcome = Failed("WorldError", f"its process for {task.problem.name} ended: {gone}")
        except Unusable as unusable:
            return pack(Refused(str(unusable)))
    return pack(outcome)


class HelperGone(Exception):
    """The process for a problem ended under a task."""


class Unusable(Exception):
    """The process for a problem cannot do what is asked, whatever the task."""


@dataclass(slots=True)
class Helper:
    """A process of ours for one problem or one teacher, seen from the worker."""

    process: subprocess.Popen[bytes]
    ours: socket.socket
    alive: bool = True
    _ready: asyncio.Future[Ready] | None = None
    _writer: asyncio.StreamWriter | None = None
    _reading: asyncio.Task[None] | None = None
    _number: int = 0
    _waiting: dict[int, asyncio.Future[bytes]] = field(default_factory=dict)

    @classmethod
    def start(cls, task: Task, threads: int) -> Helper:
        """Start a process; it is not waited for."""
        ours, theirs = socket.socketpair()
        like = pack(msgspec.structs.replace(task, work=b"")).hex()
        module = f"{__package__}.helper"
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), like, str(threads)],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return cls(process, ours)

    @property
    def idle(self) -> bool:
        """Whether no task waits for it."""
        return not self._waiting

    async def ask(self, message: bytes, wanted: Callable[[], bool]) -> bytes:
        """The answer to a task. Raises HelperGone, and Unusable, also for one that is unwanted."""
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._reading = asyncio.create_task(self._read())
        self._number += 1
        number = self._number
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            ready = await asyncio.shield(self._ready)
            self._refuse(ready, unpack(Task, message))
            assert self._writer is not None
            write_frame(self._writer, number, message)
            while not (await asyncio.wait({answer}, timeout=LOOK))[0]:
                if not wanted():
                    raise Unusable("is not asked any more")
            return answer.result()
        finally:
            del self._waiting[number]
            if not answer.done() and self._writer is not None:
                write_frame(self._writer, number, b"")

    def _refuse(self, ready: Ready, task: Task) -> None:
        """Raises Unusable."""
        if ready.failure:
            raise Unusable(ready.failure)
        if ready.version != task.version:
            what = f"{task.teacher.teacher}, " if task.teacher and task.teacher.teacher else ""
            raise Unusable(
                f"has another version of Preceptor, {task.problem.name}, {what}NumPy, Numba or "
                "Python than the engine"
            )

    async def _read(self) -> None:
        """Hand out answers until the process ends."""
        assert self._ready is not None
        stream, self._writer = await asyncio.open_connection(sock=self.ours)
        while (frame := await read_frame(stream)) is not None:
            number, message = frame
            if not self._ready.done():
                self._ready.set_result(unpack(Ready, message))
            elif number in self._waiting and not self._waiting[number].done():
                self._waiting[number].set_result(message)
        self.alive = False
        code = await asyncio.to_thread(self.process.wait)
        gone = HelperGone(f"status {code}")
        waiting: list[asyncio.Future[Any]] = [self._ready, *self._waiting.values()]
        for one in waiting:
            if not one.done():
                one.set_exception(gone)
                one.exception()  # seen, should nobody wait
        self._writer.close()

    def close(self) -> None:
        """End the process: it sees the end of its socket."""
        self.alive = False
        if self._writer is not None:
            self._writer.close()
        else:
            self.ours.close()


def _find_helper(task: Task, threads: int) -> Helper:
    """The process for a task, started where there is none; one of other code gives way."""
    key = (task.problem, task.cpu_seconds, task.memory_mb, task.teacher, task.version)
    helper = _helpers.pop(key, None)
    if helper is None or not helper.alive:
        helper = Helper.start(task, threads)
    _helpers[key] = helper
    spare = [k for k, other in _helpers.items() if other.idle and k != key]
    for old in spare[: max(0, len(_helpers) - KEPT)]:
        _helpers.pop(old).close()
    return helper


def _watch_state(worker: Any, key: str) -> Callable[[], bool]:
    """Whether the scheduler still waits for a task that this worker carries out."""

    def wanted() -> bool:
        task = None
        with suppress(KeyError, AttributeError):
            task = worker.state.tasks[key]
        return task is not None and task.state != "cancelled"

    return wanted
