"""A worker's process for one problem: its main thread owns a zygote, and so a sandbox, of its own.

    engine -> scheduler -> Dask worker -> this process -> zygote -> candidate

It replays what its sandboxed children claim, and runs no candidate itself: the costs that it sends
are as trustworthy as those that an engine computes. `python -P -m ...helper SOCKET SETTINGS` is
the process; it ends when the worker does.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import TYPE_CHECKING

from engine.domain.checkpoint import Checkpoint
from engine.domain.values import Failure
from engine.evaluate.pool import Evaluator, Limits
from engine.runtime import provenance
from engine.runtime.executors.frames import read_frame, write_frame
from engine.runtime.executors.tasks import (
    FORM,
    Answered,
    Continued,
    ContinueFrom,
    Evaluate,
    Failed,
    Ready,
    Refused,
    Solved,
    Task,
    TryOut,
    decode_code,
    pack,
    unpack,
    unpack_work,
)
from problems import ProblemRef
from problems.errors import PreceptorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.runtime.executors.tasks import Outcome, Work


def main() -> None:
    """The process, from its arguments."""
    number, settings = sys.argv[1:]
    name, options, cpu_seconds, memory_mb, workers = json.loads(settings)
    ref = ProblemRef(name, tuple((key, value) for key, value in options))
    limits = Limits(cpu_seconds, memory_mb)
    asyncio.run(_serve(socket.socket(fileno=int(number)), ref, limits, workers))


async def _serve(ours: socket.socket, ref: ProblemRef, limits: Limits, workers: int) -> None:
    """Say what we are, then carry out what is sent until the worker ends."""
    stream, writer = await asyncio.open_connection(sock=ours)
    try:
        evaluator = Evaluator.start(ref, limits, workers)
    except PreceptorError as error:
        write_frame(writer, 0, pack(Ready(str(error), "")))
        await writer.drain()
        return
    async with evaluator:
        desk = Desk(ref, evaluator, writer)
        write_frame(writer, 0, pack(Ready(desk.version, evaluator.level)))
        while (frame := await read_frame(stream)) is not None:
            desk.take(*frame)
        await desk.drop_all()


class Desk:
    """The tasks under way in this process, by number."""

    def __init__(
        self, ref: ProblemRef, evaluator: Evaluator, writer: asyncio.StreamWriter
    ) -> None:
        """`writer` leads to the worker."""
        self.version = provenance.evaluator_version(ref)
        self._evaluator = evaluator
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
        outcome = await self.find_outcome(message)
        write_frame(self._writer, number, pack(outcome))

    async def find_outcome(self, message: bytes) -> Outcome:
        """What comes of a task, whatever was sent."""
        try:
            task = unpack(Task, message)
            if refusal := await self._refuse(task):
                return refusal
            return await carry_out(self._evaluator, unpack_work(task.work))
        except PreceptorError as error:
            return Failed(type(error).__name__, str(error))
        except (ValueError, IndexError) as error:
            return Refused(f"cannot read the task: {error}")

    async def _refuse(self, task: Task) -> Refused | None:
        """Why an answer of ours would be another than the engine's own, if it would."""
        if task.form != FORM or task.evaluator != self.version:
            return Refused("has another version of Preceptor, NumPy, Numba or Python")
        name = unpack_work(task.work).set
        try:
            known = await self._digest(name)
        except PreceptorError as error:
            return Refused(f"has no instances {name}: {error}")
        return None if known == task.instances else Refused(f"has other instances in {name}")

    async def _digest(self, name: str) -> str:
        """The digest of a set's instances here, reckoned once."""
        if name not in self._digests:
            load = self._evaluator.problem.load
            reckoned = asyncio.to_thread(lambda: provenance.digest(load(name)))
            self._digests[name] = asyncio.create_task(reckoned)
        return await asyncio.shield(self._digests[name])


async def carry_out(evaluator: Evaluator, work: Work) -> Outcome:
    """The answer to one piece of work. Raises what the evaluator does."""
    code = decode_code(work.code)
    if isinstance(work, Evaluate):
        checkpoint = Checkpoint(work.count, _stop) if work.count else None
        found = await evaluator.evaluate(code, work.set, None, checkpoint, work.part)
        return Solved(found)
    if isinstance(work, TryOut):
        return Solved(await evaluator.try_out(code, work.set, work.chosen, work.seconds))
    if isinstance(work, ContinueFrom):
        prefixes = work.prefixes
        return Continued(await evaluator.continue_from(code, work.set, prefixes, work.seconds))
    return Answered(await evaluator.answer(code, work.set, work.questions, work.seconds))


def _stop(_: Sequence[float]) -> Failure:
    """The end of an evaluation at its checkpoint: whether it goes on is the engine's to judge."""
    return Failure("behind", "stopped at a checkpoint")


if __name__ == "__main__":
    main()
