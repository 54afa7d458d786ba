"""`preceptor pause` and `preceptor stop`: orders to an engine at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from engine.domain.names import DEFAULT_DB
from tui.commands.options import Db, Json, WordAtWork
from tui.text.streams import emit

if TYPE_CHECKING:
    from pathlib import Path

    from engine.api.commands import Kind


def pause(run: WordAtWork = "", db: Db = DEFAULT_DB, as_json: Json = False) -> None:
    """Let a run or a study rest until it is resumed.

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


def _order(db: Path, run: str, kind: Kind, as_json: bool) -> None:
    from dataclasses import asdict

    from engine.api.commands import send_command, send_study_command
    from engine.monitor.lookup import pick_run, pick_study

    study = pick_study(db, run)
    answer = (
        send_command(db, pick_run(db, run), kind)
        if study is None
        else send_study_command(db, study, kind)
    )
    if as_json:
        emit(asdict(answer))
    else:
        print(answer.text)
    if not answer.acknowledged and answer.status in ("starting", "running"):
        raise typer.Exit(1)
