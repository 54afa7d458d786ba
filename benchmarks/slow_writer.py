"""A writer as slow as a language model: the scripted one of the tests, two seconds a call."""

from __future__ import annotations

import asyncio

from engine.domain.values import Reply, Request
from tests.scripted import Scripted

SECONDS = 2.0
"""Of one call."""


class Slow(Scripted):
    """The same answers, later."""

    name = "slow"

    async def complete(self, request: Request) -> Reply:
        """The reply of the scripted writer after `SECONDS`."""
        await asyncio.sleep(SECONDS)
        return await super().complete(request)
