"""What an engine does around its work, the same for a run and a study: own, beat, obey, end."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Protocol, TypeVar

from engine.domain.names import log_path
from engine.domain.specs.settings import Caps
from engine.domain.status import REASONS, Job, State
from engine.runtime import control
from engine.store import process_identity as identity
from engine.store.connection import has_room, keep_reserve
from engine.store.store import Store
from problems.errors import StoreBlocked, StoreBusy, StoreError, UserError, WorldError
from problems.own_code import blame

Ending = tuple[State, str]

Answer = TypeVar("Answer")

LISTEN = 0.25
"""Seconds between looks at the control folder."""

BEAT = 8
"""Looks between heartbeats: one every 2 s."""

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end; an engine answers by pausing its work."""

PROBE = 3.0
"""Seconds between looks whether a store that is full or held can be written again."""

HELD = 600.0
"""Seconds that a job waits to begin or to end while another program holds the store."""

LONGEST = 8192
"""Bytes at the end of a log among which its last line is looked for."""

SHOWN = 300
"""Characters of that line that are shown."""

_REASON = {shown: reason for reason, shown in REASONS.items()}

_received: list[str] = []
"""Names of those signals that have reached this process."""


class Halted(Exception):
    """The job was told to pause or stop; raised before anything new begins."""

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state = state
        self.reason = reason


class Listener(Protocol):
    """What carries out the commands to a job."""

    def halt(self, halted: Halted) -> None:
        """Begin nothing new from now on."""

    def probe_now(self) -> None:
        """Try a provider that is waited for again at once."""

    def set_caps(self, caps: Caps) -> None:
        """Spend so much at most from now on."""


async def carry_out(store: Store, job: Job, work: Callable[[], Awaitable[Ending]]) -> State:
    """Own a job while `work` is done on it, then release it with the ending that `work` returns.

    An error fails the job, in words that a viewer shows, and is raised again; work that is
    cancelled leaves it interrupted. Who owns it, and how it ended, is in the store's file itself.
    Raises StoreError while another living engine owns it.
    """

    async def claim() -> None:
        store.jobs.claim(job, identity.current())
        store.fold()

    await outwait(claim)
    ending: Ending = ("running", "")
    try:
        ending = await work()
    except StoreBlocked as error:
        ending = ("paused", str(error))
        raise
    except Exception as error:
        ending = ("failed", describe_error(error, last_line(log_path(store.path, job))))
        raise
    finally:
        await outwait(partial(_let_go, store, job, ending))
    return ending[0]


async def _let_go(store: Store, job: Job, ending: Ending) -> None:
    with suppress(StoreBlocked):
        store.jobs.beat(job)  # the seconds since the last heartbeat count too
    store.jobs.release(job, *ending)
    with suppress(StoreBlocked):
        store.fold()
    store.rescue()


async def outwait(attempt: Callable[[], Awaitable[Answer]]) -> Answer:
    """What `attempt` returns, made again for minutes while another program holds the store."""
    end = time.monotonic() + HELD
    while True:
        try:
            return await attempt()
        except StoreBusy:
            if time.monotonic() > end:
                raise
        await asyncio.sleep(PROBE)


def describe_error(error: Exception, last: str = "") -> str:
    """An error in one sentence; `last` is the last line of the engine's log, "" without one.

    What was foreseen explains itself, what the user's own code raises is named by its line,
    anything else by its type. The log tells of the
    processes that an engine starts.
    """
    if isinstance(error, UserError | StoreError):
        return str(error)
    foreseen = isinstance(error, WorldError)
    if not foreseen and (told := blame(error)):
        return told
    text = str(error) if foreseen else f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{text} (its log ends with: {last})" if last else text


def last_line(log: Path) -> str:
    """The last line of a log that says anything, cut to a length for one line; "" without one."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LONGEST))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    said = (line.strip() for line in reversed(lines))
    return next(filter(None, said), "")[:SHOWN]


async def wait_for_store(
    store: Store,
    job: Job,
    blocked: StoreBlocked,
    halted: Callable[[], Halted | None],
    recover: Callable[[], None] = lambda: None,
) -> None:
    """Until the store can be written again, and `recover` has written what waits for it.

    The job is shown as paused meanwhile. Raises the `Halted` that it is told.
    """
    while True:
        with suppress(StoreBlocked):
            store.jobs.hold(job, f"{blocked}; the {job.kind} continues by itself")
        if halt := halted():
            raise halt
        await asyncio.sleep(PROBE)
        with suppress(StoreBlocked):
            store.fold()
            recover()
            keep_reserve(store.path)
            store.jobs.hold(job, "")
            return


def pause_on_signals() -> None:
    """From now on SIGTERM and SIGHUP pause what this process works on; a second one ends it."""
    for number in ENDING:
        signal.signal(number, _receive)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)  # the launcher has held them back


def _receive(number: int, frame: FrameType | None) -> None:
    if _received:
        os._exit(128 + number)
    _received.append(signal.Signals(number).name)


@asynccontextmanager
async def attended(
    store: Store, job: Job, listener: Listener, flush: Callable[[], None] = lambda: None
) -> AsyncIterator[None]:
    """Beside the work within: heartbeats, commands, and a `flush` at each look and at the end."""
    _halt_on_signal(listener)  # one that came during the start, before anything is asked
    attending = asyncio.create_task(_attend(store, job, listener, flush))
    try:
        yield
    finally:
        attending.cancel()
        with suppress(StoreBlocked):  # events are for display
            flush()


async def _attend(store: Store, job: Job, listener: Listener, flush: Callable[[], None]) -> None:
    for tick in itertools.count():
        _halt_on_signal(listener)
        duties: list[Callable[[], object]] = [
            store.refuse_lost,
            partial(obey, store, job, listener),
        ]
        if has_room(store.path):
            duties.append(flush)
            if tick % BEAT == 0:
                duties.append(partial(store.jobs.beat, job))
        for duty in duties:
            try:
                duty()
            except StoreBlocked:
                pass  # the work beside finds out, and waits
            except StoreError as error:
                listener.halt(Halted("paused", str(error)))
        await asyncio.sleep(LISTEN)


def _halt_on_signal(listener: Listener) -> None:
    if _received:
        listener.halt(Halted("paused", f"paused by {_received[0]}"))


def obey(store: Store, job: Job, listener: Listener) -> None:
    """Carry out the commands that wait in the control folder."""
    for command in control.pending(store, job):
        if command.kind == "pause":
            listener.halt(Halted("paused", "paused on request"))
            store.jobs.set_reason(job, _REASON["pausing"])
        elif command.kind == "stop":
            listener.halt(Halted("stopped", "stopped on request"))
            store.jobs.set_reason(job, _REASON["stopping"])
        elif command.kind == "resume":
            listener.probe_now()
        elif command.kind == "set-cap":
            listener.set_caps(command.caps)
        control.finish(store, job, command)
