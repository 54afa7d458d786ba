"""When calls are held back: too many are under way, or the provider is down."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
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


@dataclass(slots=True)
class Breaker:
    """Open after `patience` calls in a row came to nothing, closed by the first answer.

    While open, a probe is let through `first` seconds after opening, and after twice the time at
    each further failure, up to `longest`. `since` is when it opened last.
    """

    patience: int = 3
    first: float = 30.0
    longest: float = 600.0
    until: float | None = None
    since: float = 0.0
    _failures: int = 0
    _pauses: int = 0
    _probing: bool = False

    @property
    def open(self) -> bool:
        """Whether calls are held back."""
        return self.until is not None

    def admits(self, now: float) -> bool:
        """Whether a call may leave now; while open, the call that may is the probe."""
        if self.until is None:
            return True
        if self._probing or now < self.until:
            return False
        self._probing = True
        return True

    def open_for(self, now: float) -> float:
        """Seconds since it opened, 0 while it is closed."""
        return 0.0 if self.until is None else now - self.since

    def answered(self) -> None:
        """A call was answered: the provider is back."""
        self.until = None
        self._failures = 0
        self._pauses = 0
        self._probing = False

    def failed(self, now: float, wait: float = 0.0) -> None:
        """A call came to nothing; `wait` seconds are what the provider itself asks for."""
        self._failures += 1
        straggler = self.open and not self._probing
        if straggler or not (self._probing or wait or self._failures >= self.patience):
            return
        if self.until is None:
            self.since = now
        pause = min(self.longest, self.first * 2**self._pauses)
        self.until = now + max(wait, pause)
        self._probing = False
        self._pauses += 1

    def probe_now(self) -> None:
        """Somebody says that the provider is back: do not wait any longer."""
        if self.until is not None:
            self.until = 0.0
