"""Writers for tests of the command line: slow ones, one without a program, one out of reach."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from engine.domain.values import Reply, Request, Usage
from problems.errors import WriterUnavailable
from tests.scripted import Scripted

CLOSED = "TEST_PRECEPTOR_CLOSED"
"""Names a file; as long as it is there, a gated writer does not answer."""


class Gated(Scripted):
    """Answers when it is let to."""

    async def complete(self, request: Request) -> Reply:
        """The scripted reply, once the gate is open."""
        while CLOSED in os.environ and Path(os.environ[CLOSED]).exists():
            await asyncio.sleep(0.05)
        return await super().complete(request)


class Slow(Scripted):
    """Thinks for a while, so that a run can be caught at work."""

    name = "slow"

    async def complete(self, request: Request) -> Reply:
        """The scripted reply, later."""
        await asyncio.sleep(0.3)
        return await super().complete(request)


class Absent(Scripted):
    """Never answers."""

    name = "absent"

    async def complete(self, request: Request) -> Reply:
        """Raises WriterUnavailable."""
        raise WriterUnavailable("nobody is at home; start the server, then resume the run")


class Useless(Scripted):
    """Never writes a program that works."""

    name = "useless"

    async def complete(self, request: Request) -> Reply:
        """A function of the contract that fails on every instance."""
        body = f"def {self._signature}:\n    return 'nothing'"
        text = f"{{Nothing.}}\n```python\n{body}\n```"
        return Reply(text, model=self.name, usage=Usage(100, 10), raw="{}")
