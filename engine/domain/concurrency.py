"""Waiting for several coroutines, or for one from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


async def together(jobs: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Results in the order of the jobs; all of them end before the first error is raised.

    A call in flight is paid for: it must be recorded even when another one stops the run.
    """
    results = await asyncio.gather(*jobs, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


def run_apart(job: Coroutine[None, None, T]) -> T:
    """The result of a coroutine, run in a thread of its own.

    The caller may have an event loop at work, as a notebook does.
    """
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, job).result()


def count_cores() -> int:
    """Cores that this process may use: a scheduler's job may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
