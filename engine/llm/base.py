"""The protocol that every writer implements: one request in, one reply out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from engine.domain.records import Billed
from engine.domain.values import Reply, Request, Usage
from problems.errors import WriterUnavailable


class ProviderDown(WriterUnavailable):
    """No answer for now, but the same request may be answered later.

    `wait` are the seconds that the provider asks for, `usage` what the attempt surely cost and
    `billed` whether it may have cost something too: `maybe` counts as all that was quoted.
    """

    def __init__(self, reason: str, usage: Usage, billed: Billed, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.usage = usage
        self.billed = billed
        self.wait = wait


class ParameterRefused(WriterUnavailable):
    """The model does not take a parameter of the writer's settings."""

    def __init__(self, reason: str, parameter: str) -> None:
        super().__init__(reason)
        self.parameter = parameter


class Writer(Protocol):
    """Who answers a request: the built-in program writer, a recording, a language model.

    A reply may depend on nothing but the request, where the writer can help it. Example:

        class Mine:
            name = "mine"

            def __init__(self, problem): ...

            async def complete(self, request):
                return Reply(await ask_somebody(request.messages[-1].content))
    """

    @property
    def name(self) -> str:
        """How the run names it, e.g. `builtin` or `openai:MODEL`."""

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises ProviderDown when a later try may be answered, else WriterUnavailable.
        """


@runtime_checkable
class Repeatable(Protocol):
    """Optional: a writer whose requests cost nothing to ask again.

    A run that is told to end does not wait for its replies.
    """

    def withdraw(self, request: Request) -> None:
        """Take a request back that is not answered."""


class Meter(Protocol):
    """What a run keeps of the attempts at one reply: each is recorded before it leaves.

    `capped` says whether tokens or money are capped, so that a quote must hold; `largest` is how
    many tokens the longest answer of this writer had in this run.
    """

    @property
    def capped(self) -> bool: ...

    @property
    def largest(self) -> int: ...

    async def begin(self, quote: Callable[[], Usage]) -> None:
        """Wait until the quote fits into the budget and record the attempt. Raises Halted.

        It is asked for again as long as it does not: what others are answered may change it.
        """

    def fail(self, error: str, billed: Billed, used: Usage | None) -> None:
        """Record that the attempt came to nothing; `used` None: all that was quoted."""


@runtime_checkable
class Retrying(Protocol):
    """Optional: a writer that may ask several times for one reply, and has each attempt metered.

    The attempt that leads to the reply, or to an error that was not reported, is left open.
    """

    async def complete_metered(self, request: Request, meter: Meter) -> Reply:
        """Answer one request, as `complete`. Raises Halted too."""


@runtime_checkable
class Metered(Protocol):
    """Optional: a writer whose calls use tokens and may cost money."""

    def quote(self, request: Request) -> Usage:
        """What a request may use at most: set aside before it leaves; `usd` None is unknown."""
