"""How many requests are under way at once: fewer after a complaint, slowly more again."""

from __future__ import annotations

import asyncio
from typing import Self
from weakref import WeakKeyDictionary

CLEAN = 20
"""Answers in a row without a complaint after which one more request is let through."""


class Limiter:
    """At most `width` requests inside `async with`; `width` stays between 1 and `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.width = most
        self._inside = 0
        self._clean = 0
        self._change = asyncio.Condition()

    async def __aenter__(self) -> Self:
        async with self._change:
            await self._change.wait_for(lambda: self._inside < self.width)
            self._inside += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._change:
            self._inside -= 1
            self._change.notify_all()

    def narrow(self) -> None:
        """The provider says it is too much: half as many from now on."""
        self.width = max(1, self.width // 2)
        self._clean = 0

    def widen(self) -> None:
        """The provider answered; the twentieth time in a row there may be one more."""
        self._clean += 1
        if self._clean >= CLEAN:
            self.width = min(self.most, self.width + 1)
            self._clean = 0


_LIMITERS: WeakKeyDictionary[asyncio.AbstractEventLoop, Limiter] = WeakKeyDictionary()


def shared_limiter(most: int) -> Limiter:
    """The limiter of this engine: all its runs and writers queue at the same one.

    An engine has one event loop; the first to ask decides how wide it is at most.
    """
    return _LIMITERS.setdefault(asyncio.get_running_loop(), Limiter(most))
