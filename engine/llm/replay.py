"""The writer that answers from a recorded run: offline demos, tests, exact repetition.

The run may be in the store at hand, or in a file of its own (`engine/recording.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.codec import content_key
from engine.recording import SUFFIX, read_replies
from problems.errors import WriterUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.reader import Reader
    from engine.types import Reply, Request


class Replay:
    """Gives the reply that a run recorded for the very same request."""

    def __init__(self, source: str, replies: Mapping[str, Reply]) -> None:
        """`replies` by the content key of their request; `source` names the run they are of."""
        self.name = f"replay:{source}"
        self._replies = replies

    async def complete(self, request: Request) -> Reply:
        """The recorded reply. Raises WriterUnavailable when the run never asked this."""
        reply = self._replies.get(content_key(request))
        if reply is None:
            raise WriterUnavailable(
                f"{self.name} holds no reply to this {request.operator} request; "
                "problem, method, seed, settings or code differ from the recorded run"
            )
        return reply


def open_replay(reader: Reader, source: str) -> Replay | None:
    """The replies of a run by its number, or of a recording; None for a word that is neither.

    Raises UnknownName for no such run, UserError for a file that cannot be read.
    """
    if source.isdecimal():
        number = reader.run(int(source)).number
        calls = ((call.request_sha, call.reply) for call in reader.calls(number))
        return Replay(source, {sha: reply for sha, reply in calls if reply is not None})
    if source.endswith(SUFFIX):
        return Replay(Path(source).name, read_replies(Path(source)))
    return None
