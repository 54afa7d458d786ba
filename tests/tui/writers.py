"""Writers for tests of the command line: one that takes its time, one that nobody can reach."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from problems.errors import WriterUnavailable
from tests.scripted import Scripted

if TYPE_CHECKING:
    from engine.domain.values import Reply, Request


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
