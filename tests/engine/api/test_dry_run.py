"""A rehearsal: what one hears while it waits."""

from __future__ import annotations

import asyncio

from engine.api.dry_run import tell_waiting
from engine.domain.values import Reply


async def test_whoever_waits_for_an_answer_hears_that_it_has_not_come() -> None:
    told = list[str]()
    twice = asyncio.Event()

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 2:
            twice.set()

    async def answer() -> Reply:
        await twice.wait()
        return Reply("done")

    assert await tell_waiting(answer(), tell, every=0.01) == Reply("done")
    assert told == ["0 s", "0 s"]
