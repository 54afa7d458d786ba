"""Orders to a running engine: small files, renamed into place, that wait if nobody is there.

`runs.db.ctl/RUN/ID.json` holds one command; ids sort by time. Files need no second writer of the
store, leave no stale socket, and survive an engine that is down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.config import Caps

if TYPE_CHECKING:
    from pathlib import Path

    from engine.reader import Reader
    from engine.rows import CommandKind
    from engine.store import Store


@dataclass(frozen=True, slots=True)
class Command:
    """One order; `caps` goes with `set-cap` and replaces all three caps.

    `id` and `asked` (Unix seconds) are given by `send`.
    """

    kind: CommandKind
    caps: Caps = Caps()
    id: str = ""
    asked: float = 0.0


def send(db: Path, run: int, command: Command) -> Command:
    """Leave an order for the engine of a run, now or later; returns it with id and time."""
    raise NotImplementedError


def pending(reader: Reader, run: int) -> tuple[Command, ...]:
    """Orders not dealt with yet, oldest first; costs one directory listing when there are none."""
    raise NotImplementedError


def settle(store: Store, run: int, command: Command, outcome: str = "done") -> None:
    """Record what came of an order and take its file away; safe to repeat after a kill."""
    raise NotImplementedError
