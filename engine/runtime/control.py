"""Orders to a running engine: small files, renamed into place, that wait if nobody is there.

`runs.db.ctl/PLACE/ID.json` holds one command to a run (its place is its number) or to a study
(`study-N`); ids sort by time. Files need no second writer of the
store, leave no stale socket, and survive an engine that is down.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from engine.domain import codec
from engine.domain.specs.settings import Caps
from engine.domain.status import CommandKind
from problems.errors import StoreError

if TYPE_CHECKING:
    from engine.store.reader import Reader
    from engine.store.store import Store


Place = int | str
"""A run's number, or the word of a study."""

_KINDS = get_args(CommandKind)


@dataclass(frozen=True, slots=True)
class Command:
    """One order; `caps` goes with `set-cap` and replaces all three caps.

    `id` and `asked` (Unix seconds) are given by `send`.
    """

    kind: CommandKind
    caps: Caps = field(default_factory=Caps)
    id: str = ""
    asked: float = 0.0


def of_study(study: int) -> Place:
    """Where orders to a study are left."""
    return f"study-{study}"


def send(db: Path, place: Place, command: Command) -> Command:
    """Leave an order for an engine at work now or later; returns it with id and time.

    Sent again with its id, it is still one order. Raises StoreError when it cannot be written.
    """
    if not command.id:
        id = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        command = replace(command, id=id, asked=time.time())
    file = _file(db, place, command.id)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".tmp")
        draft.write_text(codec.encode(command), "utf-8")
        draft.rename(file)
    except OSError as error:
        raise StoreError(f"{file.parent}: the command cannot be left there ({error})") from error
    return command


def pending(reader: Reader, run: int) -> tuple[Command, ...]:
    """Orders not dealt with yet, oldest first; costs one directory listing when there are none."""
    found = waiting(reader.path, run)
    settled = reader.settled(run) if found else frozenset()
    return tuple(command for command in found if command.id not in settled)


def waiting(db: Path, place: Place) -> tuple[Command, ...]:
    """The orders that lie at a place, oldest first."""
    commands = map(_read, sorted(_folder(db, place).glob("*.json")))
    return tuple(command for command in commands if command is not None)


def settle(store: Store, run: int, command: Command, outcome: str = "done") -> None:
    """Record what came of an order and take its file away; safe to repeat after a kill.

    A kill between the two leaves a file whose id is recorded: `pending` passes it over, and the
    next command settled takes it away.
    """
    store.record_command(run, command.id, command.kind, command.asked, outcome)
    for id in store.settled(run):
        _file(store.path, run, id).unlink(missing_ok=True)


def discard(db: Path, place: Place, command: Command) -> None:
    """Take an order to a study away: that it is gone says that it was dealt with.

    A kill before that leaves an order that the next one overtakes.
    """
    _file(db, place, command.id).unlink(missing_ok=True)


def _read(file: Path) -> Command | None:
    """The command of a file, None when it is gone by now or none of ours."""
    try:
        command = codec.decode(Command, file.read_text("utf-8"))
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return command if command.kind in _KINDS else None


def _file(db: Path, place: Place, id: str) -> Path:
    return _folder(db, place) / f"{id}.json"


def _folder(db: Path, place: Place) -> Path:
    return Path(f"{db}.ctl") / str(place)
