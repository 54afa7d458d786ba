"""Writers for tests of the command line: one that takes its time, one that nobody can reach."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from problems.errors import WriterUnavailable
from tests.scripted import Scripted

if TYPE_CHECKING:
    from engine.domain.values import Reply, Request


CLOSED = "PRECEPTOR_TEST_CLOSED"
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
