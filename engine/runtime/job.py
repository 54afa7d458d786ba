"""What an engine does around its work, the same for a run and a study: own, beat, obey, end."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from engine.runtime import control
from engine.store import process_identity as identity
from problems.errors import PreceptorError, StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from engine.domain.specs.settings import Caps
    from engine.domain.status import Job, State
    from engine.store.store import Store

    Ending = tuple[State, str]

LISTEN = 0.25
"""Seconds between looks at the control folder."""

BEAT = 8
"""Looks between heartbeats: one every 2 s."""


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

    An error fails the job and is raised again; work that is cancelled leaves it interrupted.
    Raises StoreError while another living engine owns it.
    """
    store.jobs.claim(job, identity.current())
    ending: Ending = ("running", "")
    try:
        ending = await work()
    except PreceptorError as error:
        ending = ("failed", str(error))
        raise
    except Exception as error:
        ending = ("failed", f"{type(error).__name__}: {error}")
        raise
    finally:
        store.jobs.beat(job)  # the seconds since the last heartbeat count too
        store.jobs.release(job, *ending)
    return ending[0]


@asynccontextmanager
async def attended(
    store: Store, job: Job, listener: Listener, flush: Callable[[], None] = lambda: None
) -> AsyncIterator[None]:
    """Beside the work within: heartbeats, commands, and a `flush` at each look and at the end."""
    attending = asyncio.create_task(_attend(store, job, listener, flush))
    try:
        yield
    finally:
        attending.cancel()
        flush()


async def _attend(store: Store, job: Job, listener: Listener, flush: Callable[[], None]) -> None:
    for tick in itertools.count():
        try:
            if tick % BEAT == 0:
                store.jobs.beat(job)
            flush()
            obey(store, job, listener)
        except StoreError as error:
            listener.halt(Halted("paused", str(error)))
        await asyncio.sleep(LISTEN)


def obey(store: Store, job: Job, listener: Listener) -> None:
    """Carry out the commands that wait in the control folder."""
    for command in control.pending(store, job):
        if command.kind == "pause":
            listener.halt(Halted("paused", "paused on request"))
        elif command.kind == "stop":
            listener.halt(Halted("stopped", "stopped on request"))
        elif command.kind == "resume":
            listener.probe_now()
        elif command.kind == "set-cap":
            listener.set_caps(command.caps)
        control.finish(store, job, command)
