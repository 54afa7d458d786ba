"""The engine's end of the zygote: start it, give it jobs, learn how their children ended."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import cast

from engine.evaluate.sandbox.child import Level, Limits
from engine.evaluate.sandbox.messages import ASK, COMMAND, KILL, REPORT, RUN, WORKING
from problems import ProblemRef
from problems.errors import WorldError

INHERITED = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH",
    "PRECEPTOR_DATA", "XDG_DATA_HOME",  # where imported sets lie
)  # fmt: skip
"""All of our environment that the zygote, and with it a candidate, sees: no key is in it."""

SET = {
    "PYTHONHASHSEED": "0",  # the order of a set of strings
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}

GRACE = 5.0
"""Seconds that a zygote has to end by itself."""


class ZygoteGone(Exception):
    """The zygote ended before it reported on a job."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its wait status, and the CPU seconds it used."""

    status: int
    cpu: float


@dataclass(frozen=True, slots=True)
class ForkedChild:
    """A child at work: what it sends, how it will have ended, and its CPU seconds so far.

    `send` is for one that takes several requests.
    """

    stream: asyncio.StreamReader
    ended: asyncio.Future[Ended]
    ask_cpu: Callable[[], Awaitable[float]]
    send: Callable[[Mapping[str, object]], None]


@dataclass(slots=True)
class ZygoteClient:
    """A running zygote, used from one event loop; `start` makes it."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    level: Level
    alive: bool = True
    _jobs: dict[int, asyncio.Future[Ended]] = field(default_factory=dict)
    _asked: dict[int, asyncio.Future[Ended]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _received: bytes = b""

    @classmethod
    def start(
        cls, problem: ProblemRef, limits: Limits, surroundings: Mapping[str, str] | None = None
    ) -> ZygoteClient:
        """Start a zygote and wait until it is ready. Raises WorldError when it ends instead.

        It dies with the thread that calls this. `surroundings` are changes to its environment.
        """
        ours, theirs = socket.socketpair()
        settings = [problem.name, problem.options, limits.cpu_seconds, limits.memory_mb]
        module = [sys.executable, "-P", "-m", f"{__package__}.zygote"]
        with theirs:
            process = subprocess.Popen(
                [*module, str(theirs.fileno()), str(os.getpid()), json.dumps(settings)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment() | dict(surroundings or {}),
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C in the terminal is for us alone
            )
        with ours.makefile("rb") as lines:
            try:
                level = lines.readline().decode().strip()
            except ConnectionError:
                level = ""
        if not level:
            ours.close()
            raise WorldError(
                f"the evaluation process ended at its start with status {process.wait()}; "
                "what it said stands above"
            )
        ours.setblocking(False)
        return cls(process, ours, cast("Level", level))

    @asynccontextmanager
    async def child(self, request: Mapping[str, object]) -> AsyncIterator[ForkedChild]:
        """One child at work; leaving the block kills it and waits until it is gone.

        Raises ZygoteGone, here or at the end of the block.
        """
        ours, theirs = socket.socketpair()
        stream, writer = await asyncio.open_connection(sock=ours)

        def send(request: Mapping[str, object]) -> None:
            writer.write(json.dumps(request).encode() + b"\n")

        try:
            with theirs:
                number, ended = self._run(theirs.fileno())
            send(request)
            try:
                yield ForkedChild(stream, ended, lambda: self._ask_cpu(number), send)
            finally:
                if not ended.done():
                    with suppress(ConnectionError):  # then it is dead already
                        self._command(KILL, number)
                await ended
        finally:
            writer.close()

    def _run(self, descriptor: int) -> tuple[int, asyncio.Future[Ended]]:
        if not self.alive:  # it died while our stream was being opened
            raise ZygoteGone
        loop = asyncio.get_running_loop()
        loop.add_reader(self.control, self._receive_reports)  # again and again: it replaces itself
        number = next(self._numbers)
        try:
            self._command(RUN, number, [descriptor])
        except ConnectionError as error:
            self._mark_gone()
            raise ZygoteGone from error
        ended = self._jobs[number] = loop.create_future()
        return number, ended

    async def _ask_cpu(self, number: int) -> float:
        """CPU seconds of a child, ended or not. Raises ZygoteGone."""
        if number not in self._jobs:
            return 0.0
        answer: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        with suppress(ConnectionError):  # `_receive_reports` will find out
            self._command(ASK, number)
        return (await answer).cpu

    def _command(self, what: bytes, number: int, descriptors: Sequence[int] = ()) -> None:
        socket.send_fds(self.control, [COMMAND.pack(what, number)], descriptors)

    def _receive_reports(self) -> None:
        """Reports have arrived, or the zygote is gone."""
        try:
            data = self.control.recv(1024 * REPORT.size)
        except ConnectionError:
            data = b""
        if not data:
            self._mark_gone()
        self._received += data
        while len(self._received) >= REPORT.size:
            number, status, cpu = REPORT.unpack_from(self._received)
            self._received = self._received[REPORT.size :]
            waiting = [self._asked.pop(number, None)]
            if status != WORKING:
                waiting.append(self._jobs.pop(number))
            for future in filter(None, waiting):
                _resolve(future, Ended(status, cpu))

    def _mark_gone(self) -> None:
        """The zygote is gone, and with it every child."""
        self.alive = False
        asyncio.get_running_loop().remove_reader(self.control)
        for waiting in (self._jobs, self._asked):
            while waiting:
                _resolve(waiting.popitem()[1], ZygoteGone())

    def close(self) -> None:
        """End the zygote, and with it all its children; once is enough."""
        if self.control.fileno() < 0:
            return
        self._mark_gone()
        self.control.close()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _resolve(future: asyncio.Future[Ended], outcome: Ended | ZygoteGone) -> None:
    if future.done():  # whoever waited was cancelled
        return
    if isinstance(outcome, Ended):
        future.set_result(outcome)
    else:
        future.set_exception(outcome)


def environment() -> dict[str, str]:
    """The zygote's environment: an allow-list of ours, one thread, our import path."""
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return kept | SET | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
