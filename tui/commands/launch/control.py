"""`preceptor pause` and `preceptor stop`: orders to an engine at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, WordAtWork
from tui.text.streams import emit, put

if TYPE_CHECKING:
    from pathlib import Path

    from engine.api.job import CommandWord


def pause(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Pause a run or a study until it is resumed.

    Calls under way are recorded, then its engine ends.

    \b
    Example:
      preceptor pause 12
    """
    _order(db, run, "pause", as_json)


def stop(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """End a run or a study before its time.

    Calls under way are recorded, then its engine ends. It can still be resumed.

    \b
    Example:
      preceptor stop 12
    """
    _order(db, run, "stop", as_json)


def _order(db: Path, run: str, command: CommandWord, as_json: bool) -> None:
    from engine.api.store import pick_job

    job = pick_job(db, run)
    answer = job.pause() if command == "pause" else job.stop()
    if as_json:
        emit(
            {
                answer.job.kind: answer.job.number,
                "command": answer.command,
                "acknowledged": answer.acknowledged,
                "status": answer.status,
            }
        )
    else:
        put(answer.text)
    if answer.is_open:
        raise typer.Exit(1)
