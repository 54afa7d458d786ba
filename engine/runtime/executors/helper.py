"""A worker's process: programs of one problem in a sandbox of its own, or one teacher.

    engine -> scheduler -> Dask worker -> this process -> zygote -> candidate

Its main thread owns the zygote. It replays what its sandboxed children claim, and runs no
candidate itself: the costs that it sends are as trustworthy as those that an engine computes.
`python -P -m ...helper SOCKET TASK THREADS` is the process, for tasks like that one; it ends when
the worker does.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import problems
from engine.diagnosis.queries import TeacherQuery
from engine.diagnosis.teacher_pool import TeacherPool
from engine.domain.checkpoint import Checkpoint
from engine.domain.values import Failure
from engine.evaluate.pool import Evaluator, Limits
from engine.runtime import provenance
from engine.runtime.executors.frames import read_frame, write_frame
from engine.runtime.executors.tasks import (
    FORM,
    ContinueFrom,
    Evaluate,
    Failed,
    Ready,
    Refused,
    Task,
    TryOut,
    decode_code,
    pack,
    pack_answer,
    unpack,
    unpack_work,
)
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from engine.runtime.executors.tasks import Work
    from problems import ProblemRef

    Do = Callable[[Work], Awaitable[object]]


def main() -> None:
    """The process, from its arguments."""
    number, like, threads = sys.argv[1:]
    task = unpack(Task, bytes.fromhex(like))
    asyncio.run(_serve(socket.socket(fileno=int(number)), task, int(threads)))


async def _serve(ours: socket.socket, like: Task, threads: int) -> None:
    """Say what we are, then carry out what is sent until the worker ends."""
    stream, writer = await asyncio.open_connection(sock=ours)
    try:
        async with _open(like, threads) as (version, do):
            desk = Desk(like.problem, version, do, writer)
            write_frame(writer, 0, pack(Ready(version)))
            while (frame := await read_frame(stream)) is not None:
                desk.take(*frame)
            await desk.drop_all()
    except PreceptorError as error:
        write_frame(writer, 0, pack(Ready("", f"cannot begin: {error}")))
        await writer.drain()


@asynccontextmanager
async def _open(like: Task, threads: int) -> AsyncIterator[tuple[str, Do]]:
    """The version of what carries tasks out, and that itself."""
    if like.teacher is None:
        limits = Limits(like.cpu_seconds, like.memory_mb)
        async with Evaluator.start(like.problem, limits, threads) as evaluator:
            yield provenance.evaluator_version(like.problem), partial(evaluate, evaluator)
        return
    pool = TeacherPool(like.teacher, threads)
    try:
        fingerprint = await pool.open()
        yield provenance.verdict_version(like.problem, fingerprint), partial(consult, pool)
    finally:
        await pool.close()


class Desk:
    """The tasks under way in this process, by number."""

    def __init__(
        self, ref: ProblemRef, version: str, do: Do, writer: asyncio.StreamWriter
    ) -> None:
        """`do` carries work out, `writer` leads to the worker."""
        self._version = version
        self._problem = problems.load(ref)
        self._do = do
        self._writer = writer
        self._jobs: dict[int, asyncio.Task[None]] = {}
        self._digests: dict[str, asyncio.Task[str]] = {}

    def take(self, number: int, message: bytes) -> None:
        """Begin a task, or give it up where the message is empty."""
        if message:
            job = asyncio.create_task(self._work_off(number, message))
            self._jobs[number] = job
            job.add_done_callback(lambda _: self._jobs.pop(number, None))
        elif number in self._jobs:
            self._jobs[number].cancel()

    async def drop_all(self) -> None:
        """Give up everything; children are killed and reaped."""
        jobs = [*self._jobs.values()]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    async def _work_off(self, number: int, message: bytes) -> None:
        write_frame(self._writer, number, await self.find_outcome(message))

    async def find_outcome(self, message: bytes) -> bytes:
        """What comes of a task, whatever was sent: an `Outcome`, packed."""
        try:
            task = unpack(Task, message)
            if refusal := await self._refuse(task):
                return pack(refusal)
            return pack_answer(await self._do(unpack_work(task.work)))
        except PreceptorError as error:
            return pack(Failed(type(error).__name__, str(error)))
        except (ValueError, IndexError) as error:
            return pack(Refused(f"cannot read the task: {error}"))

    async def _refuse(self, task: Task) -> Refused | None:
        """Why an answer of ours would be another than the engine's own, if it would."""
        if task.form != FORM or task.version != self._version:
            return Refused("has another version of Preceptor, NumPy, Numba or Python")
        try:
            known = await self._digest(task.set)
        except PreceptorError as error:
            return Refused(f"has no instances {task.set}: {error}")
        return None if known == task.instances else Refused(f"has other instances in {task.set}")

    async def _digest(self, name: str) -> str:
        """The digest of a set's instances here, reckoned once."""
        if name not in self._digests:
            load = self._problem.load
            reckoned = asyncio.to_thread(lambda: provenance.digest(load(name)))
            self._digests[name] = asyncio.create_task(reckoned)
        return await asyncio.shield(self._digests[name])


async def evaluate(evaluator: Evaluator, work: Work) -> object:
    """What an evaluator answers to work. Raises what it does, ValueError for other work."""
    match work:
        case Evaluate(code, name, count, part):
            checkpoint = Checkpoint(count, _stop) if count else None
            return await evaluator.evaluate(decode_code(code), name, None, checkpoint, part)
        case TryOut(code, name, chosen, seconds):
            (found,) = await evaluator.try_out((decode_code(code),), name, chosen, seconds)
            return found
        case ContinueFrom(code, name, prefixes, seconds):
            return await evaluator.continue_from(decode_code(code), name, prefixes, seconds)
    raise ValueError("a question to a teacher")


async def consult(pool: TeacherPool, work: Work) -> object:
    """What a teacher answers to work. Raises ValueError for other work."""
    if isinstance(work, TeacherQuery):
        return await pool.ask(work)
    raise ValueError("a program, and no teacher's work")


def _stop(_: Sequence[float]) -> Failure:
    """The end of an evaluation at its checkpoint: whether it goes on is the engine's to judge."""
    return Failure("behind", "stopped at a checkpoint")


if __name__ == "__main__":
    main()
