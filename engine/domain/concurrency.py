"""Waiting for several coroutines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

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
