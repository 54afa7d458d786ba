"""The writer that answers from a recorded run: offline demos, tests, exact repetition.

The run may be in the store at hand, or in a file of its own (`engine/recording.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.domain.values import Reply, Request
from engine.store.reader import Reader
from engine.store.run_file import SUFFIX, read_exchanges
from problems import refuse_gone
from problems.errors import WriterUnavailable

Place = tuple[str, str, int]


class Replay:
    """Gives the reply that a run recorded at the same place.

    The wording of prompts may have changed since, and a teacher may have learned: what was
    answered then is answered again.
    """

    def __init__(self, source: str, exchanges: Iterable[tuple[Request, Reply]]) -> None:
        """`exchanges` are what was asked and answered; `source` names the run they are of."""
        self.name = f"replay:{source}"
        self._replies = {place(request): reply for request, reply in exchanges}

    async def complete(self, request: Request) -> Reply:
        """The recorded reply. Raises WriterUnavailable when the run never asked there."""
        reply = self._replies.get(place(request))
        if reply is None:
            raise WriterUnavailable(
                f"{self.name} holds no reply to this {request.operator} request; "
                "method, seed or settings differ from the recorded run"
            )
        return reply


def place(request: Request) -> Place:
    """Where in a run a request stands; the draw is one of seed, purpose, generation and slot."""
    return request.role, request.operator, request.draw


def open_replay(reader: Reader, source: str) -> Replay | None:
    """The replies of a run by its number, or of a recording; None for a word that is neither.

    Raises UnknownName for no such run, UserError for a file that cannot be read, Gone for a run
    of a problem that was removed.
    """
    if source.isdecimal():
        number = reader.run(int(source)).number
        refuse_gone(reader.run(number).spec.problem)
        calls = ((made.request, made.call.reply) for made in reader.exchanges(number))
        return Replay(source, ((asked, reply) for asked, reply in calls if reply is not None))
    if source.endswith(SUFFIX):
        return Replay(Path(source).name, read_exchanges(Path(source)))
    return None
