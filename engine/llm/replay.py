"""The writer that answers from a recorded run: offline demos, tests, exact repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.codec import content_key
from problems.errors import WriterUnavailable

if TYPE_CHECKING:
    from engine.reader import Reader
    from engine.types import Reply, Request


class Replay:
    """Gives the reply that a run recorded for the very same request."""

    def __init__(self, reader: Reader, run: int) -> None:
        """Read all replies of a run. Raises UnknownName when there is no such run."""
        self.name = f"replay:{reader.run(run).number}"
        self._replies = {
            call.request_sha: call.reply for call in reader.calls(run) if call.reply is not None
        }

    async def complete(self, request: Request) -> Reply:
        """The recorded reply. Raises WriterUnavailable when the run never asked this."""
        reply = self._replies.get(content_key(request))
        if reply is None:
            raise WriterUnavailable(
                f"{self.name} holds no reply to this {request.operator} request; "
                "problem, method, seed, settings or code differ from the recorded run"
            )
        return reply
