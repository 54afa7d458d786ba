"""The part of a Dask worker that is ours: a plugin that holds the helper processes.

The evaluators and teachers are not in the worker's own process. `dask worker` runs it below a
nanny as a daemon of multiprocessing, which may not have the child processes of a teacher pool; it
keeps a problem's module after the file, and so the version, has changed; and own code that hangs
or crashes would take the worker with it. So there is a helper for each problem or teacher.
"""

from __future__ import annotations

import asyncio
import pickle
import platform
import socket
import subprocess
import sys
from collections import OrderedDict
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, cast

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from engine.domain.concurrency import count_cores
from engine.runtime import provenance
from engine.runtime.executors.tasks import FORM, LENGTH, Outcome
from problems import ProblemRef
from problems.errors import PreceptorError

KEPT = 4
"""Helpers that a worker keeps; the one idle for longest ends when there are more."""

PROBE = (
    f"from {__package__.removesuffix('.runtime.executors')}.evaluate.sandbox.child import probe; "
    "print(probe())"
)

NAME = "preceptor"


async def carry_out(assignment: bytes, task: bytes, key: str) -> tuple[str, Outcome]:
    """Return the address of this worker and the outcome of a task.

    Raises RuntimeError for a failure that another try may not have: Dask counts the tries.
    """
    worker = get_worker()
    if NAME not in worker.plugins:
        # not registered with the scheduler: it would keep it when the engine is gone, and a
        # worker without Preceptor could not start any more
        await worker.plugin_add(plugin=HelperPlugin(), name=NAME, catch_errors=False)
    plugin = cast("HelperPlugin", worker.plugins[NAME])
    return worker.address, await plugin.carry_out(assignment, task, key)


def describe(name: str, options: Any) -> dict[str, Any]:
    """The fields of `WorkerFacts` for this worker and a problem, in types of every version."""
    evaluator = ""
    try:
        if name:
            evaluator = provenance.evaluator_version(ProblemRef(name, options))
    except (PreceptorError, OSError):
        pass
    command = [sys.executable, "-P", "-c", PROBE]  # in a process without threads
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return {
        "form": FORM,
        "version": version("preceptor"),
        "python": platform.python_version(),
        "level": done.stdout.strip(),
        "cores": count_cores(),
        "evaluator": evaluator,
    }


class HelperPlugin(WorkerPlugin):
    """Hands tasks to helpers, one an assignment, and ends them with the worker."""

    def __init__(self) -> None:
        self._helpers: OrderedDict[bytes, Helper] = OrderedDict()
        self._jobs: dict[str, asyncio.Task[Outcome]] = {}
        self._threads = 1

    def setup(self, worker: Any) -> None:
        """Take the number of evaluations that may be under way at once."""
        self._threads = worker.state.nthreads

    def teardown(self, worker: Any) -> None:
        """Give up what is under way, and end the helpers."""
        for job in self._jobs.values():
            job.cancel()
        for helper in self._helpers.values():
            helper.close()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Give a task up once the scheduler does not want it: Dask lets it run to its end."""
        if key in self._jobs and finish == "released":
            self._jobs[key].cancel()

    async def carry_out(self, assignment: bytes, task: bytes, key: str) -> Outcome:
        """Return the outcome of a task. Raises RuntimeError as the function of that name."""
        job = self._jobs[key] = asyncio.create_task(self._ask(assignment, task))
        try:
            await asyncio.wait({job})
        finally:
            job.cancel()
            del self._jobs[key]
        if job.cancelled():
            raise RuntimeError("the task was given up")
        return job.result()

    async def _ask(self, assignment: bytes, task: bytes) -> Outcome:
        helper = self._helpers.pop(assignment, None)
        if helper is None:
            helper = Helper.start(assignment, self._threads)
        self._helpers[assignment] = helper
        idle = [name for name, other in self._helpers.items() if not other.waiting]
        for name in idle[: max(0, len(self._helpers) - KEPT)]:
            if name != assignment:
                self._helpers.pop(name).close()
        kind, found = await helper.ask(task)
        if (kind == "refusal" or helper.gone) and self._helpers.get(assignment) is helper:
            del self._helpers[assignment]  # a new one may have other code, other sets
            helper.close()
        if kind == "failure":
            raise RuntimeError(found)
        return kind, found


@dataclass(slots=True)
class Helper:
    """A helper process, seen from the worker; each task has a socket of its own."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    waiting: int = 0
    gone: bool = False
    closing: bool = False

    @classmethod
    def start(cls, assignment: bytes, threads: int) -> Helper:
        """Start a process without waiting until it is ready."""
        ours, theirs = socket.socketpair()
        module = [sys.executable, "-P", "-m", f"{__package__}.helper"]
        with theirs:
            process = subprocess.Popen(
                [*module, str(theirs.fileno()), assignment.hex(), str(threads)],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return cls(process, ours)

    async def ask(self, task: bytes) -> Outcome:
        """Return the outcome of a task; cancelling gives it up."""
        self.waiting += 1
        ours, theirs = socket.socketpair()
        stream, writer = await asyncio.open_connection(sock=ours)
        try:
            with theirs:
                socket.send_fds(self.control, [b"t"], [theirs.fileno()])
            writer.write(len(task).to_bytes(LENGTH) + task)
            reply = await stream.read()
        except ConnectionError:
            reply = b""
        finally:
            writer.close()
            self.waiting -= 1
            if self.closing:
                self.close()
        if reply:
            outcome: Outcome = pickle.loads(reply)
            return outcome
        self.gone = True
        self.process.kill()
        status = await asyncio.to_thread(self.process.wait)
        return "failure", f"its process ended with status {status}"

    def close(self) -> None:
        """End the process, which sees the end of its socket, once no task waits for it."""
        self.closing = True
        if not self.waiting:
            self.control.close()
