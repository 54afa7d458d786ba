"""Commands to a running engine: small files, renamed into place, that wait if nobody is there.

`runs.db.ctl/JOB/ID.json` holds one command to a run (`JOB` is its number) or to a study
(`study-N`); ids sort by time. Files need no second writer of the store, leave no stale socket,
and survive an engine that is down.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from engine.domain.specs.settings import Caps
from engine.domain.status import CommandKind, Job
from engine.domain.text import codec
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import StoreError

_KINDS = get_args(CommandKind)


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `caps` goes with `set-cap` and replaces all caps.

    `id` and `asked` (Unix seconds) are given by `send`.
    """

    kind: CommandKind
    caps: Caps = field(default_factory=Caps)
    id: str = ""
    asked: float = 0.0


def send(db: Path, job: Job, command: Command) -> Command:
    """Leave a command for an engine at work now or later; returns it with id and time.

    Sent again with its id, it is still one command. Raises StoreError when it cannot be written.
    """
    if not command.id:
        id = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        command = replace(command, id=id, asked=time.time())
    file = _file(db, job, command.id)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".tmp")
        draft.write_text(codec.encode(command), "utf-8")
        draft.rename(file)
    except OSError as error:
        raise StoreError(f"{file.parent}: the command cannot be left there ({error})") from error
    return command


def pending(reader: Reader, job: Job) -> tuple[Command, ...]:
    """Commands not dealt with yet, oldest first; costs one folder listing when there are none."""
    found = [_read(file) for file in sorted(_folder(reader.path, job).glob("*.json"))]
    finished = reader.finished_commands(job) if found else frozenset()
    return tuple(command for command in found if command and command.id not in finished)


def finish(store: Store, job: Job, command: Command, outcome: str = "done") -> None:
    """Record what came of a command and take its file away; safe to repeat after a kill.

    A kill between the two leaves a file whose id is recorded: `pending` passes it over, and the
    next command finished takes it away.
    """
    store.jobs.record_command(job, command.id, command.kind, command.asked, outcome)
    for id in store.finished_commands(job):
        _file(store.path, job, id).unlink(missing_ok=True)


def drop_pending(store: Store, job: Job) -> None:
    """Let no command that nobody was there to take end the job that is resumed now."""
    for command in pending(store, job):
        finish(store, job, command, "overtaken by resume")


def _read(file: Path) -> Command | None:
    """The command of a file, None when it is gone by now or none of ours."""
    try:
        command = codec.decode(Command, file.read_text("utf-8"))
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return command if command.kind in _KINDS else None


def _file(db: Path, job: Job, id: str) -> Path:
    return _folder(db, job) / f"{id}.json"


def _folder(db: Path, job: Job) -> Path:
    return Path(f"{db}.ctl") / job.file_name
