"""A process of a worker that evaluates programs of one problem, or asks one teacher.

    engine -> scheduler -> Dask worker -> this process -> zygote -> candidate

Its main thread owns the zygote. It replays what its sandboxed children claim, and runs no
candidate itself: the costs that it sends are as trustworthy as those that an engine computes.
`python -P -m ...helper SOCKET ASSIGNMENT THREADS` is the process; it ends when the worker does.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import sys
from contextlib import AsyncExitStack, suppress

import problems
from engine.diagnosis.teacher_pool import TeacherPool
from engine.evaluate.pool import Evaluator, Limits
from engine.runtime import provenance
from engine.runtime.executors.tasks import LENGTH, Assignment, Outcome, WorkerTask
from problems.errors import PreceptorError, UserError


def main() -> None:
    """Serve a worker until it ends, as the arguments of the process say."""
    number, assignment, threads = sys.argv[1:]
    control = socket.socket(fileno=int(number))
    asyncio.run(_serve(control, bytes.fromhex(assignment), int(threads)))


async def _serve(control: socket.socket, assignment: bytes, threads: int) -> None:
    """Answer each task on the socket that comes with it until the control socket ends."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    jobs = set[asyncio.Task[None]]()
    async with Desk() as desk:
        await desk.open(assignment, threads)

        def accept() -> None:
            message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            if not message:
                loop.remove_reader(control)
                ended.set_result(None)
                return
            job = asyncio.create_task(_answer(desk, socket.socket(fileno=descriptors[0])))
            jobs.add(job)
            job.add_done_callback(jobs.discard)

        loop.add_reader(control, accept)
        await ended
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)


async def _answer(desk: Desk, ours: socket.socket) -> None:
    """Read a task and write its outcome; it is given up when the worker closes the socket."""
    stream, writer = await asyncio.open_connection(sock=ours)
    try:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            message = await stream.readexactly(int.from_bytes(await stream.readexactly(LENGTH)))
            async with asyncio.TaskGroup() as group:
                job = group.create_task(desk.find_outcome(message))
                closed = group.create_task(stream.read())
                await asyncio.wait({job, closed}, return_when=asyncio.FIRST_COMPLETED)
                closed.cancel()
                if not job.done():
                    job.cancel()
            if not job.cancelled():
                writer.write(pickle.dumps(job.result()))
                await writer.drain()
    finally:
        writer.close()


class Desk(AsyncExitStack):
    """What carries out the tasks of one assignment, opened once."""

    def __init__(self) -> None:
        super().__init__()
        self._obstacle = ""
        self._digests: dict[str, asyncio.Task[str]] = {}

    async def open(self, pickled: bytes, threads: int) -> None:
        """Start the evaluator or the teacher; what hinders it becomes a refusal of every task."""
        try:
            assignment: Assignment = pickle.loads(pickled)
            ref = assignment.problem
            self._problem = problems.load(ref)
            self._worker: Evaluator | TeacherPool
            if isinstance(assignment.work, Limits):
                evaluator = Evaluator.start(ref, assignment.work, threads)
                self._worker = await self.enter_async_context(evaluator)
                version = provenance.evaluator_version(ref)
            else:
                self._worker = TeacherPool(assignment.work, threads)
                self.push_async_callback(self._worker.close)
                version = provenance.verdict_version(ref, await self._worker.open())
        except Exception as error:  # a pickle of other code raises anything
            self._obstacle = f"cannot begin: {error}"
            return
        if version != assignment.version:
            teacher = getattr(assignment.work, "teacher", "")
            what = ", ".join(filter(None, ("Preceptor", ref.name, teacher)))
            self._obstacle = (
                f"has another version of {what}, NumPy, Numba or Python than the engine"
            )

    async def find_outcome(self, message: bytes) -> Outcome:
        """Carry a task out, unless the answer would be another than on the engine's machine."""
        if self._obstacle:
            return "refusal", self._obstacle
        try:
            task: WorkerTask = pickle.loads(message)
        except Exception as error:  # as above
            return "refusal", f"cannot read the task: {error}"
        try:
            known = await self._digest(task.set)
        except PreceptorError as error:
            return "refusal", f"has no instances {task.set}: {error}"
        if known != task.instances:
            return "refusal", f"has other instances in {task.set}"
        try:
            return "answer", pickle.dumps(
                await getattr(self._worker, task.method)(*task.arguments)
            )
        except UserError as error:
            return "error", pickle.dumps(error)
        except Exception as error:  # a bug, too, is better reported than waited for
            kind = "" if isinstance(error, PreceptorError) else f"{type(error).__name__}: "
            return "failure", f"{kind}{error}"

    async def _digest(self, name: str) -> str:
        """The digest of a set's instances here, computed once."""
        if name not in self._digests:
            load = self._problem.load
            computed = asyncio.to_thread(lambda: provenance.digest(load(name)))
            self._digests[name] = asyncio.create_task(computed)
        return await asyncio.shield(self._digests[name])


if __name__ == "__main__":
    main()
